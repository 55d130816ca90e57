import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import fc from 'fast-check';
import type {
  FeedEvent,
  Issuer,
  IssuerCard,
  IssuerEvent,
  IssuerMovement,
  IssuerTransaction,
  IssuerUser,
} from '#adapters/issuer';
import { noIssuer } from '#adapters/issuer';
import { type Ctx, contextFor } from '#context';
import type { Db } from '#platform/db/db';
import { makeCardOwner, toCard } from '#test/card-model';
import { makeUser } from '#test/factories';
import { useHarness } from '#test/harness';
import { sized } from '#test/sizes';
import { applyEvents, type IssuerFact } from './apply-events.ts';
import { catchUp } from './catch-up.ts';
import { cardGauges } from './gauges.ts';
import { listCardTransactions } from './lists/list-card-transactions.ts';
import { listCards } from './lists/list-cards.ts';
import { listMovements } from './lists/list-movements.ts';
import { skipEvent } from './skip-event.ts';

// What the issuer tells, in any order, any number of times, or only when it is asked: the outcome is one.

const harness = useHarness();
const userIds: string[] = [];
beforeEach(async () => {
  while (userIds.length < 2) userIds.push((await makeUser(harness)).id);
});

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const dollars = (cents: number) => `${cents < 0 ? '-' : ''}${(Math.abs(cents) / 100).toFixed(2)}`;

/** An issuer that has a list of events and nothing else. */
const issuerOf = (events: readonly FeedEvent[]): Issuer => ({
  ...noIssuer,
  readEvents: async ({ after, limit }) => events.filter(({ sequence }) => sequence > after).slice(0, limit),
});

const workerContext = (db: Db, issuer: Issuer): Ctx => ({
  ...contextFor(
    { ...harness.deps, issuer },
    { kind: 'worker', job: 'cards.catch-up' } as const,
    harness.deps.log,
  ),
  db,
  now: new Date(),
});

class Undo extends Error {}

/** Runs in a transaction that is undone, so that each run begins with the same database. */
async function undoing<T>(work: (db: Db) => Promise<T>): Promise<T> {
  let result: T;
  await harness.deps.db
    .transaction(async (db) => {
      result = await work(db);
      throw new Undo();
    })
    .catch((error) => {
      if (!(error instanceof Undo)) throw error;
    });
  return result!;
}

/** What the database numbers in the order of arrival, and when something was read. */
const passing = ['read_at', 'missing_since', 'number', 'list_id'];

/**
 * Every row of every table, and what lists show; how rows are counted inside is not the same for every order.
 */
async function readEverything(db: Db): Promise<Record<string, unknown>> {
  const tables = await db.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
       and relname <> 'card_nodes' order by relname`,
  );
  const content: Record<string, unknown> = {};
  for (const { name } of tables) {
    const dropped = name === 'card_lists' ? [...passing, 'id'] : passing;
    const rows = await db.query<{ row: string }>(
      `select (to_jsonb(t) - $1::text[])::text as row from ${name} t order by 1`,
      [dropped],
    );
    content[name] = rows.map(({ row }) => row);
  }
  const ctx = workerContext(db, noIssuer);
  for (const userId of userIds) {
    const page = { userId, currentPage: 0, pageSize: 200 };
    content[`lists of ${userId}`] = [
      await listCards(ctx, { ...page, status: 'all' }),
      await listCardTransactions(ctx, page),
      await listMovements(ctx, page),
    ];
  }
  return content;
}

async function readToEnd(db: Db, events: readonly IssuerEvent[], limit = 200): Promise<void> {
  const ctx = workerContext(db, issuerOf(events));
  while ((await catchUp(ctx, { limit })).isBehind);
}

// ## Histories

/** A step of somebody's story; numbers choose among what there is by then. */
type Step =
  | { kind: 'account'; user: number }
  | { kind: 'card'; account: number; limit: number }
  | { kind: 'change'; card: number; status: number; nickname: number }
  | { kind: 'purchase'; card: number; amount: number; isDeclined: boolean }
  | { kind: 'settle'; transaction: number; amount: number }
  | { kind: 'move'; account: number; amount: number; isCredit: boolean };

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

const pick = <T>(items: readonly T[], choice: number): T | undefined => items[choice % (items.length || 1)];

/** The events of an issuer after these steps; it also has people who are not our users. */
function tellStory(steps: readonly Step[]): IssuerEvent[] {
  const events: IssuerEvent[] = [];
  const accounts: (IssuerUser & { balance: number; movements: number })[] = [];
  const cards = new Map<string, IssuerCard>();
  const transactions = new Map<string, IssuerTransaction>();
  const references = [...userIds, randomUUID(), 'somebody'];
  const tell = (fact: IssuerFact) => {
    const sequence = BigInt(events.length + 1);
    events.push({ id: `evt_${sequence}`, sequence, createdAt: at(events.length), ...fact } as IssuerEvent);
  };
  const now = () => at(events.length);
  for (const step of steps) {
    switch (step.kind) {
      case 'account': {
        const data: IssuerUser = {
          id: `ciu_${accounts.length}`,
          reference: pick(references, step.user)!,
          collateralAddress: `0x${String(accounts.length).padStart(40, '0')}`,
          createdAt: now(),
        };
        accounts.push({ ...data, balance: 0, movements: 0 });
        tell({ type: 'user.created', data });
        break;
      }
      case 'card': {
        const account = pick(accounts, step.account);
        if (!account) break;
        const data: IssuerCard = {
          id: `crd_${cards.size}`,
          cardIssuerUserId: account.id,
          version: 1,
          name: 'Test Person',
          nickname: null,
          lastFourDigits: '4242',
          status: 'inactive',
          spendingLimit: dollars(step.limit),
          spendingInterval: 'monthly',
          createdAt: now(),
          updatedAt: now(),
        };
        cards.set(data.id, data);
        tell({ type: 'card.changed', data });
        break;
      }
      case 'change': {
        const card = pick([...cards.values()], step.card);
        if (!card) break;
        const data: IssuerCard = {
          ...card,
          version: card.version + 1,
          updatedAt: now(),
          nickname: `Nickname ${step.nickname}`,
          status: pick(['active', 'locked', 'canceled'] as const, step.status)!,
        };
        cards.set(data.id, data);
        tell({ type: 'card.changed', data });
        break;
      }
      case 'purchase': {
        const card = pick([...cards.values()], step.card);
        if (!card) break;
        const data: IssuerTransaction = {
          id: `txn_${transactions.size}`,
          cardId: card.id,
          cardIssuerUserId: card.cardIssuerUserId,
          version: 1,
          type: 'purchase',
          status: step.isDeclined ? 'declined' : 'pending',
          amount: dollars(step.amount),
          currency: 'USD',
          merchantName: 'Café “Zoé” 🍵',
          description: null,
          merchantCategory: null,
          merchantCountry: 'PT',
          localAmount: '12',
          localCurrency: 'JPY',
          createdAt: now(),
          authorizedAt: step.isDeclined ? null : now(),
          settledAt: null,
          declineReason: step.isDeclined ? 'card-locked' : null,
          updatedAt: now(),
        };
        transactions.set(data.id, data);
        tell({ type: 'transaction.changed', data });
        break;
      }
      case 'settle': {
        const transaction = pick([...transactions.values()], step.transaction);
        if (transaction?.status !== 'pending') break;
        const data: IssuerTransaction = {
          ...transaction,
          version: transaction.version + 1,
          status: 'settled',
          settledAt: now(),
          amount: dollars(step.amount),
          updatedAt: now(),
        };
        transactions.set(data.id, data);
        tell({ type: 'transaction.changed', data });
        break;
      }
      case 'move': {
        const account = pick(accounts, step.account);
        if (!account) break;
        const previous = account.balance;
        account.balance += step.isCredit ? step.amount : -step.amount;
        account.movements++;
        const data: IssuerMovement = {
          id: `mov_${account.id}_${account.movements}`,
          cardIssuerUserId: account.id,
          sequence: account.movements,
          action: step.isCredit ? 'deposit' : 'purchase',
          type: step.isCredit ? 'credit' : 'debit',
          status: 'completed',
          amount: dollars(step.amount),
          previousBalance: dollars(previous),
          runningBalance: dollars(account.balance),
          description: 'A movement',
          transactionId: null,
          reference: null,
          createdAt: now(),
        };
        tell({ type: 'movement.posted', data });
        break;
      }
    }
  }
  return events;
}

/** What a story comes to, found out by other means than those that are tested. */
function sumUp(events: readonly IssuerEvent[]) {
  const ours = new Set<string>();
  const last = new Map<string, { version: number }>();
  const balances: Record<string, string> = {};
  let skipped = 0;
  for (const { type, data } of events) {
    if (type === 'user.created') {
      if (userIds.includes(data.reference)) {
        ours.add(data.id);
        balances[data.id] = '0.00';
      } else skipped++;
      continue;
    }
    if (!ours.has(data.cardIssuerUserId)) skipped++;
    else if (type === 'movement.posted') balances[data.cardIssuerUserId] = data.runningBalance;
    else last.set(data.id, data);
  }
  return {
    balances,
    skipped,
    versions: Object.fromEntries([...last].map(([id, { version }]) => [id, version])),
  };
}

async function readSummary(db: Db) {
  const accounts = await db.query<{ id: string; collateral: bigint }>(
    'select id, collateral from card_issuer_users',
  );
  const rows = await db.query<{ id: string; version: number }>(
    'select id, version from cards union all select id, version from card_transactions',
  );
  const [cursor] = await db.query<{ skipped: bigint }>('select skipped from card_event_cursor');
  return {
    balances: Object.fromEntries(accounts.map(({ id, collateral }) => [id, dollars(Number(collateral))])),
    skipped: Number(cursor!.skipped),
    versions: Object.fromEntries(rows.map(({ id, version }) => [id, version])),
  };
}

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

// ## The catch-up

const smallStory = () =>
  tellStory([
    { kind: 'account', user: 0 },
    { kind: 'card', account: 0, limit: 5_000 },
    { kind: 'change', card: 0, status: 0, nickname: 1 },
    { kind: 'move', account: 0, amount: 700, isCredit: true },
    { kind: 'purchase', card: 0, amount: 300, isDeclined: false },
  ]);

test('of two that read the same events at once, one moves the cursor and the other leaves it', async () => {
  const events = smallStory();
  await undoing(async (db) => {
    const inner = issuerOf(events);
    let others = 0;
    const ctx = workerContext(db, {
      ...inner,
      readEvents: async (request) => {
        // While this one is asking, another one is through.
        if (others++ === 0) await readToEnd(db, events);
        return inner.readEvents(request);
      },
    });
    const late = await catchUp(ctx);
    assert.deepEqual([late.read, late.lastSequence], [0, BigInt(events.length)]);
    assert.deepEqual(await readSummary(db), sumUp(events));
  });
});

test('a gap stops the reading right before it, is logged once, shows in a gauge, and is read when it is filled', async () => {
  const events = smallStory();
  const lines: object[] = [];
  await undoing(async (db) => {
    const withGap = events.filter(({ sequence }) => sequence !== 4n);
    const log = { error: (line: object) => lines.push(line), info: (line: object) => lines.push(line) };
    const ctx = { ...workerContext(db, issuerOf(withGap)), log: log as unknown as Ctx['log'] };
    const read = async (name: string) => {
      const gauge = cardGauges.find((gauge) => gauge.name === name)!;
      const rows = await gauge.read({ ...harness.deps, db, issuer: issuerOf(events) } as never);
      return rows[0]?.value;
    };
    assert.equal(await read('causeway_cards_events_read_age_seconds'), undefined);
    for (let turn = 0; turn < 3; turn++) {
      const { lastSequence, missingSequence, isBehind } = await catchUp(ctx);
      assert.deepEqual(
        { lastSequence, missingSequence, isBehind },
        {
          lastSequence: 3n,
          missingSequence: 4n,
          isBehind: false,
        },
      );
    }
    assert.deepEqual(lines, [{ sequence: '4' }]);
    assert.equal(await read('causeway_cards_events_missing'), 1);
    assert.equal(await read('causeway_cards_events_read_age_seconds'), undefined);
    const [card] = await db.query('select version from cards');
    assert.equal(card!.version, 2, 'what came before it is there');

    ctx.issuer = issuerOf(events);
    assert.equal((await catchUp(ctx)).missingSequence, null);
    assert.equal(lines.length, 2);
    assert.equal(await read('causeway_cards_events_missing'), 0);
    assert.equal(await read('causeway_cards_events_last_sequence'), events.length);
    assert.ok((await read('causeway_cards_events_read_age_seconds'))! >= 0);
    assert.deepEqual(await readSummary(db), sumUp(events));
  });
});

/** The same events, one of them as the reader of the protocol tells what it cannot read. */
const spoil = (events: readonly FeedEvent[], at: bigint, type: 'foreign' | 'unreadable'): FeedEvent[] =>
  events.map((event) =>
    event.sequence === at ? { sequence: at, createdAt: event.createdAt, type, data: null } : event,
  );

interface Line {
  level: string;
  sequence?: string;
  sequences?: string[];
}

/** A context whose log is a list, and its figures. */
function watched(db: Db, events: readonly FeedEvent[]) {
  const lines: Line[] = [];
  const note = (level: string) => (line: object) => lines.push({ level, ...line });
  const log = { error: note('error'), warn: note('warn'), info: note('info') };
  const ctx = { ...workerContext(db, issuerOf(events)), log: log as unknown as Ctx['log'] };
  const figure = async (name: string) => {
    const gauge = cardGauges.find((gauge) => gauge.name === `causeway_cards_events_${name}`)!;
    return (await gauge.read({ ...harness.deps, db, issuer: ctx.issuer } as never))[0]?.value;
  };
  return { ctx, lines, figure };
}

test('an event that cannot be read stops the reading right before it, is named, and is read once it can be', async () => {
  const events = smallStory();
  await undoing(async (db) => {
    const { ctx, lines, figure } = watched(db, spoil(events, 4n, 'unreadable'));
    for (let turn = 0; turn < 3; turn++) {
      const { read, lastSequence, missingSequence, isUnreadable, isBehind } = await catchUp(ctx);
      assert.deepEqual(
        [read, lastSequence, missingSequence, isUnreadable, isBehind],
        [turn === 0 ? 3 : 0, 3n, 4n, true, false],
      );
    }
    const [card] = await db.query('select version from cards');
    assert.equal(card!.version, 2, 'what came before it is there');
    assert.deepEqual(lines, [{ level: 'error', sequence: '4' }]);
    const figures = async () => [
      await figure('missing'),
      await figure('unreadable'),
      await figure('blocked_sequence'),
    ];
    assert.deepEqual(await figures(), [0, 1, 4]);

    ctx.issuer = issuerOf(events.filter(({ sequence }) => sequence !== 4n));
    assert.equal((await catchUp(ctx)).isUnreadable, false);
    assert.deepEqual(await figures(), [1, 0, 4], 'and now it is not there at all');

    ctx.issuer = issuerOf(events);
    assert.equal((await catchUp(ctx)).missingSequence, null);
    assert.deepEqual(await figures(), [0, 0, undefined]);
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['error', 'error', 'info'],
    );
    assert.deepEqual(await readSummary(db), sumUp(events));
  });
});

test('an event about something that we keep nothing of stops nobody, and is counted', async () => {
  const events = smallStory();
  await undoing(async (db) => {
    const { ctx, lines, figure } = watched(db, spoil(events, 3n, 'foreign'));
    const { read, skipped, lastSequence, missingSequence } = await catchUp(ctx);
    assert.deepEqual([read, skipped, lastSequence, missingSequence], [5, 1, 5n, null]);
    assert.deepEqual(lines, [{ level: 'warn', sequences: ['3'] }]);
    assert.equal(await figure('skipped_total'), 1);
    const [account] = await db.query('select collateral from card_issuer_users');
    assert.equal(account!.collateral, 700n, 'what comes after it is there');
  });
});

for (const what of ['missing', 'unreadable'] as const) {
  test(`an operator passes over the event that is ${what}, and no other`, async () => {
    const events = smallStory();
    await undoing(async (db) => {
      const stuck =
        what === 'missing'
          ? events.filter(({ sequence }) => sequence !== 3n)
          : spoil(events, 3n, 'unreadable');
      const { ctx, figure } = watched(db, stuck);
      const skip = (sequence: bigint) => skipEvent(ctx, { sequence, reason: 'a test' });
      const refused = (sequence: bigint, code: string) =>
        assert.rejects(skip(sequence), (error: { code?: string }) => error.code === code);
      await refused(3n, 'event_not_awaited');
      await catchUp(ctx);
      for (const other of [1n, 2n, 4n, 10n ** 17n]) await refused(other, 'event_not_awaited');
      ctx.issuer = issuerOf(events);
      await refused(3n, 'event_readable');
      ctx.issuer = issuerOf(stuck);
      assert.equal(await skip(3n), 3n);
      await refused(3n, 'event_not_awaited');
      const { read, lastSequence, missingSequence, isUnreadable } = await catchUp(ctx);
      assert.deepEqual([read, lastSequence, missingSequence, isUnreadable], [2, 5n, null, false]);
      assert.equal(await figure('skipped_total'), 1);
      const rows = await db.query(
        `select subject, before, after from audit_log where action = 'cards.skip-event'`,
      );
      assert.equal(rows.length, 1);
      assert.equal(rows[0]!.subject, 'event:3');
      assert.deepEqual(rows[0]!.after, { lastSequence: '3', reason: 'a test' });
      assert.equal((rows[0]!.before as { isUnreadable: boolean }).isUnreadable, what === 'unreadable');
    });
  });
}

test('nothing is kept of a turn that fails: the same events are read again', async () => {
  const { db } = harness.deps;
  const before = await readEverything(db);
  await db.query('alter table card_movements add constraint none check (false)');
  try {
    await assert.rejects(readToEnd(db, smallStory()), /violates check constraint "none"/);
  } finally {
    await db.query('alter table card_movements drop constraint none');
  }
  assert.deepEqual(await readEverything(db), before);
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
