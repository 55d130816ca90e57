import type { ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Ctx, OperatorActor } from '#context';
import { issueKey } from '#features/keys';
import { allowUser, createPartner } from '#features/partners';
import type { Pool } from '#platform/db/db';
import { postBatch } from '../../src/features/ledger/post-batch.ts';
import { seedCardUsers } from '../mcp/seed.ts';
import { messageOf } from '../withdrawals/world.ts';
import type { Call, CallersOrder, CallersReport } from './callers.ts';

/** So many that the limits of history, 2 requests in 2 s for each user, refuse nobody. */
const users = 10_000;
const linesEach = 10;
const partners = 64;
const usersOfPartner = 4;
const usersOfBusyPartner = 64;
/** Each server remembers for 30 s that a recipient may be paid. */
const recipients = 200;

/** The calls of each kind, made in turn. */
export interface ApiCalls {
  creations: Call[];
  partners: Call[];
  posts: Call[];
  history: Call[];
  mcp: Call[];
}

export const titles: Record<keyof ApiCalls, string> = {
  creations: `creations of withdrawals: one partner, ${usersOfBusyPartner} users, with Idempotency-Key`,
  partners: `creations of withdrawals: ${partners} partners with ${usersOfPartner} users each`,
  posts: `ledger.post of one line: ${users} users`,
  history: `GET /api/history, the newest page: ${users} users`,
  mcp: `MCP tools/call getUserCards: ${users} users`,
};

/** Users with lines, cards and keys; partners that create withdrawals for some of them. */
export async function seedApi(
  ctx: Ctx<OperatorActor>,
  { db, operatorToken }: { db: Pool; operatorToken: string },
): Promise<{ calls: ApiCalls; busyPartner: string }> {
  const { tokens, userIds } = await seedCardUsers(db, users);
  for (let from = 0; from < users; from += 1_000) await postFor(ctx, userIds.slice(from, from + 1_000));
  for (const table of ['ledger_lines', 'ledger_lists', 'ledger_accounts']) {
    await db.query(`vacuum analyze ${table}`);
  }
  const busy = await addPartner(ctx, userIds.slice(0, usersOfBusyPartner));
  const small: Call[][] = [];
  for (let n = 0; n < partners; n++) {
    const from = usersOfBusyPartner + n * usersOfPartner;
    small.push((await addPartner(ctx, userIds.slice(from, from + usersOfPartner))).calls);
  }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  const body = JSON.stringify({ ...message, params: { name: 'getUserCards', arguments: {} } });
  const calls: ApiCalls = {
    creations: busy.calls,
    // One of each partner in turn.
    partners: small[0]!.flatMap((_, at) => small.map((ofOne) => ofOne[at]!)),
    posts: userIds.map((userId) => ({
      head: 'POST /operator/ledger.post HTTP/1.1',
      token: operatorToken,
      body: JSON.stringify({
        key: '$id',
        lines: [{ ...lineOf(userId), transactionHash: '$hash', logIndex: 7 }],
      }),
    })),
    history: tokens.map((token) => ({
      head: 'GET /api/history?resource=account&feature=account HTTP/1.1',
      token,
    })),
    mcp: tokens.map((token) => ({ head: 'POST /mcp HTTP/1.1', token, body })),
  };
  return { calls, busyPartner: busy.partnerId };
}

const lineOf = (userId: string) => ({
  userId,
  network: 'polygon',
  transactionType: 'buy' as const,
  assetReceived: 'USDT',
  amountReceived: '12.5',
  description: 'Deposit of USDT on polygon',
});

async function postFor(ctx: Ctx<OperatorActor>, userIds: readonly string[]): Promise<void> {
  const lines = userIds.flatMap((userId) => Array.from({ length: linesEach }, () => lineOf(userId)));
  await postBatch(ctx, { key: randomUUID(), lines });
}

async function addPartner(
  ctx: Ctx<OperatorActor>,
  userIds: readonly string[],
): Promise<{ partnerId: string; calls: Call[] }> {
  const { id: partnerId } = await createPartner(ctx, { name: 'Bench' });
  for (const userId of userIds) await allowUser(ctx, { partnerId, userId });
  const { token } = await issueKey(ctx, { name: 'bench', partnerId, userId: userIds[0]! });
  const calls = Array.from({ length: recipients }, (_, at) => ({
    head: `POST /api/crypto/${userIds[at % userIds.length]}/withdraw HTTP/1.1\r\nidempotency-key: $id`,
    token,
    body: JSON.stringify({ amount: '1.5', to: addresses[at] }),
  }));
  return { partnerId, calls };
}

const addresses = Array.from({ length: recipients }, () => `0x${randomBytes(20).toString('hex')}`);

export async function callServers(callers: ChildProcess, order: CallersOrder): Promise<CallersReport> {
  callers.send(order);
  return (await messageOf(callers)) as CallersReport;
}
