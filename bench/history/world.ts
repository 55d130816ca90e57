import { randomBytes } from 'node:crypto';
import { chains, type NetworkSettings, networks, tokensOf } from '#adapters/evm';
import type { Pool } from '#platform/db/db';
import type { RateLimiter } from '#platform/rate-limit/index';
import { createWorld, type World } from '../withdrawals/world.ts';

export interface HistoryWorld extends World {
  /** Three million lines; the others have a hundred each. */
  bigUser: string;
  smallUsers: string[];
  operatorToken: string;
}

/** Networks whose nodes are never asked. */
export const quietNetworks = (): NetworkSettings[] =>
  networks.map((network) => ({
    network,
    rpcUrls: ['http://127.0.0.1:9'],
    tokens: tokensOf(network),
    finality: chains[network].finality,
    feeCap: 1n,
    bumpAfterMs: 60_000,
  }));

/** Two requests in two seconds would measure the waiting. */
export const admitsAll: RateLimiter = {
  admit: async ({ quota }) => ({ admitted: true, remaining: quota, resetMs: 0 }),
  admitByAll: async (limits) => limits.map(() => ({ admitted: true, remaining: 1, resetMs: 0 })),
};

export async function createHistoryWorld(
  given: { db: Pool; databaseUrl: string },
  { users = 1 } = {},
): Promise<HistoryWorld> {
  const operatorToken = randomBytes(24).toString('hex');
  const world = await createWorld(given, {
    networks: quietNetworks(),
    users,
    limiter: admitsAll,
    operatorTokens: new Map([['bench', { token: operatorToken, role: 'admin' }]]),
  });
  return { ...world, bigUser: world.userIds[0]!, smallUsers: [], operatorToken };
}

/** The users that were seeded. */
export async function readSmallUsers({ db }: World): Promise<string[]> {
  const rows = await db.query<{ id: string }>("select id from users where email like 'small-%' order by id");
  return rows.map(({ id }) => id);
}
