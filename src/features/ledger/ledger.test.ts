import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { makeFunds } from '#test/data/factories';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { useLedger } from '#test/models/ledger-books';
import { fundAccount } from './index.ts';
import { listBalances } from './list-balances.ts';

const { harness, call, unknownId, baseEurc, makeOwner, fundsOf, custodyOf, hold, polygonUsdc } = useLedger();

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
