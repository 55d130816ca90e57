import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { lineOf, makeFunds, makeKey, makeUser } from '#test/data/factories';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { useHarness } from '#test/harness';
import { accountFeatures } from './index.ts';
import { listLines } from './lines/list-lines.ts';
import { listBalances } from './list-balances.ts';
import { listUnsettled } from './unsettled/list-unsettled.ts';
import { type UnsettledStatus, unsettledMoves, unsettledStatuses } from './unsettled/states.ts';

const harness = useHarness();
const call = (command: string, input: object) => harness.operator(`ledger.${command}`, input);
const ctx = () => harness.operatorContext();
const makeUserId = async () => (await makeUser(harness)).id;
const makeHash = () => `0x${randomBytes(32).toString('hex')}`;
const unknownId = '0198a0de-ffff-7000-8000-000000000000';
const types = accountFeatures.account;
const page = { currentPage: 0, pageSize: 200 };
const unsettledOf = async (userId: string) => (await listUnsettled(ctx(), { userId, ...page })).records;
const linesOf = async (userId: string) => (await listLines(ctx(), { userId, types, ...page })).lines;
const at = (second: number) => new Date(Date.UTC(2026, 0, 10, 12, 0, second)).toISOString();

const receiving = { network: 'polygon', assetReceived: 'USDC', amountReceived: '5' };
const sending = { network: 'polygon', assetSent: 'USDC', amountSent: '5' };
const deposit = { transactionType: 'buy', status: 'pending', description: 'A deposit', legs: [receiving] };
const bridge = {
  transactionType: 'swap-bridge',
  status: 'started',
  description: 'A bridge',
  legs: [sending, { network: 'base', assetReceived: 'EURC', amountReceived: '4.5' }],
};

/** The id of a new record. */
async function record(userId: string, fields: object = {}): Promise<string> {
  const id = `op ${randomUUID()}`;
  const { status, body } = await call('record-unsettled', { userId, id, ...deposit, ...fields });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.records[0].id;
}

const auditOf = async (userId: string, action: string) =>
  (await harness.operator('audit.list', { subject: `user:${userId}`, action })).body.data.items;

test('200 account-unsettled: the ledger’s fields without a running balance, when it changed and why', async () => {
  const key = await makeKey(harness);
  const before = Date.now();
  await record(key.userId, {
    id: 'one',
    transactionDate: at(1),
    statusReason: 'The bank is slow',
    userDescription: 'Rent',
    transactionPurpose: 'rent',
  });
  const { body } = await harness.request('GET', '/api/history?resource=account&feature=account-unsettled', {
    token: key.token,
  });
  const { uniqueHashId, updatedAt, ...node } = body.nodes[0];
  assert.match(uniqueHashId, /^\S+$/);
  assert.ok(Date.parse(updatedAt) >= before && Date.parse(updatedAt) <= Date.now());
  assert.deepEqual(node, {
    id: 'one',
    transactionDate: at(1),
    transactionType: 'buy',
    description: 'A deposit',
    status: 'pending',
    statusReason: 'The bank is slow',
    network: 'polygon',
    asset: 'USDC',
    amount: '5',
    assetReceived: 'USDC',
    amountReceived: '5',
    runningBalance: null,
    executedAt: null,
    transactionPurpose: 'rent',
    userDescription: 'Rent',
  });
  assert.deepEqual(body.pageInfo, {
    hasNextPage: false,
    currentPage: 0,
    pageSize: 10,
    numberOfPages: 1,
    totalCount: 1,
    totalCountIsEstimate: false,
  });
});

test('account-unsettled: newest first, page by page, in a window, of one user', async () => {
  const [userId, stranger] = [await makeUserId(), await makeUserId()];
  await record(stranger);
  for (const [id, second] of [
    ['b', 2] as const,
    ['a', 1] as const,
    ['c', 2] as const,
    ['e', 9] as const,
    ['d', 2] as const,
  ]) {
    await record(userId, { id, transactionDate: at(second) });
  }
  const ids = async (fields: object = {}) => {
    const { total, records } = await listUnsettled(ctx(), { userId, ...page, ...fields });
    return [records.map(({ id }) => id).join(''), total];
  };
  assert.deepEqual(await ids(), ['edcba', 5]);
  assert.deepEqual(await ids({ pageSize: 2, currentPage: 1 }), ['cb', 5]);
  assert.deepEqual(await ids({ pageSize: 2, currentPage: 3 }), ['', 5]);
  assert.deepEqual(await ids({ startAt: new Date(at(2)), endAt: new Date(at(2)) }), ['dcb', 3]);
  assert.deepEqual(await ids({ endAt: new Date(at(1)) }), ['a', 1]);
  assert.deepEqual(await ids({ startAt: new Date(at(10)) }), ['', 0]);
});

// Recording

test('200 ledger.record-unsettled: the record, its legs in order, without a change of any balance', async () => {
  const userId = await makeUserId();
  await makeFunds(harness, userId, 'polygon', 'USDC', '1');
  const input = { userId: userId.toUpperCase(), id: 'bridge', ...bridge };
  const { status, body } = await call('record-unsettled', input);
  assert.equal(status, 200, body.error);
  assert.equal(body.data.replayed, false);
  const [out, back] = body.data.records;
  assert.deepEqual([out.id, back.id], ['bridge', 'bridge']);
  assert.notEqual(out.uniqueHashId, back.uniqueHashId);
  assert.deepEqual(
    [out.network, out.assetSent, out.amountSent, out.assetReceived, out.amountReceived],
    ['polygon', 'USDC', '5', null, null],
  );
  assert.deepEqual([back.network, back.assetReceived, back.amountReceived], ['base', 'EURC', '4.5']);
  assert.equal((await unsettledOf(userId)).length, 2);
  // More than they have: it is a plan.
  const { items } = await listBalances(ctx(), { userId });
  assert.deepEqual(
    items.map(({ balance, available }) => [balance, available]),
    [['1', '1']],
  );
  const audited = await auditOf(userId, 'ledger.record-unsettled');
  assert.deepEqual(audited[0].after, { id: 'bridge', type: 'swap-bridge', status: 'started', legs: 2 });
});

test('200 ledger.record-unsettled: without an id it gets a new one', async () => {
  const userId = await makeUserId();
  const [one, other] = [await record(userId, { id: undefined }), await record(userId, { id: undefined })];
  assert.notEqual(one, other);
});

test('200 ledger.record-unsettled: the same again is answered with the record as it is now', async () => {
  const userId = await makeUserId();
  const input = { userId, id: 'again', ...deposit, transactionDate: at(1) };
  const first = await call('record-unsettled', input);
  await call('update-unsettled', { userId, id: 'again', status: 'in-analysis', description: 'Looked at' });
  for (const same of [input, { ...input, transactionDate: undefined }, { ...input, description: 'Else' }]) {
    const { status, body } = await call('record-unsettled', same);
    assert.deepEqual([status, body.data.replayed], [200, true]);
    const { uniqueHashId, description } = body.data.records[0];
    assert.deepEqual([uniqueHashId, description], [first.body.data.records[0].uniqueHashId, 'Looked at']);
    assert.equal(body.data.records[0].status, 'in-analysis');
  }
  assert.equal((await unsettledOf(userId)).length, 1);
  assert.equal((await auditOf(userId, 'ledger.record-unsettled')).length, 1);
});

test('409 ledger.record-unsettled: the id of a record that moves something else', async () => {
  const userId = await makeUserId();
  const input = { userId, id: 'taken', ...deposit, transactionDate: at(1) };
  await call('record-unsettled', input);
  for (const other of [
    { legs: [{ ...receiving, amountReceived: '6' }] },
    { legs: [{ ...receiving, assetReceived: 'USDT' }] },
    { legs: [{ ...receiving, network: 'base' }] },
    { transactionDate: at(2) },
    { transactionType: 'transfer-token' },
    bridge,
  ]) {
    const { status, body } = await call('record-unsettled', { ...input, ...other });
    assert.deepEqual(
      [status, body.error],
      [409, 'Another unsettled record has this id: choose a new id, or update that record'],
    );
  }
  // Another user's ids are their own.
  assert.equal((await call('record-unsettled', { ...input, userId: await makeUserId() })).status, 200);
});

test('409 ledger.record-unsettled: an id that is in the ledger', async () => {
  const userId = await makeUserId();
  await call('post', { key: randomUUID(), lines: [lineOf(userId, { id: 'posted' })] });
  const settled = await record(userId);
  await call('settle', { userId, id: settled });
  for (const id of ['posted', settled]) {
    const { status, body } = await call('record-unsettled', { userId, id, ...deposit });
    assert.deepEqual([status, body.error], [409, 'This operation is in the ledger already']);
  }
  assert.equal((await unsettledOf(userId)).length, 0);
});

test('twenty calls at once under one id record it once', async () => {
  const userId = await makeUserId();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => call('record-unsettled', { userId, id: 'at once', ...deposit })),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(answers.filter(({ body }) => !body.data.replayed).length, 1);
  assert.equal((await unsettledOf(userId)).length, 1);
});

for (const [field, fields] of [
  ['legs', { legs: [] }],
  ['legs', { legs: [receiving, receiving, receiving] }],
  ['legs.0.assetSent', { legs: [sending] }],
  ['legs.0.amountReceived', { legs: [{ ...receiving, amountReceived: '0' }] }],
  ['legs.0.assetReceived', { legs: [{ ...receiving, assetReceived: 'EURC' }] }],
  ['legs.1.network', { ...bridge, legs: [sending, { ...receiving, network: 'solana' }] }],
  ['status', { status: 'completed' }],
  ['status', { status: undefined }],
  ['transactionType', { transactionType: 'deposit' }],
  ['description', { description: '' }],
  ['id', { id: 'x'.repeat(201) }],
  ['transactionDate', { transactionDate: 'now' }],
  ['uniqueHashId', { uniqueHashId: 'mine' }],
] as [string, object][]) {
  test(`400 ledger.record-unsettled: ${field}, ${JSON.stringify(fields).slice(0, 60)}`, async () => {
    const userId = await makeUserId();
    const { status, body } = await call('record-unsettled', { userId, ...deposit, ...fields });
    assert.equal(status, 400, JSON.stringify(body));
    assert.equal(body.details[0].field, field);
    assert.equal((await unsettledOf(userId)).length, 0);
  });
}

// Moving

for (const from of unsettledStatuses) {
  const legal: readonly UnsettledStatus[] = unsettledMoves[from];
  const illegal = unsettledStatuses.filter((to) => to !== from && !legal.includes(to));

  test(`200 ledger.update-unsettled: ${from} may become ${legal.join(', ') || 'nothing else'}`, async () => {
    const userId = await makeUserId();
    for (const to of [from, ...legal]) {
      const id = await record(userId, { status: from });
      const { status, body } = await call('update-unsettled', { userId, id, status: to, statusReason: 'So' });
      assert.equal(status, 200, `${from} to ${to}: ${body.error}`);
      const [row] = body.data.records;
      assert.deepEqual([row.status, row.statusReason], [to, 'So']);
    }
  });

  test(`409 ledger.update-unsettled: ${from} does not become ${illegal.join(', ')}`, async () => {
    const userId = await makeUserId();
    const id = await record(userId, { status: from });
    for (const to of illegal) {
      const { status, body } = await call('update-unsettled', { userId, id, status: to });
      assert.equal(status, 409);
      const begins = `A record that is ${from} does not become ${to}: `;
      const ends = legal.length > 0 ? `it may become ${legal.join(', ')}` : 'it is final';
      assert.equal(body.error, begins + ends);
    }
    assert.equal((await unsettledOf(userId))[0]!.status, from);
  });

  const isFinal = legal.length === 0;
  test(`${isFinal ? 409 : 200} ledger.settle: ${from} ${isFinal ? 'never settles' : 'may settle'}`, async () => {
    const userId = await makeUserId();
    const id = await record(userId, { status: from });
    const { status, body } = await call('settle', { userId, id });
    if (isFinal) {
      assert.deepEqual([status, body.error], [409, `A record that is ${from} never settles`]);
    } else {
      assert.equal(status, 200, body.error);
    }
    const [unsettled, lines] = [await unsettledOf(userId), await linesOf(userId)];
    assert.deepEqual([unsettled.length, lines.length], isFinal ? [1, 0] : [0, 1]);
  });
}

test('200 ledger.update-unsettled: the words about it change, on every leg, and what it moves does not', async () => {
  const userId = await makeUserId();
  const id = await record(userId, { ...bridge, transactionDate: at(3), userDescription: 'Mine' });
  const [before] = await unsettledOf(userId);
  harness.advance(1_000);
  const change = { description: 'Another', userDescription: null, statusReason: 'Because' };
  const { body } = await call('update-unsettled', { userId: userId.toUpperCase(), id, ...change });
  assert.equal(body.data.records.length, 2);
  const [after, second] = await unsettledOf(userId);
  const { updatedAt, ...rest } = after!;
  const { updatedAt: updatedBefore, ...restBefore } = before!;
  assert.deepEqual(rest, { ...restBefore, ...change });
  assert.ok(updatedAt > updatedBefore);
  assert.equal(second!.description, 'Another');
  // What is not mentioned stays; null takes it away.
  await call('update-unsettled', { userId, id, statusReason: null });
  const [last] = await unsettledOf(userId);
  assert.deepEqual([last!.statusReason, last!.description], [null, 'Another']);
  const [, first] = await auditOf(userId, 'ledger.update-unsettled');
  assert.deepEqual(
    [first.before, first.after],
    [
      { id, status: 'started', statusReason: null },
      { id, status: 'started', statusReason: 'Because' },
    ],
  );
});

for (const [command, input] of [
  ['update-unsettled', { status: 'started' }],
  ['settle', {}],
] as const) {
  test(`404 ledger.${command}: no such record, another user’s, or one that was posted`, async () => {
    const [userId, other] = [await makeUserId(), await makeUserId()];
    const id = await record(other);
    await call('post', { key: randomUUID(), lines: [lineOf(userId, { id: 'posted' })] });
    for (const unknown of [id, 'posted', 'nothing']) {
      const { status, body } = await call(command, { userId, id: unknown, ...input });
      assert.deepEqual([status, body.error], [404, 'Unsettled record not found']);
    }
    assert.equal((await call(command, { userId: unknownId, id, ...input })).status, 404);
    assert.equal((await unsettledOf(other)).length, 1);
  });
}

test('404 ledger.update-unsettled: a record that has settled', async () => {
  const userId = await makeUserId();
  const id = await record(userId);
  await call('settle', { userId, id });
  assert.equal((await call('update-unsettled', { userId, id, status: 'canceled' })).status, 404);
});

// Settling

test('200 ledger.settle: the line keeps the id and the words of the user, and moves the balance', async () => {
  const userId = await makeUserId();
  const id = await record(userId, {
    userDescription: 'Salary of May',
    transactionPurpose: 'salary',
    transactionDate: at(1),
  });
  const transactionHash = makeHash();
  const { status, body } = await call('settle', {
    userId: userId.toUpperCase(),
    id,
    transactionDate: at(7),
    executedAt: at(6),
    onChain: [{ transactionHash: `0x${transactionHash.slice(2).toUpperCase()}`, logIndex: 4 }],
  });
  assert.equal(status, 200, body.error);
  const { postingId } = body.data;
  assert.deepEqual(body.data, { postingId, id, replayed: false });
  assert.deepEqual(await unsettledOf(userId), []);
  const [line, ...others] = await linesOf(userId);
  assert.deepEqual(others, []);
  assert.deepEqual(
    { ...line },
    {
      id,
      uniqueHashId: `${transactionHash}:4`,
      transactionDate: at(7),
      executedAt: at(6),
      transactionType: 'buy',
      description: 'A deposit',
      status: 'completed',
      network: 'polygon',
      asset: 'USDC',
      amount: '5',
      assetSent: null,
      amountSent: null,
      assetReceived: 'USDC',
      amountReceived: '5',
      runningBalance: '5',
      transactionPurpose: 'salary',
      userDescription: 'Salary of May',
    },
  );
  const [audited] = await auditOf(userId, 'ledger.settle');
  assert.deepEqual(audited.before, { id, status: 'pending' });
  assert.deepEqual(audited.after, { id, postingId, lines: 1 });
});

test('200 ledger.settle: of two legs each becomes a line, in their order, with its own place on chain', async () => {
  const userId = await makeUserId();
  await makeFunds(harness, userId, 'polygon', 'USDC', '6');
  const id = await record(userId, bridge);
  const onChain = [
    { transactionHash: makeHash(), logIndex: 0 },
    { transactionHash: makeHash(), logIndex: 1 },
  ];
  assert.equal((await call('settle', { userId, id, onChain })).status, 200);
  const [second, first] = await linesOf(userId);
  assert.deepEqual(
    [first, second].map((line) => [line!.id, line!.uniqueHashId, line!.asset, line!.runningBalance]),
    [
      [id, `${onChain[0]!.transactionHash}:0`, 'USDC', '1'],
      [id, `${onChain[1]!.transactionHash}:1`, 'EURC', '4.5'],
    ],
  );
  assert.deepEqual(await unsettledOf(userId), []);
  assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
});

test('200 ledger.settle: again changes nothing, ten times at once', async () => {
  const userId = await makeUserId();
  const id = await record(userId);
  const answers = await Promise.all(Array.from({ length: 10 }, () => call('settle', { userId, id })));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(answers.filter(({ body }) => !body.data.replayed).length, 1);
  assert.equal(new Set(answers.map(({ body }) => body.data.postingId)).size, 1);
  assert.equal((await linesOf(userId)).length, 1);
  assert.equal((await auditOf(userId, 'ledger.settle')).length, 1);
});

test('200 ledger.settle: two users may have records under one id', async () => {
  const [one, other] = [await makeUserId(), await makeUserId()];
  for (const userId of [one, other]) await record(userId, { id: 'same' });
  const first = await call('settle', { userId: one, id: 'same' });
  assert.equal((await unsettledOf(other)).length, 1);
  const second = await call('settle', { userId: other, id: 'same' });
  assert.deepEqual([first.body.data.replayed, second.body.data.replayed], [false, false]);
});

test('409 ledger.settle: the account has too little: the record stays where it is, and settles later', async () => {
  const userId = await makeUserId();
  await makeFunds(harness, userId, 'polygon', 'USDC', '4.999999');
  const id = await record(userId, bridge);
  const { status, body } = await call('settle', { userId, id });
  assert.deepEqual(
    [status, body.error],
    [409, 'A line takes more than the available balance of its account'],
  );
  assert.deepEqual([(await unsettledOf(userId)).length, (await linesOf(userId)).length], [2, 1]);
  await makeFunds(harness, userId, 'polygon', 'USDC', '0.000001');
  assert.equal((await call('settle', { userId, id })).status, 200);
});

test('409 ledger.settle: a place on chain that another line has', async () => {
  const userId = await makeUserId();
  const onChain = [{ transactionHash: makeHash(), logIndex: 0 }];
  const [one, other] = [await record(userId), await record(userId)];
  await call('settle', { userId, id: one, onChain });
  const { status, body } = await call('settle', { userId, id: other, onChain });
  assert.equal(status, 409);
  assert.match(body.error, /^A line with this transactionHash and logIndex is in the ledger already/);
  assert.equal((await unsettledOf(userId))[0]!.id, other);
});

test('a record leaves the unsettled set by being settled and by nothing else', async () => {
  const userId = await makeUserId();
  const id = await record(userId, { status: 'rejected' });
  const sql = (text: string) => harness.deps.db.query(text, [id]);
  await assert.rejects(
    sql('delete from ledger_unsettled where operation_id = $1'),
    /leaves by being settled/,
  );
  await assert.rejects(
    sql(`update ledger_unsettled set status = 'pending' where operation_id = $1`),
    /a rejected record is final/,
  );
  await assert.rejects(
    sql('update ledger_unsettled set transaction_at = now() where operation_id = $1'),
    /keeps its place and its identity/,
  );
  assert.equal((await unsettledOf(userId)).length, 1);
});
