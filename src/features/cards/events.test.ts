import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { IssuerCard, IssuerMovement } from '#adapters/issuer';
import { issuerOf, type Step, useCardStories } from '#test/data/card-stories';
import { makeCardOwner, toCard } from '#test/models/card-model';
import { sized } from '#test/sizes';
import { applyEvents } from './apply-events.ts';
import { catchUp } from './catch-up.ts';

// What the issuer tells, in any order, any number of times, or only when it is asked: the outcome is one.

const { harness, workerContext, undoing, readEverything, readToEnd, tellStory, sumUp, readSummary } =
  useCardStories();

const choice = fc.nat({ max: 9 });
const cents = fc.integer({ min: 1, max: 500_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('account' as const), user: choice }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('card' as const), account: choice, limit: cents }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      card: choice,
      status: choice,
      nickname: choice,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('purchase' as const),
      card: choice,
      amount: cents,
      isDeclined: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('settle' as const), transaction: choice, amount: cents }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      account: choice,
      amount: cents,
      isCredit: fc.boolean(),
    }),
  },
);

/** Webhooks bring some events, some of them twice, in any order, between turns of the catch-up. */
const story = fc
  .array(step, { minLength: 1, maxLength: 60 })
  .map((steps) => [
    { kind: 'account', user: 0 } as Step,
    { kind: 'card', account: 0, limit: 5_000 } as Step,
    ...steps,
  ])
  .chain((steps) =>
    fc.record({
      steps: fc.constant(steps),
      told: fc.array(fc.nat({ max: steps.length - 1 }), { maxLength: 2 * steps.length }),
      limits: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
      together: fc.integer({ min: 1, max: 5 }),
    }),
  );

test('webhooks twice, out of order or missing: after the catch-up the database is the same', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ steps, told, limits, together }) => {
      const events = tellStory(steps);
      const inOrder = await undoing(async (db) => {
        await readToEnd(db, events);
        assert.deepEqual(await readSummary(db), sumUp(events));
        return readEverything(db);
      });
      const anyhow = await undoing(async (db) => {
        const ctx = workerContext(db, issuerOf(events));
        const hooks = told.map((place) => events[place]).filter((event) => event !== undefined);
        for (let place = 0; place < hooks.length; place += together) {
          await applyEvents(ctx, hooks.slice(place, place + together));
          const limit = limits[place];
          if (limit !== undefined) await catchUp(ctx, { limit });
        }
        await readToEnd(db, events, limits[0]);
        // And once more, all of them, backwards.
        for (const event of events.toReversed()) await applyEvents(ctx, [event]);
        return readEverything(db);
      });
      assert.deepEqual(anyhow, inOrder);
    }),
    { numRuns: sized(20, 60) },
  );
});

test('an account is a card’s for life: what says otherwise is left out', async () => {
  const events = tellStory([
    { kind: 'account', user: 0 },
    { kind: 'account', user: 1 },
    { kind: 'card', account: 0, limit: 5_000 },
  ]);
  await undoing(async (db) => {
    await readToEnd(db, events);
    const card = events[2]!.data as IssuerCard;
    const stolen = { ...card, version: 9, cardIssuerUserId: 'ciu_1' };
    assert.equal(await applyEvents({ db }, [{ type: 'card.changed', data: stolen }]), 1);
    const rows = await db.query('select card_issuer_user_id as account, version from cards');
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ account: 'ciu_0', version: 1 }],
    );
    const versions = await db.query('select version from card_versions');
    assert.equal(versions.length, 1);
  });
});

test('a movement that contradicts what is known is left out, and so is its balance', async () => {
  const events = tellStory([
    { kind: 'account', user: 0 },
    { kind: 'account', user: 1 },
    { kind: 'move', account: 0, amount: 700, isCredit: true },
    { kind: 'move', account: 1, amount: 300, isCredit: true },
  ]);
  await undoing(async (db) => {
    await readToEnd(db, events);
    const [mine, other] = events.slice(2).map(({ data }) => data as IssuerMovement);
    const next = { sequence: 2, amount: '1.00', previousBalance: '7.00', runningBalance: '8.00' };
    for (const lie of [
      { ...mine!, ...next, id: other!.id },
      { ...mine!, ...next, id: mine!.id },
      { ...mine!, amount: '9.00', runningBalance: '9.00', id: 'mov_another' },
    ]) {
      await applyEvents({ db }, [{ type: 'movement.posted', data: lie }]);
      assert.deepEqual((await readSummary(db)).balances, { ciu_0: '7.00', ciu_1: '3.00' });
    }
    const honest = { ...mine!, ...next, id: 'mov_next' };
    await applyEvents({ db }, [{ type: 'movement.posted', data: honest }]);
    assert.deepEqual((await readSummary(db)).balances, { ciu_0: '8.00', ciu_1: '3.00' });
  });
});

/** The same as if there were no chance: a generator of numbers that a test can repeat. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed;
  const places = items.map((item) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return { item, place: state };
  });
  return places.sort((one, other) => one.place - other.place).map(({ item }) => item);
}

// What those below write stays.
test('cards that ten tell at once for the first time are stored once, and nobody fails', async () => {
  const { db } = harness.deps;
  const { cardIssuerUserId } = await makeCardOwner(harness);
  for (let round = 0; round < 150; round++) {
    const facts = Array.from({ length: 3 }, () => ({
      type: 'card.changed' as const,
      data: toCard(cardIssuerUserId),
    }));
    await Promise.all(Array.from({ length: 10 }, () => applyEvents({ db }, facts)));
  }
  const [count] = await db.query(
    `select count(*)::integer as versions, count(distinct card_id)::integer as cards from card_versions v
     where exists (select from cards c where c.id = v.card_id and c.card_issuer_user_id = $1)`,
    [cardIssuerUserId],
  );
  assert.deepEqual({ ...count }, { versions: 451, cards: 451 });
});

test('eight that tell everything at once, each in its own order, and three that read: nobody waits for ever', async () => {
  const { db } = harness.deps;
  const steps = Array.from({ length: 60 }, (_, at): Step[] => [
    { kind: 'account', user: at % 4 },
    { kind: 'card', account: at, limit: 9_000 },
    { kind: 'move', account: at % 7, amount: 5_000 + at, isCredit: true },
    { kind: 'purchase', card: at % 5, amount: 10 + at, isDeclined: false },
    { kind: 'change', card: at % 3, status: at, nickname: at },
    { kind: 'settle', transaction: at, amount: 5 + at },
  ]).flat();
  const events = tellStory(steps);
  const expected = await undoing(async (db) => {
    await readToEnd(db, events);
    return readEverything(db);
  });
  const ctx = workerContext(db, issuerOf(events));
  const tellers = Array.from({ length: 8 }, async (_, seed) => {
    for (const event of shuffled(events, seed + 1)) await applyEvents(ctx, [event]);
  });
  const readers = Array.from({ length: 3 }, async () => {
    while ((await catchUp(ctx, { limit: 20 })).isBehind);
  });
  await Promise.all([...tellers, ...readers]);
  await readToEnd(db, events);
  assert.deepEqual(await readEverything(db), expected);
});
