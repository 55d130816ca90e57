import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { contextFor } from '#context';
import { migrate } from '#platform/db/migrate';
import { makeKey } from '#test/data/factories';
import { type RunningServer, serve } from '../src/main.ts';
import { type Postgres, startPostgres } from '../src/sandbox/postgres/index.ts';
import { type Answer, ask, type Harness, noteSecret, testConfig, testFolder, testLog } from './harness.ts';
import { client1, client2 } from './mcp/official-clients.ts';
import { waitUntil } from './wait-until.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-away-'));
let postgres: Postgres;
let server: RunningServer;
let operatorToken: string;
let keyToken: string;

const start = (port?: number) => startPostgres({ folder, port, durable: false });

before(async () => {
  postgres = await start();
  noteSecret(new URL(postgres.url()).password);
  await migrate(postgres.url());
  const config = {
    ...testConfig(postgres.url(), { rateLimitStore: 'postgres' }),
    databaseConnectTimeoutMs: 3_000,
    databaseLockTimeoutMs: 2_000,
    databaseStatementTimeoutMs: 5_000,
  };
  operatorToken = config.operatorTokens.get('tester')!.token;
  server = await serve(config, testLog(), ['api', 'worker']);
  const operatorContext: Harness['operatorContext'] = () =>
    contextFor(server.deps, { kind: 'operator', name: 'tester', role: 'admin' }, server.deps.log);
  ({ token: keyToken } = await makeKey({ operatorContext } as Harness, { scopes: ['mcp'] }));
});

after(async () => {
  thawPostgres();
  await server?.stop();
  await postgres?.stop();
  // The last test of the run looks for secrets in every log of its folder.
  copyFileSync(postgres.logFile, path.join(testFolder(), 'postgres-away.log'));
  rmSync(folder, { recursive: true, force: true });
});

async function get(where: string, token?: string): Promise<Answer> {
  return ask(server.url + where, { headers: token ? { authorization: `Bearer ${token}` } : {} });
}

const operator = (command: string, input: object) =>
  ask(`${server.url}/operator/${command}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });

// With a good key, this is refused only after the key was looked up and the rate limit asked.
const history = () => get('/api/history?resource=nothing&feature=account', keyToken);

let frozen: number[] = [];

/** Stops the postmaster first, so that it starts nobody new, and then all that it has started. */
async function freezePostgres(): Promise<void> {
  const list = () => server.deps.db.query<{ pid: number }>('select pid from pg_stat_activity');
  // A connection is open now, for the list of those that were started until the postmaster stopped.
  await list();
  process.kill(postgres.pid, 'SIGSTOP');
  frozen = [postgres.pid, ...(await list()).map(({ pid }) => pid)];
  signalFrozen('SIGSTOP');
}

function thawPostgres(): void {
  signalFrozen('SIGCONT');
  frozen = [];
}

function signalFrozen(signal: NodeJS.Signals): void {
  for (const pid of frozen) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // A worker may have ended since it was listed.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function assertSaysNothingInternal(answer: Answer): void {
  const text = JSON.stringify(answer.body);
  assert.doesNotMatch(
    text,
    /127\.0\.0\.1|ECONN|EPIPE|timeout|terminated|\.ts\b|node_modules|select |insert |begin|pg_|password/i,
  );
  assert.ok(!text.includes(String(postgres.port)), text);
  assert.deepEqual(Object.keys(answer.body), ['error', 'code', 'requestId']);
}

async function assertServesWithoutDatabase(): Promise<void> {
  const [health, metrics] = await Promise.all([get('/health'), get('/metrics')]);
  assert.deepEqual([health.status, health.body], [200, { status: 'ok' }]);
  assert.equal(metrics.status, 200);
  assert.match(metrics.body, /^causeway_database_connections/m);
}

function assertRefusals({
  ready,
  fromHistory,
  list,
  create,
}: Record<'ready' | 'fromHistory' | 'list' | 'create', Answer>): void {
  for (const answer of [ready, fromHistory, list, create]) assertSaysNothingInternal(answer);
  assert.deepEqual([ready.status, ready.body.error], [503, 'Database unavailable']);
  assert.equal(fromHistory.status, 500);
  assert.match(fromHistory.body.error, /^API key validation failed: \S/);
  for (const answer of [list, create]) {
    assert.deepEqual([answer.status, answer.body.error], [503, 'Service unavailable']);
    assert.match(answer.headers.get('retry-after')!, /^\d+$/);
  }
}

async function askEverything() {
  const [ready, fromHistory, list, create] = await Promise.all([
    get('/ready'),
    history(),
    operator('users.list', {}),
    operator('partners.create', { name: 'Somebody' }),
  ]);
  return { ready, fromHistory, list, create };
}

async function assertAllWorks(): Promise<void> {
  const { ready, fromHistory, list, create } = await askEverything();
  assert.deepEqual([ready.status, list.status, create.status], [200, 200, 200]);
  assert.deepEqual([fromHistory.status, fromHistory.body.error], [400, 'Invalid feature']);
}

const recovers = () => waitUntil('/ready says 200', async () => (await get('/ready')).status === 200);

test('all works while PostgreSQL is there', assertAllWorks);

describe('PostgreSQL stops', () => {
  test('200 /health and /metrics, 503 /ready and operator, 500 history as its contract says', async () => {
    await postgres.stop();
    await assertServesWithoutDatabase();
    assertRefusals(await askEverything());
  });

  test('it starts again and all works, without a restart of ours', async () => {
    postgres = await start(postgres.port);
    await recovers();
    await assertAllWorks();
  });

  test('it is killed in the middle of a transaction: 503, and all works when it is back', async () => {
    const { db } = server.deps;
    const killed = db.transaction(async (db) => {
      await db.query('select 1');
      process.kill(postgres.pid, 'SIGKILL');
      await postgres.exited;
      await db.query('select 1');
    });
    await assert.rejects(killed, { name: 'DatabaseUnavailable' });
    assertRefusals(await askEverything());
    postgres = await start(postgres.port);
    await recovers();
    await assertAllWorks();
  });
});

describe('PostgreSQL stops while agents are connected', () => {
  const kinds = [
    client1('2025-11-25'),
    client2(undefined, '2025-11-25'),
    client2({ pin: '2026-07-28' }, '2026-07-28'),
  ];
  const callPlain = () =>
    ask(`${server.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keyToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' }),
    });

  test('a plain caller gets 503 with Retry-After under its id, an MCP client an error that it can read', async () => {
    const clients = await Promise.all(
      kinds.map((kind) => kind.connect(server as never as Harness, keyToken)),
    );
    await postgres.stop();
    const { status, headers, body } = await callPlain();
    assert.equal(status, 503);
    assert.equal(headers.get('retry-after'), '2');
    const { requestId } = body.error.data;
    assert.deepEqual(body, {
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32603, message: 'Service unavailable', data: { requestId, retryAfterSeconds: 2 } },
    });
    assert.equal(requestId, headers.get('x-request-id'));
    for (const client of clients) {
      await assert.rejects(client.listTools(), /Service unavailable: try again later/);
      const { message, answer, answerHeaders } = client.exchanges.at(-1)!;
      assert.equal(answer.id, message.id);
      assert.equal(answerHeaders.get('retry-after'), '2');
      assert.deepEqual(client.errors, [], 'the connection goes on');
    }
    postgres = await start(postgres.port);
    await recovers();
    for (const client of clients) {
      assert.ok((await client.listTools()).length > 0);
      await client.close();
    }
    assert.equal((await callPlain()).status, 200);
  });
});

describe('PostgreSQL freezes: it holds its connections and answers nothing', () => {
  // Connecting takes 3 s at most and a statement 6 s; a loaded machine adds to that, and a request that hangs
  // has no end.
  const timeoutMs = 60_000;

  test('the same refusals, each in time, more requests at once than connections', async () => {
    await freezePostgres();
    await assertServesWithoutDatabase();
    const startedAt = Date.now();
    const rounds = await Promise.all(Array.from({ length: 5 }, askEverything));
    const elapsedMs = Date.now() - startedAt;
    for (const answers of rounds) assertRefusals(answers);
    assert.ok(elapsedMs < timeoutMs, `${elapsedMs} ms`);
    await assertServesWithoutDatabase();
  });

  test('it goes on and all works, without a restart of ours', async () => {
    thawPostgres();
    await recovers();
    await assertAllWorks();
  });

  test('it freezes again and a stop is not held up by it', async () => {
    await freezePostgres();
    // It stays frozen, so nothing else ends what waits for it.
    await server.stop();
    await waitUntil(
      'no socket keeps the process',
      () => !process.getActiveResourcesInfo().includes('TCPSocketWrap'),
    );
  });
});
