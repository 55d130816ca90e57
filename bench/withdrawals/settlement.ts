import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEvm, type Network, type Token } from '#adapters/evm';
import { fundAccount } from '#features/ledger';
import type { Db } from '#platform/db/db';
import { type Chain, startChain } from '#test/outside/chain';
import { insertWithdrawal } from '../../src/features/withdrawals/queries/creations.ts';
import { median } from '../measure.ts';
import { operatorContext, startProcess, stopProcess, type World } from './world.ts';

const count = 1_000;
const runs = 3;
const singles = 5;
const currency = 'USDT';

/** What is paid, and to whose debit. */
export interface Payer {
  network: Network;
  token: Token;
  users: readonly string[];
}

/**
 * 1,000 withdrawals that are queued at once, paid by one worker process on a chain with a block each second.
 */
export async function measureSettlement(world: World): Promise<void> {
  // Not the network of the creations, of which thousands are still queued.
  const chain = await startChain({ network: 'base', blockTime: 1 });
  const worker = await startProcess('worker.ts', {
    databaseUrl: world.databaseUrl,
    networks: [chain.settings],
  });
  try {
    const payer = await fundUsers(world, chain);
    const waits: number[] = [];
    for (let n = 0; n < singles; n++) {
      const single = await settleMany(world, payer, 1);
      waits.push(single.untilSentMs);
    }
    console.log(`one withdrawal, from creation to its first send: ${Math.round(median(waits))} ms`);
    const many = [];
    for (let run = 0; run < runs; run++) many.push(await settleMany(world, payer, count));
    const perSecond = median(many.map(({ settledMs }) => (count * 1000) / settledMs));
    const each = many.map(({ settledMs }) => `${(settledMs / 1000).toFixed(1)} s`).join(', ');
    const untilSent = Math.round(median(many.map(({ untilSentMs }) => untilSentMs)));
    console.log(
      `${count} queued at once, from first send to last completion: ${Math.round(perSecond)}/s (${each}); first send ${untilSent} ms after creation`,
    );
    const paid = await chain.paidOut();
    const expected = singles + runs * count;
    if (paid.length !== expected) throw new Error(`the chain paid ${paid.length} and not ${expected}`);
  } finally {
    await stopProcess(worker);
    await chain.stop();
  }
}

export async function fundUsers(world: World, chain: Chain): Promise<Payer> {
  const { network } = chain.settings;
  const evm = createEvm([chain.settings]);
  const ctx = operatorContext({ ...world.deps, evm });
  const users = world.userIds.slice(0, 20);
  for (const userId of users) await fundAccount(ctx, { userId, network, currency, amount: '1000000' });
  return { network, users, token: evm.get(network)!.tokens.get(currency)! };
}

/** Creates them in one transaction, so that the worker finds all of them; resolves when all are completed. */
export async function settleMany(world: World, payer: Payer, howMany: number) {
  const { db } = world;
  const bulkIds: string[] = [];
  await db.transaction(async (db) => {
    for (let n = 0; n < howMany; n++)
      bulkIds.push(await createQueued(db, world, payer, payer.users[n % payer.users.length]!));
  });
  const createdAt = Date.now();
  while ((await countOpen(db, bulkIds)) > 0) await sleep(20);
  const completedAt = Date.now();
  const [row] = await db.query<{ sentAt: Date; completed: number }>(
    `select min(a.sent_at) as "sentAt", count(distinct w.id) filter (where w.status = 'completed')::integer as completed
     from withdrawals w join payout_slots s on s.withdrawal_id = w.id
     join payout_attempts a on a.network = s.network and a.address = s.address and a.nonce = s.nonce
     where w.bulk_id = any($1::uuid[])`,
    [bulkIds],
  );
  if (row!.completed !== howMany) throw new Error(`${row!.completed} of ${howMany} are completed`);
  const sentAt = row!.sentAt.getTime();
  return { untilSentMs: sentAt - createdAt, settledMs: completedAt - sentAt };
}

const createQueued = (
  db: Db,
  { partnerId, key }: World,
  { network, token }: Payer,
  userId: string,
): Promise<string> =>
  insertWithdrawal(db, {
    partnerId,
    userId,
    keyId: key.id,
    network,
    currency,
    tokenAddress: token.address,
    decimals: token.decimals,
    amount: 1_000_000n,
    toAddress: `0x${randomBytes(20).toString('hex')}`,
    recipientUserId: null,
    externalId: null,
    idempotencyKey: null,
    fingerprint: null,
    now: new Date(),
  });

async function countOpen(db: Db, bulkIds: readonly string[]): Promise<number> {
  const [row] = await db.query<{ open: number }>(
    `select count(*)::integer as open from withdrawals
     where bulk_id = any($1::uuid[]) and status in ('queued', 'pending', 'processing')`,
    [bulkIds],
  );
  return row!.open;
}
