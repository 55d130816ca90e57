import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction } from '#context';
import { makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { recordPositions } from './record-positions.ts';

const harness = useHarness();
const record = (input: object) => harness.operator('positions.record', input);
const show = async (userId: string) => (await harness.operator('positions.show', { userId })).body.data;
const countAuditRows = async (userId: string) =>
  (await harness.operator('audit.list', { subject: `positions:${userId}` })).body.data.items.length;

const staked = { kind: 'staked' as const, token: 'ETH', network: 'ethereum', amount: '1.250' };
const tokenized = {
  kind: 'tokenized',
  token: 'BRK.B',
  network: 'solana',
  amount: '2',
  costUsd: '900',
  priceUsd: '481.050',
};
const shownStaked = { ...staked, amount: '1.25', costUsd: null, priceUsd: null };
const shownTokenized = { ...tokenized, costUsd: '900.00', priceUsd: '481.05' };

test('200 positions.record: the whole snapshot, and another one in its place', async () => {
  const { id: userId } = await makeUser(harness);
  assert.deepEqual(await show(userId), { userId, asOf: null, recordedAt: null, positions: [] });

  const { status, body } = await record({
    userId: userId.toUpperCase(),
    asOf: '2026-01-31T12:00:00+01:00',
    positions: [tokenized, staked],
  });
  assert.equal(status, 200, body.error);
  const { recordedAt, ...first } = body.data;
  assert.ok(Math.abs(Date.parse(recordedAt) - harness.deps.clock().getTime()) < 60_000);
  const asOf = '2026-01-31T11:00:00.000Z';
  assert.deepEqual(first, { userId, asOf, positions: [shownStaked, shownTokenized], replayed: false });
  assert.deepEqual(await show(userId), {
    userId,
    asOf,
    recordedAt,
    positions: [shownStaked, shownTokenized],
  });

  const later = await record({ userId, asOf: '2026-01-31T11:00:00.001Z', positions: [staked] });
  assert.deepEqual(later.body.data.positions, [shownStaked]);
  assert.deepEqual((await show(userId)).positions, [shownStaked]);

  const none = await record({ userId, positions: [] });
  assert.equal(none.status, 200);
  const shown = await show(userId);
  assert.deepEqual(shown.positions, []);
  assert.equal(shown.asOf, shown.recordedAt, 'now, where nothing is said');
  assert.equal(await countAuditRows(userId), 3);
});

test('200 positions.record: the same again is harmless, in other words and order too; one of the same instant corrects', async () => {
  const { id: userId } = await makeUser(harness);
  const asOf = '2026-01-31T11:00:00Z';
  const { recordedAt } = (await record({ userId, asOf, positions: [staked, tokenized] })).body.data;
  harness.advance(1_000);
  const again = await record({
    userId,
    asOf: '2026-01-31T12:00:00.000+01:00',
    positions: [
      { ...tokenized, amount: '2.0', costUsd: '900.00' },
      { ...staked, amount: '1.25' },
    ],
  });
  assert.deepEqual(
    [again.status, again.body.data.replayed, again.body.data.recordedAt],
    [200, true, recordedAt],
  );
  assert.equal(await countAuditRows(userId), 1);
  const corrected = await record({ userId, asOf, positions: [{ ...staked, amount: '1.26' }] });
  assert.deepEqual([corrected.status, corrected.body.data.replayed], [200, false]);
  assert.equal((await show(userId)).positions[0].amount, '1.26');
  assert.equal(await countAuditRows(userId), 2);
});

test('409 positions.record: older than what is recorded, in words that say from when that is; nothing changes', async () => {
  const { id: userId } = await makeUser(harness);
  await record({ userId, asOf: '2026-01-31T11:00:00Z', positions: [staked] });
  const before = await show(userId);
  const { status, body } = await record({ userId, asOf: '2026-01-31T10:59:59.999Z', positions: [] });
  assert.deepEqual(
    [status, body.code, body.error],
    [
      409,
      'positions_outdated',
      'Positions as of 2026-01-31T10:59:59.999Z are older than those already recorded, as of 2026-01-31T11:00:00.000Z',
    ],
  );
  assert.deepEqual(await show(userId), before);
});

test('the audit row has what was there and what is there', async () => {
  const { id: userId } = await makeUser(harness);
  await record({ userId, asOf: '2026-01-31T11:00:00Z', positions: [tokenized] });
  await record({ userId, asOf: '2026-02-01T11:00:00Z', positions: [] });
  const { items } = (await harness.operator('audit.list', { subject: `positions:${userId}` })).body.data;
  const first = { asOf: '2026-01-31T11:00:00.000Z', positions: [shownTokenized] };
  const second = { asOf: '2026-02-01T11:00:00.000Z', positions: [] };
  assert.deepEqual(
    items.map(({ before, after }: { before: unknown; after: unknown }) => ({ before, after })),
    [
      { before: first, after: second },
      { before: null, after: first },
    ],
  );
});

for (const [what, fields, message] of [
  ['a negative amount', { amount: '-1' }, /^positions\.0\.amount must be a decimal above 0/],
  ['an amount of nothing', { amount: '0.000' }, /^positions\.0\.amount must be a decimal above 0/],
  ['a float’s spelling', { amount: '1e3' }, /^positions\.0\.amount must be a decimal above 0/],
  ['a JSON number', { amount: 1 }, /^positions\.0\.amount must be string/],
  ['19 decimals', { amount: `0.${'0'.repeat(18)}1` }, /^positions\.0\.amount must be/],
  ['19 digits', { amount: '1'.repeat(19) }, /^positions\.0\.amount must be/],
  [
    'a cost in parts of cents',
    { costUsd: '1.001' },
    /^positions\.0\.costUsd must be a decimal in US dollars/,
  ],
  ['a negative cost', { costUsd: '-1' }, /^positions\.0\.costUsd must be/],
  ['a cost of 19 digits', { costUsd: '1'.repeat(19) }, /^positions\.0\.costUsd must be/],
  ['a cost of what is staked', { kind: 'staked' }, /^positions\.0\.costUsd is for tokenized positions only/],
  ['a price of nothing', { priceUsd: '0' }, /^positions\.0\.priceUsd must be a decimal above 0/],
  ['a price of words', { priceUsd: 'one' }, /^positions\.0\.priceUsd must be/],
  ['another kind', { kind: 'holding' }, /^positions\.0\.kind must be/],
  ['a token in lower case', { token: 'eth' }, /^positions\.0\.token must be the symbol/],
  ['a token with a line end', { token: 'ETH\n' }, /^positions\.0\.token must be the symbol/],
  ['a network in upper case', { network: 'Ethereum' }, /^positions\.0\.network must be the name/],
  ['two words for a network', { network: 'main net' }, /^positions\.0\.network must be the name/],
  ['a field that is not known', { price: '1' }, /^Unknown field: positions\.0\.price$/],
] as const) {
  test(`400 positions.record: ${what}`, async () => {
    const { id: userId } = await makeUser(harness);
    const { status, body } = await record({ userId, positions: [{ ...tokenized, ...fields }] });
    assert.equal(status, 400);
    assert.match(body.error, message);
    assert.equal((await show(userId)).asOf, null);
  });
}

test('400 positions.record: the same asset twice, named; the same token elsewhere or otherwise is another', async () => {
  const { id: userId } = await makeUser(harness);
  const elsewhere = { ...staked, network: 'base' };
  const otherwise = { ...staked, kind: 'tokenized' };
  const { status, body } = await record({
    userId,
    positions: [staked, elsewhere, { ...staked, amount: '3' }],
  });
  assert.deepEqual(
    [status, body.error],
    [400, 'positions.2 repeats staked ETH on ethereum: add the amounts up'],
  );
  assert.equal((await record({ userId, positions: [staked, elsewhere, otherwise] })).status, 200);
});

test('400 positions.record: an asOf in the future, before 1970, or invalid', async () => {
  const { id: userId } = await makeUser(harness);
  const ahead = new Date(harness.deps.clock().getTime() + 60_000).toISOString();
  for (const [asOf, message] of [
    [ahead, 'asOf must not be in the future'],
    ['1969-12-31T23:59:59Z', 'asOf must not be before 1970'],
    ['0000-01-01T00:00:00Z', 'asOf must not be before 1970'],
    ['2025-12-31T23:59:60Z', 'asOf must be an instant, such as 2026-01-31T12:00:00Z'],
    ['2025-12', 'asOf must be an instant, such as 2026-01-31T12:00:00Z'],
  ] as const) {
    const { status, body } = await record({ userId, asOf, positions: [] });
    assert.deepEqual([status, body.error], [400, message]);
  }
});

test('200 positions.record: two hundred of the longest positions; 400 for one more', async () => {
  const { id: userId } = await makeUser(harness);
  const positions = Array.from({ length: 201 }, (_, n) => ({
    kind: 'tokenized',
    token: `T${'X'.repeat(15)}${1000 + n}`,
    network: 'n'.repeat(40),
    amount: `${'9'.repeat(18)}.${'9'.repeat(18)}`,
    costUsd: `${'9'.repeat(18)}.99`,
    priceUsd: `${'9'.repeat(18)}.${'9'.repeat(18)}`,
  }));
  assert.equal((await record({ userId, positions })).status, 400);
  const { status, body } = await record({ userId, positions: positions.slice(1) });
  assert.equal(status, 200, body.error);
  assert.deepEqual((await show(userId)).positions, positions.slice(1));
});

test('404 User not found: positions of nobody', async () => {
  const userId = randomUUID();
  for (const answer of [
    await record({ userId, positions: [] }),
    await harness.operator('positions.show', { userId }),
  ]) {
    assert.deepEqual([answer.status, answer.body.code], [404, 'user_not_found']);
  }
});

test('forty snapshots at once, in any order: the latest is left, whole, and the audit log tells how it came there', async () => {
  const { id: userId } = await makeUser(harness);
  const at = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();
  const snapshotOf = (n: number) => [
    { ...staked, amount: `${n}` },
    { ...staked, network: `n${n}`, amount: '1' },
  ];
  const numbers = Array.from({ length: 40 }, (_, n) => ((n * 17) % 40) + 1);
  const answers = await Promise.all(
    numbers.map((n) => record({ userId, asOf: at(n), positions: snapshotOf(n) })),
  );
  for (const { status, body } of answers) assert.ok(status === 200 || status === 409, body.error);
  assert.equal(answers[numbers.indexOf(40)]!.status, 200);
  const { asOf, positions } = await show(userId);
  assert.equal(asOf, at(40));
  assert.deepEqual(positions.map(({ amount }: { amount: string }) => amount).sort(), ['1', '40']);
  const { items } = (await harness.operator('audit.list', { subject: `positions:${userId}`, limit: 50 })).body
    .data;
  assert.equal(items.length, answers.filter(({ status }) => status === 200).length);
  items.forEach(({ before }: { before: unknown }, n: number) => {
    assert.deepEqual(before, items[n + 1]?.after ?? null, 'each change begins where the one before ended');
  });
});

test('those that wait for one that is being recorded go on one after another: the latest is left', async () => {
  const at = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();
  for (let round = 0; round < 5; round++) {
    const { id: userId } = await makeUser(harness);
    await record({ userId, asOf: at(1), positions: [] });
    const ctx = harness.operatorContext();
    let waiting: Promise<PromiseSettledResult<unknown>[]> | undefined;
    await inTransaction(ctx, async (held) => {
      await recordPositions(held, { userId, asOf: at(3), positions: [] });
      waiting = Promise.allSettled(
        [9, 2, 8, 7, 6, 5, 4].map((n) => recordPositions(ctx, { userId, asOf: at(n), positions: [staked] })),
      );
      await sleep(100);
    });
    const [latest, older] = (await waiting)!;
    assert.deepEqual([latest!.status, older!.status], ['fulfilled', 'rejected']);
    assert.equal((await show(userId)).asOf, at(9));
  }
});

test('two first snapshots of one instant at once: one is left, whole', async () => {
  for (let round = 0; round < 10; round++) {
    const { id: userId } = await makeUser(harness);
    const asOf = '2026-01-31T11:00:00Z';
    const answers = await Promise.all(
      [[staked], [tokenized]].map((positions) => record({ userId, asOf, positions })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.equal((await show(userId)).positions.length, 1);
    assert.equal(await countAuditRows(userId), 2);
  }
});
