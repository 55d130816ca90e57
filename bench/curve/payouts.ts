import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addressOfKey,
  createEvm,
  type Network,
  type NetworkSettings,
  type PrivateKey,
  type Token,
} from '#adapters/evm';
import type { Ctx, OperatorActor } from '#context';
import { issueKey } from '#features/keys';
import { fundAccount } from '#features/ledger';
import { allowUser, createPartner } from '#features/partners';
import { createUser } from '#features/users';
import type { Pool } from '#platform/db/db';
import { type Chain, makeWallet, startChain } from '#test/outside/chain';
import { insertWithdrawals, type NewWithdrawal } from '../../src/features/withdrawals/queries/creations.ts';

const users = 64;
export const wallets = 4;
/** Open at any time: more than the wallets may have in flight, so that workers always find more. */
const backlog = 3_000;
const lookMs = 100;
const windowMs = 5_000;
const currency = 'USDT';

/** Users with money on a chain with a block each second, and the hot wallets that pay them out. */
export interface Payouts {
  /** Of a worker with so many of the hot wallets. */
  settings(wallets: number): NetworkSettings[];
  /** As many as are completed are created again, so that as many are open. */
  countCompleted(): Promise<{ operations: number; seconds: number }>;
  /** Nothing failed, and nobody was paid twice. */
  requireCorrect(): Promise<void>;
  stop(): Promise<void>;
}

export async function preparePayouts(ctx: Ctx<OperatorActor>, db: Pool, network: Network): Promise<Payouts> {
  const chain = await startChain({ network, blockTime: 1 });
  const keys = [...chain.settings.signerKeys!];
  while (keys.length < wallets) keys.push(await makeWallet(chain));
  const evm = createEvm([chain.settings]);
  const token = evm.get(network)!.tokens.get(currency)!;
  const makeNew = await createPayer({ ...ctx, evm }, network, token);
  const create = async (count: number) => {
    for (let left = count; left > 0; left -= 500) {
      await insertWithdrawals(db, Array.from({ length: Math.min(left, 500) }, makeNew));
    }
  };
  await create(backlog);
  /** How many were completed since the last look; as many are created again. */
  const look = async () => {
    const completed = backlog - (await countOpen(db, network));
    await create(completed);
    return completed;
  };
  return {
    settings: (count) => [{ ...chain.settings, signerKeys: keys.slice(0, count) }],
    async countCompleted() {
      // Completions come in bursts, with the blocks: it begins and ends with one.
      const nextBurst = async () => {
        let news = 0;
        for (const deadline = Date.now() + 120_000; news === 0; await sleep(lookMs)) {
          if (Date.now() > deadline) throw new Error('nothing was paid for two minutes');
          news = await look();
        }
        return news;
      };
      await nextBurst();
      const startedAt = performance.now();
      let operations = 0;
      while (performance.now() - startedAt < windowMs) operations += await nextBurst();
      return { operations, seconds: (performance.now() - startedAt) / 1_000 };
    },
    async requireCorrect() {
      await requireNoneFailed(db, network);
      await requirePaidOnce(chain, keys);
    },
    stop: chain.stop,
  };
}

async function createPayer(
  ctx: Ctx<OperatorActor>,
  network: Network,
  token: Token,
): Promise<() => NewWithdrawal> {
  const { id: partnerId } = await createPartner(ctx, { name: 'Payer' });
  const userIds: string[] = [];
  for (let n = 0; n < users; n++) {
    const named = { givenName: 'P', familyName: 'P', email: `payer-${network}-${n}@example.com` };
    const { id: userId } = await createUser(ctx, named);
    await allowUser(ctx, { partnerId, userId });
    await fundAccount(ctx, { userId, network, currency, amount: '1000000' });
    userIds.push(userId);
  }
  const { id: keyId } = await issueKey(ctx, { name: 'bench', partnerId, userId: userIds[0]! });
  let made = 0;
  return () => ({
    partnerId,
    userId: userIds[made++ % users]!,
    keyId,
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
}

/** Reads the index of open ones. */
async function countOpen(db: Pool, network: Network): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from withdrawals
     where status in ('queued', 'pending', 'processing') and network = $1`,
    [network],
  );
  return row!.count;
}

async function requireNoneFailed(db: Pool, network: Network): Promise<void> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from withdrawals where status = 'failed' and network = $1`,
    [network],
  );
  if (row!.count > 0) throw new Error(`${row!.count} withdrawals failed`);
}

/** Recipients are random, so one that was paid twice is a withdrawal that was. */
async function requirePaidOnce(chain: Chain, keys: readonly PrivateKey[]): Promise<void> {
  const paid = (await Promise.all(keys.map((key) => chain.paidOut(addressOfKey(key).toLowerCase())))).flat();
  const recipients = new Set(paid.map(({ to }) => to));
  if (recipients.size !== paid.length) throw new Error(`${paid.length - recipients.size} were paid twice`);
}
