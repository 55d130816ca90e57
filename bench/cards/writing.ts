import { randomUUID } from 'node:crypto';
import { compareRates, printRatio } from '../measure.ts';
import { firstDay, lastDay } from './seed.ts';
import type { CardWorld } from './world.ts';

const insert = `insert into card_transactions (id, card_id, user_id, version, type, status, amount, currency, merchant_name, created_at, updated_at)
  values ($1, $2, $3, 1, 'purchase', 'pending', 100, 'USD', 'Corner Market Lisboa', $4, $4)`;

/**
 * Transactions one at a time: of a user with a million against those of one with a hundred, and new ones
 * against late ones.
 */
export async function measureWriting({ db, bigUser, smallUser }: CardWorld): Promise<void> {
  let now = lastDay;
  const write = (userId: string, at: () => number) => () =>
    db.query(insert, [randomUUID(), `card-0-${userId}`, userId, new Date(at())]);
  const late = () => firstDay + Math.floor(Math.random() * (lastDay - firstDay));
  const rates = await compareRates(
    {
      bigNew: write(bigUser, () => ++now),
      bigLate: write(bigUser, late),
      smallNew: write(smallUser, () => ++now),
    },
    { concurrency: 1 },
  );
  printRatio('writing: new ones of the big user / of a small one', rates.bigNew, rates.smallNew);
  printRatio('writing: late ones of the big user / of a small one', rates.bigLate, rates.smallNew);
}
