import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTransaction } from '#context';
import { makeFunds } from '#test/data/factories';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { useLedger } from '#test/models/ledger-books';
import { holdFunds, lockAccounts, type PaidWithdrawal, postWithdrawals, releaseFunds } from './index.ts';

const {
  harness,
  sql,
  transaction,
  post,
  unknownId,
  polygonUsdc,
  makeOwner,
  accountOf,
  fundsOf,
  custodyOf,
  hold,
  paidBy,
  baseEurc,
  isPostedTwice,
} = useLedger();

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

test('lockAccounts returns what is available after the holder of the lock has committed', async () => {
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

test('many that lock the same accounts in every order never deadlock', async () => {
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
  await assert.rejects(post(held, paidBy(owner, 0n)), /invalid line/);
  await assert.rejects(post(held, paidBy(owner, -5n)), /invalid line/);
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
