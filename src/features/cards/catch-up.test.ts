import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedEvent } from '#adapters/issuer';
import type { Ctx } from '#context';
import type { Db } from '#platform/db/db';
import { issuerOf, useCardStories } from '#test/data/card-stories';
import { catchUp } from './catch-up.ts';
import { cardGauges } from './gauges.ts';
import { skipEvent } from './skip-event.ts';

const { harness, workerContext, undoing, readEverything, readToEnd, tellStory, sumUp, readSummary } =
  useCardStories();

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
