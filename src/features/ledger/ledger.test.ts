import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { inTransaction } from '#context';
import { demoUsers, seedUsers } from '#features/users';
import type { Db } from '#platform/db/db';
import { violates } from '#platform/db/db';
import { formatMinor } from '#platform/values/money';
import { makeFunds, makeUser } from '#test/factories';
import { useHarness } from '#test/harness';
import {
  checkBooks,
  fundAccount,
  holdFunds,
  lockAccounts,
  type Owner,
  type PaidWithdrawal,
  postWithdrawals,
  releaseFunds,
  seedLedger,
} from './index.ts';
import { listBalances } from './list-balances.ts';

const harness = useHarness();
const call = (command: string, input?: unknown) => harness.operator(`ledger.${command}`, input);
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const transaction = <T>(work: (db: Db) => Promise<T>) => harness.deps.db.transaction(work);
const post = (...paid: PaidWithdrawal[]) => postWithdrawals(harness.operatorContext(), paid);
const unknownId = '0198a0de-ffff-7000-8000-000000000000';
const rightBooks = { unbalancedPostings: [], wrongBalances: [] };
const polygonUsdc = { network: 'polygon', currency: 'USDC' };
const baseEurc = { network: 'base', currency: 'EURC' };

/** A user with six-decimal amounts of USDC on polygon. */
async function makeOwner(amount?: string): Promise<Owner> {
  const { id } = await makeUser(harness);
  if (amount) await makeFunds(harness, id, 'polygon', 'USDC', amount);
  return { userId: id, ...polygonUsdc };
}

async function accountOf(owner: Owner): Promise<{ id: bigint; balance: bigint; held: bigint }> {
  const [row] = await sql(
    'select id, balance, held from ledger_accounts where user_id = $1 and network = $2 and currency = $3',
    [owner.userId, owner.network, owner.currency],
  );
  return row as never;
}

const fundsOf = async (owner: Owner) => {
  const { balance, held } = await accountOf(owner);
  return [balance, held];
};

async function custodyOf({ network, currency }: { network: string; currency: string }): Promise<bigint> {
  const [row] = await sql(
    'select coalesce(sum(balance), 0) as sum from ledger_house_balances where network = $1 and currency = $2',
    [network, currency],
  );
  return row!.sum as bigint;
}

async function hold(owner: Owner, amount: bigint): Promise<void> {
  await transaction(async (db) => {
    const [account] = await lockAccounts(db, [owner]);
    await holdFunds(db, [{ accountId: account!.accountId, amount }]);
  });
}

const paidBy = (owner: Owner, amount: bigint, fields: Partial<PaidWithdrawal> = {}): PaidWithdrawal => ({
  ...owner,
  withdrawalId: randomUUID(),
  amount,
  recipientUserId: null,
  transactionHash: `0x${randomBytes(32).toString('hex')}`,
  logIndex: 3,
  description: 'Withdrawal to 0x1234',
  ...fields,
});

// ledger.fund

test('200 ledger.fund: the balance grows, custody owes it, and spelling does not matter', async () => {
  const { userId } = await makeOwner();
  const custodyBefore = await custodyOf(baseEurc);
  const first = await call('fund', {
    userId: userId.toUpperCase(),
    network: 'BASE',
    currency: 'eurc',
    amount: '12.500',
  });
  assert.equal(first.status, 200, first.body.error);
  const { postingId, ...rest } = first.body.data;
  assert.match(postingId, /^[1-9]\d*$/);
  assert.deepEqual(rest, {
    userId,
    ...baseEurc,
    amount: '12.5',
    balance: '12.5',
    available: '12.5',
    replayed: false,
  });
  const second = await call('fund', { userId, ...baseEurc, amount: '0.000001' });
  assert.deepEqual([second.body.data.balance, second.body.data.replayed], ['12.500001', false]);
  assert.notEqual(second.body.data.postingId, postingId);
  assert.equal((await custodyOf(baseEurc)) - custodyBefore, -12_500_001n);
  const { items } = (await harness.operator('audit.list', { subject: `user:${userId}` })).body.data;
  assert.deepEqual(items[1].after, { postingId, ...baseEurc, amount: '12.5', balance: '12.5' });
  assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
});

test('200 ledger.fund: the largest amount there is, to the last digit', async () => {
  const { userId } = await makeOwner();
  const amount = `${'9'.repeat(31)}.999999`;
  const { body } = await call('fund', { userId, ...polygonUsdc, amount });
  assert.deepEqual([body.data.amount, body.data.balance], [amount, amount]);
});

test('200 ledger.fund: the same again under one reference is the first posting, replayed and not recorded again', async () => {
  const owner = await makeOwner();
  const { userId } = owner;
  const reference = `Überweisung ${'🌊'.repeat(180)} ${randomBytes(3).toString('hex')}`;
  const first = await call('fund', { userId, ...polygonUsdc, amount: '10', reference });
  assert.equal(first.status, 200, first.body.error);
  assert.equal(first.body.data.replayed, false);
  await makeFunds(harness, userId, 'polygon', 'USDC', '5');
  await hold(owner, 1n);
  const count = async () =>
    (await harness.operator('audit.list', { subject: `user:${userId}` })).body.data.items.length;
  const before = await count();
  const again = await call('fund', {
    userId: userId.toUpperCase(),
    network: 'Polygon',
    currency: 'usdc',
    amount: '10.00',
    reference,
  });
  assert.deepEqual(again.body.data, {
    ...first.body.data,
    balance: '15',
    available: '14.999999',
    replayed: true,
  });
  assert.equal(await count(), before);
  assert.deepEqual(await fundsOf(owner), [15_000_000n, 1n]);
});

test('422 ledger.fund: a reference that was used for another user, asset or amount', async () => {
  const [{ userId }, other] = [await makeOwner(), await makeOwner()];
  const first = { userId, ...polygonUsdc, amount: '10', reference: `ref ${userId}` };
  assert.equal((await call('fund', first)).status, 200);
  for (const change of [
    { userId: other.userId },
    { network: 'base' },
    { currency: 'USDT' },
    { amount: '10.000001' },
  ]) {
    const { status, body } = await call('fund', { ...first, ...change });
    assert.deepEqual([status, body.error], [422, 'This reference was used for other funds']);
    assert.equal(body.details[0].field, 'reference');
  }
  assert.deepEqual((await call('balances', { userId })).body.data.items.length, 1);
  assert.deepEqual((await call('balances', { userId: other.userId })).body.data.items, []);
});

test('twenty calls at once under one reference add the funds once', async () => {
  const owner = await makeOwner();
  const input = { userId: owner.userId, ...polygonUsdc, amount: '7', reference: `ref ${owner.userId}` };
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('fund', input)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(answers.filter(({ body }) => !body.data.replayed).length, 1);
  assert.equal(new Set(answers.map(({ body }) => body.data.postingId)).size, 1);
  assert.deepEqual(await fundsOf(owner), [7_000_000n, 0n]);
  const { items } = (await harness.operator('audit.list', { subject: `user:${owner.userId}` })).body.data;
  assert.equal(items.filter(({ action }: { action: string }) => action === 'ledger.fund').length, 1);
});

test('twenty calls at once for a user without an account open one account and add twenty times', async () => {
  const owner = await makeOwner();
  const input = { userId: owner.userId, ...polygonUsdc, amount: '1' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('fund', input)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.deepEqual(await fundsOf(owner), [20_000_000n, 0n]);
});

for (const command of ['fund', 'balances']) {
  test(`404 ledger.${command}: nobody has this id`, async () => {
    const input = { userId: unknownId, ...(command === 'fund' && { ...polygonUsdc, amount: '1' }) };
    const { status, body } = await call(command, input);
    assert.deepEqual([status, body.error], [404, 'User not found']);
  });
}

const valid = { userId: unknownId, ...polygonUsdc, amount: '1' };
for (const [field, input] of [
  ['userId', { ...valid, userId: undefined }],
  ['userId', { ...valid, userId: 'ana' }],
  ['userId', { ...valid, userId: `urn:uuid:${unknownId}` }],
  ['userId', { ...valid, userId: [unknownId] }],
  ['network', { ...valid, network: undefined }],
  ['network', { ...valid, network: 'solana' }],
  ['network', { ...valid, network: '' }],
  ['network', { ...valid, network: 'polygon ' }],
  ['network', { ...valid, network: 'ba\u017fe' }],
  ['network', { ...valid, network: 'constructor' }],
  ['network', { ...valid, network: '__proto__' }],
  ['network', { ...valid, network: 137 }],
  ['currency', { ...valid, currency: undefined }],
  ['currency', { ...valid, currency: 'EURC' }],
  ['currency', { ...valid, currency: 'ETH' }],
  ['currency', { ...valid, currency: 'u\u017fdc' }],
  ['currency', { ...valid, currency: null }],
  ['amount', { ...valid, amount: undefined }],
  ['amount', { ...valid, amount: 1 }],
  ['amount', { ...valid, amount: '' }],
  ['amount', { ...valid, amount: '0' }],
  ['amount', { ...valid, amount: '0.000000' }],
  ['amount', { ...valid, amount: '-1' }],
  ['amount', { ...valid, amount: '+1' }],
  ['amount', { ...valid, amount: '1.0000001' }],
  ['amount', { ...valid, amount: '1.0000000' }],
  ['amount', { ...valid, amount: '1e3' }],
  ['amount', { ...valid, amount: '1,5' }],
  ['amount', { ...valid, amount: '01' }],
  ['amount', { ...valid, amount: '.5' }],
  ['amount', { ...valid, amount: '5.' }],
  ['amount', { ...valid, amount: ' 1' }],
  ['amount', { ...valid, amount: '1\n' }],
  ['amount', { ...valid, amount: 'NaN' }],
  ['amount', { ...valid, amount: 'Infinity' }],
  ['amount', { ...valid, amount: '0x10' }],
  ['amount', { ...valid, amount: '١' }],
  ['amount', { ...valid, amount: '9'.repeat(32) }],
  ['amount', { ...valid, amount: '9'.repeat(10_000) }],
  ['reference', { ...valid, reference: '' }],
  ['reference', { ...valid, reference: 'x'.repeat(201) }],
  ['reference', { ...valid, reference: 'a bell \u0007' }],
  ['reference', { ...valid, reference: null }],
  ['description', { ...valid, description: 'more' }],
] as const) {
  test(`400 ledger.fund: ${field}, ${JSON.stringify((input as never)[field])?.slice(0, 40)}`, async () => {
    const { status, body } = await call('fund', input);
    assert.equal(status, 400, JSON.stringify(body));
    assert.equal(body.details[0].field, field);
  });
}

test('a call that is refused does not use its reference up', async () => {
  const { userId } = await makeOwner();
  const input = { userId, ...polygonUsdc, amount: '1', reference: `ref ${userId}` };
  assert.equal((await call('fund', { ...input, userId: unknownId })).status, 404);
  assert.equal((await call('fund', { ...input, amount: '0' })).status, 400);
  const { status, body } = await call('fund', input);
  assert.deepEqual([status, body.data.replayed], [200, false]);
});

test('ledger.fund and ledger.balances where a network is not paid on', async () => {
  const { userId } = await makeOwner('1.5');
  const without = (...names: string[]) => ({
    ...harness.operatorContext(),
    evm: new Map([...harness.deps.evm].filter(([name]) => !names.includes(name))),
  });
  const funds = { userId, ...polygonUsdc, amount: '1' };
  await assert.rejects(
    fundAccount(without('polygon'), funds),
    /^Refusal: network must be one of ethereum, base$/,
  );
  await assert.rejects(fundAccount(without('polygon', 'ethereum', 'base'), funds), /no network has one here/);
  const { items } = await listBalances(without('polygon'), { userId });
  assert.deepEqual(items, [{ ...polygonUsdc, balance: '1.5', held: '0', available: '1.5' }]);
});

// ledger.balances

test('200 ledger.balances: each asset with what is held and what is left; none for a new user', async () => {
  const owner = await makeOwner('1.5');
  await makeFunds(harness, owner.userId, 'base', 'EURC', '20000');
  await hold(owner, 400_000n);
  const { status, body } = await call('balances', { userId: owner.userId.toUpperCase() });
  assert.equal(status, 200);
  assert.deepEqual(body.data.items, [
    { ...baseEurc, balance: '20000', held: '0', available: '20000' },
    { ...polygonUsdc, balance: '1.5', held: '0.4', available: '1.1' },
  ]);
  const { userId } = await makeOwner();
  assert.deepEqual((await call('balances', { userId })).body.data, { items: [] });
});

for (const [field, input] of [
  ['userId', {}],
  ['userId', { userId: 'x' }],
  ['userId', { userId: null }],
  ['network', { userId: unknownId, network: 'base' }],
] as const) {
  test(`400 ledger.balances: ${JSON.stringify(input)}`, async () => {
    const { status, body } = await call('balances', input);
    assert.deepEqual([status, body.details[0].field], [400, field]);
  });
}

// Locks and holds

test('lockAccounts answers in the order of its owners, the same owner twice too, and undefined for none', async () => {
  const [rich, poor, none] = [await makeOwner('3'), await makeOwner('2'), await makeOwner()];
  await hold(rich, 1n);
  const owners = [poor, none, rich, { ...poor, userId: poor.userId.toUpperCase() }, { ...poor, ...baseEurc }];
  const accounts = await transaction((db) => lockAccounts(db, owners));
  const [richId, poorId] = [(await accountOf(rich)).id, (await accountOf(poor)).id];
  const ofPoor = { accountId: poorId, available: 2_000_000n };
  assert.deepEqual(accounts, [
    ofPoor,
    undefined,
    { accountId: richId, available: 2_999_999n },
    ofPoor,
    undefined,
  ]);
  assert.deepEqual(await transaction((db) => lockAccounts(db, [])), []);
});

test('lockAccounts says what is available after whoever held the lock has committed', async () => {
  const owner = await makeOwner('1');
  let second: Promise<unknown> | undefined;
  await transaction(async (db) => {
    const [account] = await lockAccounts(db, [owner]);
    second = transaction((db) => lockAccounts(db, [owner, owner]));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await holdFunds(db, [{ accountId: account!.accountId, amount: 999_999n }]);
  });
  const { id } = await accountOf(owner);
  assert.deepEqual(await second, Array(2).fill({ accountId: id, available: 1n }));
});

test('holdFunds and releaseFunds sum what concerns one account', async () => {
  const [one, other] = [await makeOwner('1'), await makeOwner('1')];
  const [a, b] = [(await accountOf(one)).id, (await accountOf(other)).id];
  const holds = [
    { accountId: a, amount: 600_000n },
    { accountId: b, amount: 1_000_000n },
    { accountId: a, amount: 400_000n },
  ];
  await transaction((db) => holdFunds(db, holds));
  assert.deepEqual(await fundsOf(one), [1_000_000n, 1_000_000n]);
  assert.deepEqual(await fundsOf(other), [1_000_000n, 1_000_000n]);
  await transaction((db) => releaseFunds(db, holds.slice(1)));
  assert.deepEqual(await fundsOf(one), [1_000_000n, 600_000n]);
  assert.deepEqual(await fundsOf(other), [1_000_000n, 0n]);
  await transaction((db) => holdFunds(db, []));
  await transaction((db) => releaseFunds(db, []));
});

test('holdFunds and releaseFunds throw and change nothing where one account of several cannot', async () => {
  const [one, other] = [await makeOwner('1'), await makeOwner('1')];
  const [a, b] = [(await accountOf(one)).id, (await accountOf(other)).id];
  await hold(other, 10n);
  const [custody] = await sql(`select id from ledger_accounts where house = 'custody'`);
  const refused = async (holds: { accountId: bigint; amount: bigint }[], why: RegExp) => {
    await assert.rejects(
      transaction((db) => holdFunds(db, holds)),
      why,
    );
    await assert.rejects(
      transaction((db) => releaseFunds(db, holds)),
      why,
    );
  };
  await refused([{ accountId: b, amount: 999_991n }], /less (available|held)/);
  await refused(
    [
      { accountId: a, amount: 500_000n },
      { accountId: a, amount: 500_001n },
      { accountId: b, amount: 1n },
    ],
    new RegExp(`accounts ${a}: `),
  );
  await refused([{ accountId: 999_999_999n, amount: 1n }], /none/);
  await refused([{ accountId: custody!.id as bigint, amount: 1n }], /none/);
  await refused([{ accountId: b, amount: 0n }], /above zero/);
  await refused(
    [
      { accountId: b, amount: 5n },
      { accountId: b, amount: -1n },
    ],
    /above zero/,
  );
  assert.deepEqual(await fundsOf(one), [1_000_000n, 0n]);
  assert.deepEqual(await fundsOf(other), [1_000_000n, 10n]);
});

const countTrue = async (attempts: Promise<boolean>[]) =>
  (await Promise.all(attempts)).filter(Boolean).length;

test('of fifty that lock, look and hold one of twenty, exactly twenty do', async () => {
  const owner = await makeOwner('0.00002');
  const held = await countTrue(
    Array.from({ length: 50 }, () =>
      transaction(async (db) => {
        const [account] = await lockAccounts(db, [owner]);
        if (account!.available < 1n) return false;
        await holdFunds(db, [{ accountId: account!.accountId, amount: 1n }]);
        return true;
      }),
    ),
  );
  assert.equal(held, 20);
  assert.deepEqual(await fundsOf(owner), [20n, 20n]);
});

test('of fifty that hold one of twenty without looking, exactly twenty do', async () => {
  const owner = await makeOwner('0.00002');
  const { id } = await accountOf(owner);
  const held = await countTrue(
    Array.from({ length: 50 }, () =>
      transaction((db) => holdFunds(db, [{ accountId: id, amount: 1n }])).then(
        () => true,
        (error) => {
          assert.match(error.message, /less available/);
          return false;
        },
      ),
    ),
  );
  assert.equal(held, 20);
  assert.deepEqual(await fundsOf(owner), [20n, 20n]);
});

test('many that lock the same accounts in every order never wait for each other for good', async () => {
  const owners = await Promise.all(Array.from({ length: 6 }, () => makeOwner('1')));
  await Promise.all(
    Array.from({ length: 60 }, (_, at) =>
      transaction(async (db) => {
        const turned = [...owners.slice(at % 6), ...owners.slice(0, at % 6)];
        const accounts = await lockAccounts(db, at % 2 ? turned : turned.reverse());
        await holdFunds(
          db,
          accounts.map((account) => ({ accountId: account!.accountId, amount: 1n })),
        );
      }),
    ),
  );
  for (const owner of owners) assert.deepEqual(await fundsOf(owner), [1_000_000n, 60n]);
});

// postWithdrawals

test('postWithdrawals: out of custody, to a user without an account, to one with, and to oneself', async () => {
  const [payer, newcomer, other] = [await makeOwner('10'), await makeOwner(), await makeOwner('1')];
  await hold(payer, 4_000_000n);
  const custodyBefore = await custodyOf(polygonUsdc);
  const paid = [
    paidBy(payer, 500_000n),
    paidBy(payer, 700_000n, { recipientUserId: newcomer.userId }),
    paidBy(payer, 800_000n, { recipientUserId: other.userId, logIndex: 0 }),
    paidBy(payer, 1_000_000n, { recipientUserId: payer.userId }),
  ];
  await post(...paid);
  assert.deepEqual(await fundsOf(payer), [8_000_000n, 1_000_000n]);
  assert.deepEqual(await fundsOf(newcomer), [700_000n, 0n]);
  assert.deepEqual(await fundsOf(other), [1_800_000n, 0n]);
  assert.equal((await custodyOf(polygonUsdc)) - custodyBefore, 500_000n);
  const [own, theirs] = [(await accountOf(payer)).id, (await accountOf(other)).id];
  const rows = await sql(
    `select p.operation_id, p.kind, p.description, p.transaction_hash, p.log_index, e.account_id, e.amount
     from ledger_postings p join ledger_entries e on e.posting_id = p.id where p.operation_id = any($1)
     order by p.log_index, e.amount`,
    [[paid[2]!.withdrawalId, paid[3]!.withdrawalId]],
  );
  const row = ({ withdrawalId, transactionHash, logIndex, description }: PaidWithdrawal) => ({
    operation_id: withdrawalId,
    kind: 'withdrawal',
    description,
    transaction_hash: transactionHash,
    log_index: logIndex,
  });
  assert.deepEqual(rows, [
    { ...row(paid[2]!), account_id: own, amount: -800_000n },
    { ...row(paid[2]!), account_id: theirs, amount: 800_000n },
    { ...row(paid[3]!), account_id: own, amount: -1_000_000n },
    { ...row(paid[3]!), account_id: own, amount: 1_000_000n },
  ]);
  await post();
  assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
});

test('postWithdrawals: several payers and assets in one call, the first ever of an asset too', async () => {
  const { userId } = await makeOwner();
  const ethereumEurc = { userId, network: 'ethereum', currency: 'EURC' };
  const owner = { userId, ...polygonUsdc };
  const second = await makeOwner('1');
  await makeFunds(harness, userId, 'polygon', 'USDC', '1');
  await makeFunds(harness, userId, 'ethereum', 'EURC', '1');
  for (const one of [owner, ethereumEurc, second]) await hold(one, 1_000_000n);
  await post(paidBy(second, 1_000_000n), paidBy(ethereumEurc, 1_000_000n), paidBy(owner, 999_999n));
  assert.deepEqual(await fundsOf(owner), [1n, 1n]);
  assert.deepEqual(await fundsOf(ethereumEurc), [0n, 0n]);
  assert.deepEqual(await fundsOf(second), [0n, 0n]);
  assert.equal(await custodyOf(ethereumEurc), 0n);
});

const isPostedTwice = (error: unknown) => violates(error, 'ledger_postings_operation_key');

test('postWithdrawals: a second posting of a withdrawal fails by its unique key, and all that came with it', async () => {
  const owner = await makeOwner('10');
  await hold(owner, 3_000_000n);
  const first = paidBy(owner, 1_000_000n);
  await post(first);
  const after = [9_000_000n, 2_000_000n];
  await assert.rejects(post(first), isPostedTwice);
  await assert.rejects(post(paidBy(owner, 1n), { ...first, amount: 2n }), isPostedTwice);
  await assert.rejects(post({ ...first, withdrawalId: first.withdrawalId.toUpperCase() }), isPostedTwice);
  const twin = paidBy(owner, 1_000_000n);
  await assert.rejects(post(twin, twin), isPostedTwice);
  assert.deepEqual(await fundsOf(owner), after);
  await post(paidBy(owner, 2_000_000n));
  await assert.rejects(post(first), isPostedTwice, 'also with nothing held any more');
  assert.deepEqual(await fundsOf(owner), [7_000_000n, 0n]);
});

test('of ten that post one withdrawal at once, one does', async () => {
  const owner = await makeOwner('10');
  await hold(owner, 10_000_000n);
  const paid = paidBy(owner, 1_000_000n);
  const posted = await countTrue(
    Array.from({ length: 10 }, () =>
      post(paid).then(
        () => true,
        (error) => {
          assert.ok(isPostedTwice(error), error);
          return false;
        },
      ),
    ),
  );
  assert.equal(posted, 1);
  assert.deepEqual(await fundsOf(owner), [9_000_000n, 9_000_000n]);
});

test('postWithdrawals: what was not held, or by nobody who has an account, is not posted', async () => {
  const [owner, stranger] = [await makeOwner('10'), await makeOwner()];
  await hold(owner, 5n);
  const held = paidBy(owner, 5n);
  await assert.rejects(post(held, paidBy(owner, 1n)), /less held/);
  await assert.rejects(post(paidBy(stranger, 1n)), /less held/);
  await assert.rejects(post(held, paidBy(owner, 0n)), /not what a line may/);
  await assert.rejects(post(held, paidBy(owner, -5n)), /not what a line may/);
  await assert.rejects(post(held, paidBy({ ...owner, userId: unknownId }, 5n)), /foreign key/);
  assert.deepEqual(await fundsOf(owner), [10_000_000n, 5n]);
  assert.equal(await accountOf(stranger), undefined);
  await post(held);
  assert.deepEqual(await fundsOf(owner), [9_999_995n, 0n]);
});

test('postWithdrawals is undone with the transaction of its caller', async () => {
  const [owner, newcomer] = [await makeOwner('10'), await makeOwner()];
  await hold(owner, 5n);
  const paid = paidBy(owner, 5n, { recipientUserId: newcomer.userId });
  const undone = inTransaction(harness.operatorContext(), async (ctx) => {
    await postWithdrawals(ctx, [paid]);
    throw new Error('the caller changed its mind');
  });
  await assert.rejects(undone, /changed its mind/);
  assert.deepEqual(await fundsOf(owner), [10_000_000n, 5n]);
  assert.equal(await accountOf(newcomer), undefined);
  await post(paid);
  assert.deepEqual(await fundsOf(newcomer), [5n, 0n]);
});

test('forty posts at once between the same six users, in all directions, all succeed', async () => {
  const owners = await Promise.all(Array.from({ length: 6 }, () => makeOwner('1')));
  for (const owner of owners) await hold(owner, 1_000_000n);
  await Promise.all(
    Array.from({ length: 40 }, (_, at) => {
      const turned = [...owners.slice(at % 6), ...owners.slice(0, at % 6)];
      if (at % 2) turned.reverse();
      const paid = turned.map((owner, to) =>
        paidBy(owner, 1n, { recipientUserId: turned[(to + 1 + at) % 6]!.userId }),
      );
      return at % 4 === 3
        ? makeFunds(harness, turned[0]!.userId, 'base', at % 8 === 3 ? 'USDT' : 'EURC', '1')
        : post(...paid);
    }),
  );
  for (const owner of owners) assert.deepEqual(await fundsOf(owner), [1_000_000n, 999_970n]);
  assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
});

// Against a model

type ModelOp =
  | { kind: 'fund'; of: number; amount: bigint }
  | { kind: 'hold'; parts: { of: number; amount: bigint }[] }
  | { kind: 'release'; picks: number[] }
  | { kind: 'post'; picks: number[]; to: (number | null)[] }
  | { kind: 'postAgain'; pick: number };

const amounts = fc.bigInt({ min: 1n, max: 50n });
const accountNumbers = fc.nat({ max: 5 });
const picks = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 4 });
const op: fc.Arbitrary<ModelOp> = fc.oneof(
  fc.record({
    kind: fc.constant('fund' as const),
    of: accountNumbers,
    amount: fc.bigInt({ min: 1n, max: 200n }),
  }),
  fc.record({
    kind: fc.constant('hold' as const),
    parts: fc.array(fc.record({ of: accountNumbers, amount: amounts }), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('release' as const), picks }),
  fc.record({
    kind: fc.constant('post' as const),
    picks,
    to: fc.array(fc.option(fc.nat({ max: 2 })), { minLength: 4, maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('postAgain' as const), pick: fc.nat({ max: 20 }) }),
);

interface OpenHold {
  of: number;
  amount: bigint;
}

/**
 * Three users with an account in each of two assets, the books in memory, and what is held and not yet spent.
 */
async function startModel() {
  const users = await Promise.all(Array.from({ length: 3 }, () => makeUser(harness)));
  const owners = [polygonUsdc, baseEurc].flatMap((asset) =>
    users.map(({ id }): Owner => ({ userId: id, ...asset })),
  );
  const books = owners.map(() => ({ balance: 0n, held: 0n }));
  const custody = new Map([polygonUsdc, baseEurc].map(({ network }) => [network, 0n]));
  const before = new Map(
    await Promise.all(
      [polygonUsdc, baseEurc].map(async (asset) => [asset.network, await custodyOf(asset)] as const),
    ),
  );
  const open: OpenHold[] = [];
  const posted: PaidWithdrawal[] = [];

  const take = (picks: number[]) =>
    picks.flatMap((pick) => (open.length > 0 ? open.splice(pick % open.length, 1) : []));
  const recipientOf = (of: number, to: number | null) => (to === null ? undefined : of - (of % 3) + to);

  /** Does it in the database and, if that succeeded, in the model. Says what came of it. */
  async function run(one: ModelOp): Promise<'done' | 'refused' | 'nothing'> {
    switch (one.kind) {
      case 'fund': {
        const amount = formatMinor(one.amount, 6);
        await fundAccount(harness.operatorContext(), { ...owners[one.of]!, amount });
        books[one.of]!.balance += one.amount;
        move(one.of, -one.amount);
        return 'done';
      }
      case 'hold': {
        const held = await transaction(async (db) => {
          const accounts = await lockAccounts(
            db,
            one.parts.map(({ of }) => owners[of]!),
          );
          const left = new Map(accounts.map((account) => [account?.accountId, account?.available ?? 0n]));
          for (const [at, { amount }] of one.parts.entries()) {
            const id = accounts[at]?.accountId;
            left.set(id, left.get(id)! - amount);
          }
          if ([...left.values()].some((amount) => amount < 0n)) return false;
          const holds = one.parts.map(({ amount }, at) => ({ accountId: accounts[at]!.accountId, amount }));
          await holdFunds(db, holds);
          return true;
        });
        if (!held) return 'refused';
        for (const { of, amount } of one.parts) books[of]!.held += amount;
        open.push(...one.parts);
        return 'done';
      }
      case 'release': {
        const taken = take(one.picks);
        if (taken.length === 0) return 'nothing';
        await transaction(async (db) => {
          const accounts = await lockAccounts(
            db,
            taken.map(({ of }) => owners[of]!),
          );
          await releaseFunds(
            db,
            taken.map(({ amount }, at) => ({ accountId: accounts[at]!.accountId, amount })),
          );
        });
        for (const { of, amount } of taken) books[of]!.held -= amount;
        return 'done';
      }
      case 'post': {
        const taken = take(one.picks);
        if (taken.length === 0) return 'nothing';
        const paid = taken.map(({ of, amount }, at) => {
          const to = recipientOf(of, one.to[at]!);
          return paidBy(owners[of]!, amount, {
            recipientUserId: to === undefined ? null : owners[to]!.userId,
          });
        });
        await post(...paid);
        for (const [at, { of, amount }] of taken.entries()) {
          const to = recipientOf(of, one.to[at]!);
          books[of]!.held -= amount;
          books[of]!.balance -= amount;
          if (to === undefined) move(of, amount);
          else books[to]!.balance += amount;
        }
        posted.push(...paid);
        return 'done';
      }
      case 'postAgain': {
        const again = posted[one.pick % posted.length];
        if (!again) return 'nothing';
        await assert.rejects(post(again), isPostedTwice);
        return 'refused';
      }
    }
  }

  function move(of: number, amount: bigint): void {
    const { network } = owners[of]!;
    custody.set(network, custody.get(network)! + amount);
  }

  async function assertSame(): Promise<void> {
    const accounts = await Promise.all(owners.map((owner) => accountOf(owner)));
    const stored = accounts.map((account) => ({
      balance: account?.balance ?? 0n,
      held: account?.held ?? 0n,
    }));
    assert.deepEqual(stored, books);
    for (const asset of [polygonUsdc, baseEurc]) {
      const { network } = asset;
      assert.equal((await custodyOf(asset)) - before.get(network)!, custody.get(network));
    }
    assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
  }

  // Every third account is opened only by what is funded or paid to it.
  for (const number of [0, 1, 3, 4]) await run({ kind: 'fund', of: number, amount: 150n });
  const canHold = (parts: OpenHold[]) =>
    books.every(({ balance, held }, at) => {
      const asked = parts.filter(({ of }) => of === at).reduce((sum, { amount }) => sum + amount, 0n);
      return asked <= balance - held;
    });
  return { run, assertSame, canHold };
}

test('one after another, any sequence of funds, holds, releases and posts leaves what a plain model says', async () => {
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(fc.array(op, { maxLength: 40, size: 'max' }), async (ops) => {
      const model = await startModel();
      for (const one of ops) {
        const expected = one.kind === 'hold' && (model.canHold(one.parts) ? 'done' : 'refused');
        const outcome = await model.run(one);
        if (expected) assert.equal(outcome, expected);
        const what = `${one.kind} ${outcome}`;
        counts[what] = (counts[what] ?? 0) + 1;
      }
      await model.assertSame();
    }),
    { numRuns: 60 },
  );
  for (const what of [
    'fund done',
    'hold done',
    'hold refused',
    'release done',
    'post done',
    'postAgain refused',
  ])
    assert.ok((counts[what] ?? 0) > 20, `${what} came too seldom: ${JSON.stringify(counts)}`);
});

test('all at once, any set of funds, holds, releases and posts leaves the sum of those that succeeded', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(op, { minLength: 2, maxLength: 10, size: 'max' }), {
        minLength: 2,
        maxLength: 5,
        size: 'max',
      }),
      async (rounds) => {
        const model = await startModel();
        for (const ops of rounds) {
          await Promise.all(ops.map((one) => model.run(one)));
          await model.assertSame();
        }
      },
    ),
    { numRuns: 25 },
  );
});

// What the database refuses by itself

async function makePosting(db: Db): Promise<bigint> {
  const [row] = await db.query(
    `insert into ledger_postings (kind, operation_id, description, posted_at) values ('fund', $1, 'test', now()) returning id`,
    [randomUUID()],
  );
  return row!.id as bigint;
}

/** What `ledger_post_one` and `ledger_post_each` are given, as far as something may be wrong with it. */
const rightSingle = {
  kind: 'post',
  operation: 'an operation',
  hash: `0x${'a'.repeat(64)}`,
  amount: '5',
  spent: '0',
  lineAt: '2026-01-01T00:00:00Z',
  lineOperation: 'a line',
  key: 'a key',
};
type Single = typeof rightSingle;

const singles: Record<string, (db: Db, users: Owner[], given: Single[]) => Promise<unknown>> = {
  ledger_post_one: (db, [user], [given]) =>
    db.query(
      `select ledger_post_one(now(), $1, 'polygon', 'USDC', $2, $3, $4, $5, 'test', $6, 1, null, 'buy', $7, $8, $9, 'test', 'test',
         null, null)`,
      [
        user!.userId,
        given!.amount,
        given!.spent,
        given!.kind,
        given!.operation,
        given!.hash,
        given!.lineAt,
        given!.lineOperation,
        given!.key,
      ],
    ),
  ledger_post_each: (db, users, given) =>
    db.query(`select ledger_post_each(now(), $1::uuid[], $2::text[], $3::text[], $4::json)`, [
      users.map(({ userId }) => userId),
      users.map(({ network }) => network),
      users.map(({ currency }) => currency),
      JSON.stringify(
        given.map((one) => ({
          ...one,
          description: 'test',
          logIndex: 1,
          type: 'buy',
          lineDescription: 'test',
          purpose: 'test',
        })),
      ),
    ]),
};

const notToBe = /not one that there may be/;
for (const [what, wrong, why] of [
  ['an amount of zero', { amount: '0' }, notToBe],
  ['an amount that is no number', { amount: 'NaN' }, notToBe],
  ['an amount of infinity', { amount: 'Infinity' }, /not one that there may be|overflow/],
  ['a part of the smallest unit', { amount: '0.5' }, notToBe],
  ['less than nothing of what is held', { spent: '-1' }, notToBe],
  ['a part of the smallest unit that is held', { spent: '0.5' }, notToBe],
  ['no number of what is held', { spent: 'NaN' }, /not one that there may be|less held/],
  ['more than is held', { amount: '-200001', spent: '200001' }, /less held than is to be spent/],
  ['a balance below zero', { amount: '-1000001' }, /ledger_accounts_funds/],
  ['a balance below what is held', { amount: '-900000' }, /ledger_accounts_funds/],
  ['a kind that is none', { kind: 'gift' }, notToBe],
  ['a posting without a name', { operation: '' }, notToBe],
  ['a posting with too long a name', { operation: 'x'.repeat(256) }, notToBe],
  ['a line without a name', { lineOperation: '' }, notToBe],
  ['a line with an empty key', { key: '' }, notToBe],
  ['a hash that is none', { hash: `0x${'A'.repeat(64)}` }, notToBe],
  ['a line at no instant', { lineAt: 'infinity' }, notToBe],
] as [string, Partial<Single>, RegExp][]) {
  for (const [name, call] of Object.entries(singles)) {
    test(`${name} refuses ${what}`, async () => {
      const users = [await makeOwner('1'), await makeOwner('1')];
      for (const user of users) await hold(user, 200_000n);
      const right = () => ({ ...rightSingle, operation: randomUUID(), key: randomUUID() });
      await assert.rejects(
        call(harness.deps.db, users.toReversed(), [{ ...right(), ...wrong }, right()]),
        why,
      );
      for (const user of users) assert.deepEqual(await fundsOf(user), [1_000_000n, 200_000n]);
      assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
      await call(harness.deps.db, users, [right(), right()]);
    });
  }
}

for (const [what, wrong] of [
  ['that moves nothing', { received: null, receivedAmount: null }],
  ['of zero', { receivedAmount: '0' }],
  ['of less than zero', { receivedAmount: '-5' }],
  ['of no number', { receivedAmount: 'NaN' }],
  ['with an amount of nothing', { sentAmount: '5' }],
  ['with an account and no amount', { sent: 2 }],
  ['from an account to itself', { sent: 1, sentAmount: '5' }],
  ['without a name', { operation: '' }],
  ['with an empty key', { key: '' }],
  ['at no instant', { at: 'infinity' }],
] as [string, object][]) {
  test(`ledger_post refuses a line ${what}, and what comes with it`, async () => {
    const owner = await makeOwner('1');
    const right = {
      user: 1,
      posting: 1,
      type: 'buy',
      at: '2026-01-01T00:00:00Z',
      operation: 'a line',
      received: 1,
      receivedAmount: '5',
      description: 'test',
      purpose: 'test',
    };
    const postAll = (lines: object[]) =>
      sql(
        `select ledger_post(now(), $1::uuid[], '{polygon,polygon}', '{USDC,USDT}', $2::uuid[], '{1,2}', '{}', $3::json, $4::json)`,
        [
          [owner.userId],
          [owner.userId, owner.userId],
          JSON.stringify([{ kind: 'post', operation: randomUUID(), description: 'test' }]),
          JSON.stringify(lines),
        ],
      );
    await assert.rejects(postAll([right, { ...right, ...wrong }]), /moves nothing, or not what a line may/);
    assert.deepEqual(await fundsOf(owner), [1_000_000n, 0n]);
    await postAll([right]);
    assert.deepEqual(await fundsOf(owner), [1_000_005n, 0n]);
  });
}

test('neither does anything for somebody who has no such account, or no ledger', async () => {
  const [ana, nobody] = [await makeOwner('1'), await makeOwner()];
  const given = () => ({ ...rightSingle, operation: randomUUID(), key: randomUUID() });
  const { db } = harness.deps;
  assert.deepEqual(await singles.ledger_post_one!(db, [nobody], [given()]), [{ ledger_post_one: null }]);
  const each = await singles.ledger_post_each!(db, [ana, nobody], [given(), given()]);
  assert.deepEqual(each, [{ ledger_post_each: null }]);
  await assert.rejects(
    singles.ledger_post_each!(db, [ana], [given(), given()]),
    notToBe,
    'more postings than users',
  );
  assert.deepEqual(await fundsOf(ana), [1_000_000n, 0n]);
});

for (const [statement, why] of [
  ['update ledger_lines set received_amount = received_amount + 1', /ledger_lines is append-only/],
  ['delete from ledger_lines', /ledger_lines is append-only/],
  ['truncate ledger_lines', /ledger_lines is append-only/],
  ['update ledger_movements set amount = amount + 1', /ledger_movements is append-only/],
  ['delete from ledger_movements', /ledger_movements is append-only/],
  ['truncate ledger_movements', /ledger_movements is append-only/],
  [`update ledger_postings set description = 'other'`, /ledger_postings is append-only/],
  ['delete from ledger_postings', /ledger_postings is append-only/],
  ['truncate ledger_postings cascade', /is append-only/],
  ['delete from ledger_accounts', /append-only/],
  ['update ledger_accounts set held = balance + 1 where user_id is not null', /ledger_accounts_funds/],
  ['update ledger_accounts set held = -1 where user_id is not null', /ledger_accounts_funds/],
  [`update ledger_accounts set held = 'NaN' where user_id is not null`, /ledger_accounts_funds/],
  [`update ledger_accounts set balance = 'NaN' where user_id is not null`, /ledger_accounts_funds/],
  [
    `update ledger_accounts set balance = 'NaN', held = 'NaN' where user_id is not null`,
    /ledger_accounts_funds/,
  ],
  ['update ledger_accounts set balance = null where user_id is not null', /ledger_accounts_funds/],
  ['update ledger_accounts set balance = 1, held = 0 where house is not null', /ledger_accounts_funds/],
  ['update ledger_accounts set balance = 1 where house is not null', /ledger_accounts_funds/],
  ['update ledger_accounts set held = 1 where house is not null', /ledger_accounts_funds/],
  [`update ledger_accounts set house = 'custody' where user_id is not null`, /keeps its owner/],
  [`insert into ledger_accounts (network, currency) values ('base', 'USDC')`, /a user's or the house's/],
  [
    `insert into ledger_accounts (house, network, currency) values ('No', 'base', 'USDC')`,
    /a user's or the house's/,
  ],
  [`insert into ledger_accounts (house, network, currency, held) values ('fees', 'base', 'X', 0)`, /_funds/],
  [
    `insert into ledger_accounts (user_id, network, currency) select id, 'base', 'X' from users limit 1`,
    /ledger_accounts_funds/,
  ],
] as const) {
  test(`the database refuses: ${statement}`, async () => {
    await makeOwner('1');
    await assert.rejects(sql(statement), why);
  });
}

test('checkBooks names what was changed behind the back of the database', async () => {
  const [one, other] = [await makeOwner('1'), await makeOwner('2')];
  const [a, b] = [await accountOf(one), await accountOf(other)];
  const custody = await custodyOf(one);
  const undo = new Error('undo');
  const tampered = transaction(async (db) => {
    const empty = await makePosting(db);
    const [line] = await db.query(
      'select posting_id as "postingId" from ledger_lines where received_account_id = $1',
      [b.id],
    );
    await db.query('alter table ledger_lines disable trigger user');
    await db.query(
      'update ledger_lines set received_amount = received_amount + 1 where received_account_id = $1',
      [a.id],
    );
    await db.query('update ledger_lines set received_account_id = 999999999 where received_account_id = $1', [
      b.id,
    ]);
    await db.query('update ledger_accounts set balance = balance - 7 where id = $1', [b.id]);
    const { unbalancedPostings, wrongBalances } = await checkBooks(db);
    const [{ accountId: _house, ...house } = {}, ...ofUsers] = wrongBalances;
    // What the house has is stored: where lines are changed, it no longer is their opposite.
    assert.deepEqual(house, {
      ...one,
      userId: null,
      balance: String(custody),
      entries: String(custody - 1n + 2_000_000n),
    });
    assert.deepEqual(
      { unbalancedPostings, ofUsers },
      {
        unbalancedPostings: [
          { postingId: String(line!.postingId), network: null, currency: null, sum: '2000000' },
          { postingId: String(empty), network: null, currency: null, sum: null },
        ],
        ofUsers: [
          { accountId: String(a.id), ...one, balance: '1000000', entries: '1000001' },
          { accountId: String(b.id), ...other, balance: '1999993', entries: '0' },
        ],
      },
    );
    throw undo;
  });
  await assert.rejects(tampered, undo);
  assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
});

// The sandbox's data

test('seedLedger gives the demo users their funds, once', async () => {
  await seedUsers(harness.operatorContext());
  const read = async () => {
    const items = [];
    for (const { id } of [demoUsers.owner, demoUsers.friend, demoUsers.stranger]) {
      const { body } = await call('balances', { userId: id });
      items.push(body.data.items.map((item: Record<string, string>) => Object.values(item).join(' ')));
    }
    const [audit] = await sql('select count(*)::integer as count from audit_log');
    return { items, audit: audit!.count };
  };
  await inTransaction(harness.operatorContext(), seedLedger);
  const first = await read();
  assert.deepEqual(first.items, [
    [
      'base EURC 20000 0 20000',
      'base USDC 50000 0 50000',
      'base USDT 100000 0 100000',
      'ethereum USDC 50000 0 50000',
      'ethereum USDT 100000 0 100000',
      'polygon USDC 50000 0 50000',
      'polygon USDT 100000 0 100000',
    ],
    ['polygon USDC 1000 0 1000'],
    [],
  ]);
  await inTransaction(harness.operatorContext(), seedLedger);
  assert.deepEqual(await read(), first);
});
