import assert from 'node:assert/strict';
import { listCardTransactions } from '../../src/features/cards/lists/list-card-transactions.ts';
import { median, noteWorst, ratioOf, takeTurns } from '../measure.ts';
import { firstDay, lastDay, rareWords } from './seed.ts';
import { askOverHttp, type CardWorld, keyContext } from './world.ts';

const windows = {
  'no window': {},
  'half of the time': { startAt: new Date((firstDay + lastDay) / 2) },
} as const;

/**
 * A text that few transactions have, against page 0 without one; a text that many have is only printed,
 * because all of them are counted.
 */
export async function measureTexts(world: CardWorld): Promise<void> {
  const worst = noteWorst(5);
  const texts = [...rareWords, 'QUÉTZAL', 'nothing has this'];
  for (const [name, window] of Object.entries(windows)) {
    for (const text of texts) {
      const { ratios, words } = await measureText(world, text, window);
      for (const [kind, ratio] of Object.entries(ratios)) worst.note(kind, ratio, `${text}, ${name}`);
      console.log(`${text}, ${name} / page 0: ${words}`);
    }
  }
  worst.print('a rare text / page 0');
  for (const text of ['subscription', 'café', 'order 77', 'zu']) {
    const startedAt = performance.now();
    const { total } = await ask(world, text);
    console.log(`${text}: ${total} found in ${Math.round(performance.now() - startedAt)} ms (no goal)`);
  }
}

async function measureText(world: CardWorld, text: string, window: { startAt?: Date }) {
  await requireSame(world, text, window);
  const { bigUser: userId } = world;
  const bare = await takeTurns([() => ask(world), () => ask(world, text, window)]);
  const http = await askOverHttp(
    world,
    [undefined, text].map((filterByText) => ({
      userId,
      path: `/api/history?${new URLSearchParams({
        resource: 'cards',
        feature: 'cards-transactions',
        ...(filterByText && { filterByText }),
        ...(filterByText && window.startAt && { startDate: window.startAt.toISOString() }),
      })}`,
    })),
  );
  const figures = Object.entries({ HTTP: http, bare }).map(([kind, [first, found]]) => ({
    kind,
    ratio: ratioOf(found!, first!),
    times: `${median(found!).toFixed(2)} / ${median(first!).toFixed(2)} ms`,
  }));
  return {
    ratios: Object.fromEntries(figures.map(({ kind, ratio }) => [kind, ratio])),
    words: figures.map(({ kind, ratio, times }) => `${kind} ${ratio.toFixed(2)} (${times})`).join(', '),
  };
}

const ask = (world: CardWorld, text?: string, window: { startAt?: Date } = {}) =>
  listCardTransactions(keyContext(world, world.bigUser), {
    userId: world.bigUser,
    text,
    ...window,
    currentPage: 0,
    pageSize: 10,
  });

async function requireSame(world: CardWorld, text: string, { startAt }: { startAt?: Date }): Promise<void> {
  const { total } = await ask(world, text, { startAt });
  const [row] = await world.db.query<{ count: bigint }>(
    `select count(*) from card_transactions where user_id = $1 and created_at >= coalesce($3::timestamptz, '-infinity')
       and position(card_fold($2) in folded) > 0`,
    [world.bigUser, text, startAt ?? null],
  );
  assert.equal(total, Number(row!.count), text);
}
