import { randomUUID } from 'node:crypto';
import type { Db } from '#platform/db/db';
import type { NewLine, Posting } from '../../src/features/ledger/lines/line.ts';
import {
  callPostLines,
  callPostSingle,
  toLineColumns,
  toPostingColumns,
} from '../../src/features/ledger/queries/post.ts';
import { type Bench, compareRates } from '../measure.ts';

const asset = { network: 'polygon', currency: 'USDT' };
const amount = 1_500_000n;
const usersCount = 200;
const linesEach = 100;

/** One line by each of the two functions that post. */
export const measurePosting: Bench = async ({ db }) => {
  const rows = await db.query<{ id: string }>(
    `insert into users (id, email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
     select uuidv7(), 'posting-' || n || '@example.com', true, 'Ana', 'Ribeiro', 'individual', now(), now()
     from generate_series(1, $1) n returning id`,
    [usersCount],
  );
  const users = rows.map(({ id }) => id);
  for (let round = 0; round < linesEach; round++) await postLines(db, users);
  await db.query('vacuum analyze');
  const any = () => users[Math.floor(Math.random() * usersCount)]!;
  const rates = await compareRates(
    {
      single: () =>
        callPostSingle(db, new Date(), { ...asset, ...deposit(any()), amount, spent: 0n }, undefined),
      lines: () => postLines(db, [any()]),
    },
    { concurrency: 1, roundMs: 500 },
  );
  const ratio = (rates.single / rates.lines).toFixed(2);
  const figures = `${Math.round(rates.lines)}/s against ${Math.round(rates.single)}/s`;
  console.log(`one line: ledger_post_lines / ledger_post_single: ${ratio} (${figures})`);
};

function deposit(userId: string): { posting: Omit<Posting, 'lines'>; line: NewLine } {
  const [operationId, at] = [randomUUID(), new Date()];
  const line: NewLine = {
    userId,
    operationId,
    type: 'buy',
    network: asset.network,
    sent: null,
    received: { currency: asset.currency, amount },
    transactionAt: at,
    executedAt: at,
    description: 'Deposit of USDT on polygon',
    purpose: 'deposit',
    onChain: null,
  };
  return { posting: { kind: 'post', operationId, description: 'Deposit of USDT on polygon' }, line };
}

/** A line for each of the users, who differ. */
function postLines(db: Db, users: readonly string[]): Promise<bigint[]> {
  const given = users.map(deposit);
  return callPostLines(db, {
    postedAt: new Date(),
    users,
    assets: [asset],
    owners: users.map((userId) => ({ userId, asset: 1 })),
    spent: [],
    postings: given.map(({ posting }) => toPostingColumns(posting)),
    lines: given.map(({ line }, at) => ({
      ...toLineColumns(line),
      list_id: at + 1,
      posting_id: at + 1,
      received_account_id: at + 1,
      received_amount: String(amount),
    })),
  });
}
