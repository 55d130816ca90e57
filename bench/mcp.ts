import type { Pool } from '#platform/db/db';
import { createToken } from '../src/features/keys/token.ts';
import { type Candidate, candidates, type ServersReport } from './mcp/servers.ts';
import { type Bench, median } from './measure.ts';
import type { CallsOrder, LoadReport } from './withdrawals/load.ts';
import { messageOf, startProcess, stopProcess } from './withdrawals/world.ts';

const users = 5_000;
const cardsEach = 4;
const rounds = 9;
const connections = 32;
const durationMs = 700;

const message = (name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
const echo = message('echo', { text: 'A text as long as the arguments of most calls are.' });

/**
 * A tool without a database against a bare echo and the official servers; `getUserCards` against a bare
 * select.
 */
export const run: Bench = async ({ db, databaseUrl }) => {
  const { tokens, first } = await seed(db);
  const servers = await startProcess('../mcp/servers.ts', { databaseUrl, ...first });
  const loader = await startProcess('load.ts');
  const report = async () => {
    servers.send('report');
    return (await messageOf(servers)) as ServersReport;
  };
  const { ports } = await report();
  const figures = Object.fromEntries(
    candidates.map((name) => [name, { cpu: [], rate: [] }]),
  ) as unknown as Record<Candidate, { cpu: number[]; rate: number[] }>;
  try {
    for (let round = -1; round < rounds; round++) {
      for (const name of candidates) {
        const before = (await report()).cpu;
        loader.send({
          kind: 'calls',
          port: ports[name],
          connections,
          durationMs,
          path: '/mcp',
          body: name === 'product' ? message('getUserCards', {}) : echo,
          tokens: name === 'tool' || name === 'endpoint' ? tokens.slice(0, 1) : tokens,
          headers: name.startsWith('sdk') ? { accept: 'application/json, text/event-stream' } : {},
        } satisfies CallsOrder);
        const { answers, perSecond } = (await messageOf(loader)) as LoadReport;
        const { cpu } = await report();
        if (round < 0) continue; // the first round warms up
        figures[name].cpu.push((cpu - before) / answers);
        figures[name].rate.push(perSecond);
      }
    }
  } finally {
    await stopProcess(loader);
    await stopProcess(servers);
  }
  for (const name of candidates) {
    const { cpu, rate } = figures[name];
    console.log(`${name}: ${median(cpu).toFixed(1)} µs of CPU a call, ${Math.round(median(rate))} a second`);
  }
  const ratio = (kind: 'cpu' | 'rate', of: Candidate, to: Candidate) =>
    median(figures[of][kind].map((figure, round) => figure / figures[to][kind][round]!)).toFixed(2);
  const print = (what: string, kind: 'cpu' | 'rate', to: Candidate, goal: string) => {
    const [endpoint, whole, keys] = (['endpoint', 'tool', 'toolWithKeys'] as const).map((of) =>
      ratio(kind, of, to),
    );
    console.log(
      `${what} (goal: ${goal}): ${endpoint}; in our HTTP server with its log and metrics ${whole}; keys looked up, too ${keys}`,
    );
  };
  print('CPU of a tool without a database / of a bare echo', 'cpu', 'echo', 'at most 1.5');
  print('calls a second / those of the official server 2', 'rate', 'sdk2', 'at least 5');
  print('calls a second / those of the official SDK 1', 'rate', 'sdk1', 'at least 10');
  const cards = ratio('rate', 'product', 'select');
  console.log(`getUserCards a second / a bare route with one select (goal: at least 0.35): ${cards}`);
};

/** Users with an account, cards and a key each. */
async function seed(db: Pool): Promise<{ tokens: string[]; first: { keyId: string; userId: string } }> {
  const keys = Array.from({ length: users }, () => createToken());
  const [partner] = await db.query<{ id: string }>(
    "insert into partners (name, created_at) values ('Bench', now()) returning id",
  );
  const people = await db.query<{ id: string }>(
    `insert into users (email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
     select 'bench-' || n || '@example.com', true, 'B', 'B', 'individual', now(), now() from generate_series(1, ${users}) n
     returning id`,
  );
  const userIds = people.map(({ id }) => id);
  await db.query(
    `insert into api_keys (id, secret_sha256, name, partner_id, user_id, scopes, ip_allowlist, created_at)
     select k.id, k.secret, 'bench', $1, k.user_id, '{mcp}', '{}', now()
     from unnest($2::text[], $3::bytea[], $4::uuid[]) as k (id, secret, user_id)`,
    [partner!.id, keys.map(({ id }) => id), keys.map(({ secretSha256 }) => secretSha256), userIds],
  );
  await db.query(
    `insert into card_issuer_users (id, user_id, collateral_address, created_at)
     select 'account-' || id, id, '0x' || md5(id::text) || '00000000', now() from unnest($1::uuid[]) id`,
    [userIds],
  );
  await db.query(
    `insert into cards (id, card_issuer_user_id, user_id, version, name, nickname, last_four_digits, status, spending_limit,
       spending_interval, created_at, updated_at)
     select 'card-' || n || '-' || a.user_id, a.id, a.user_id, 1, 'B B', 'Card ' || n, '4242', 'active', 100000,
       'monthly', a.created_at, a.created_at
     from card_issuer_users a, generate_series(1, ${cardsEach}) n`,
  );
  for (const table of ['users', 'api_keys', 'card_issuer_users', 'cards'])
    await db.query(`vacuum analyze ${table}`);
  return { tokens: keys.map(({ text }) => text), first: { keyId: keys[0]!.id, userId: userIds[0]! } };
}
