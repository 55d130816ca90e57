import { createToken } from '../../src/features/keys/token.ts';
import { measureRounds, printRounds } from '../measure.ts';
import { messageOf, startProcess, stopProcess } from '../withdrawals/world.ts';
import type { ServerReport } from './server.ts';
import type { HistoryWorld } from './world.ts';

const connections = 32;
const rounds = 9;
const roundMs = 700;
const goal = 0.35;

/**
 * Page 0 of ten thousand users in turn, each with their own key and the product's own rate limit, against a
 * bare route.
 */
export async function measureReading(world: HistoryWorld): Promise<void> {
  const tokens = await addKeys(world);
  const server = await startProcess('../history/server.ts', { databaseUrl: world.databaseUrl });
  try {
    server.send('report');
    const { port, barePort } = (await messageOf(server)) as ServerReport;
    const reads = world.smallUsers.map((_, n) => ({
      path: '/api/history?resource=account&feature=account',
      token: tokens[n]!,
    }));
    const bares = world.smallUsers.map((userId, n) => ({ path: `/bare/${userId}`, token: tokens[n]! }));
    const order = { kind: 'reads' as const, connections, durationMs: roundMs };
    const rates = await measureRounds(
      {
        limit: async () => (await world.load({ ...order, port: barePort, requests: bares })).perSecond,
        read: async () => (await world.load({ ...order, port, requests: reads })).perSecond,
      },
      rounds,
    );
    printRounds(
      `page 0 over ${reads.length} users / a bare route with one select, ${connections} at once (goal: at least ${goal})`,
      rates.read,
      rates.limit,
    );
  } finally {
    await stopProcess(server);
  }
}

async function addKeys({ db, partnerId, smallUsers }: HistoryWorld): Promise<string[]> {
  const tokens = smallUsers.map(() => createToken());
  await db.query(
    `insert into api_keys (id, secret_sha256, name, partner_id, user_id, scopes, ip_allowlist, created_at)
     select k.id, k.secret, 'bench', $1, k.user_id, '{}', '{}', now()
     from unnest($2::text[], $3::bytea[], $4::uuid[]) as k (id, secret, user_id)`,
    [partnerId, tokens.map(({ id }) => id), tokens.map(({ secretSha256 }) => secretSha256), smallUsers],
  );
  await db.query('vacuum analyze api_keys');
  return tokens.map(({ text }) => text);
}
