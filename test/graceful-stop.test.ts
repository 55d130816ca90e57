import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { knownVersion } from '#platform/db/migrate';
import { processFile } from '#test/bundle/process-file';
import { cloneDatabase, noteSecret, testFolder } from './harness.ts';
import { waitUntil } from './wait-until.ts';

const root = path.resolve(import.meta.dirname, '..');
const viewerToken = noteSecret(`cwo_${randomBytes(24).toString('hex')}`);
const operatorToken = noteSecret(`cwo_${randomBytes(24).toString('hex')}`);
const encryptionKey = noteSecret(randomBytes(32).toString('base64'));

interface Process {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  exited: Promise<number | null>;
}

const running = new Set<ChildProcess>();
const clients = new Set<pg.Client>();
after(async () => {
  for (const child of running) child.kill('SIGKILL');
  for (const client of clients) await client.end();
});

/** `causeway serve` as a separate process, with only the given environment. */
function runServe(env: Record<string, string>): Process {
  const child = spawn(process.execPath, [processFile('src/cli.ts'), 'serve'], {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  });
  running.add(child);
  const process_: Process = {
    child,
    stdout: '',
    stderr: '',
    exited: once(child, 'close').then(([code]) => code),
  };
  child.stdout.on('data', (chunk) => {
    process_.stdout += chunk;
    // The last test of the run looks for secrets in what this process logs, too.
    appendFileSync(path.join(testFolder(), 'causeway-serve.log'), chunk);
  });
  child.stderr.on('data', (chunk) => {
    process_.stderr += chunk;
  });
  void process_.exited.then(() => running.delete(child));
  return process_;
}

const settings = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  OPERATOR_TOKENS: `tester:${operatorToken},bob:viewer:${viewerToken}`,
  ENCRYPTION_KEYS: `1:${encryptionKey}`,
  PORT: '0',
  DATABASE_STATEMENT_TIMEOUT_MS: '120000',
});

const logLines = ({ stdout }: Process) =>
  stdout
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));

/** The address in its log's line "started". */
async function urlOf(server: Process): Promise<string> {
  const line = () => logLines(server).find(({ msg }) => msg === 'started');
  await waitUntil(`serve has started: ${server.stderr}`, () => line() !== undefined);
  return line()!.url as string;
}

const createPartner = (url: string) =>
  fetch(`${url}/operator/partners.create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'In flight' }),
  });

/** A process in which creating a partner takes until `release` is called. */
async function serveBlocked(env: Record<string, string> = {}) {
  const databaseUrl = await cloneDatabase();
  const server = runServe({ ...settings(databaseUrl), ...env });
  const url = await urlOf(server);
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'test' });
  clients.add(client);
  await client.connect();
  // Not by a lock: nobody waits for one longer than two seconds.
  await client.query(`
    create table slow_down (at timestamptz default now());
    insert into slow_down default values;
    create function wait_while_slow() returns trigger language plpgsql as $$
    begin
      while exists (select from slow_down) loop perform pg_sleep(0.02); end loop;
      return new;
    end $$;
    create trigger wait_while_slow before insert on partners for each row execute function wait_while_slow()`);
  const countOf = async (condition: string) => {
    const { rows } = await client.query(
      `select count(*)::integer as count from pg_stat_activity
       where datname = current_database() and application_name = 'causeway' and ${condition}`,
    );
    return rows[0].count as number;
  };
  return {
    server,
    url,
    client,
    release: () => client.query('delete from slow_down'),
    requestIsRunning: () =>
      waitUntil('the request is running', async () => (await countOf("wait_event = 'PgSleep'")) > 0),
    connections: () => countOf('true'),
  };
}

/** A key that the operator issues on this server. */
async function issueKey(url: string): Promise<string> {
  const run = async (command: string, input: object) => {
    const response = await fetch(`${url}/operator/${command}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    return ((await response.json()) as { data: { id: string; token: string } }).data;
  };
  const { id: partnerId } = await run('partners.create', { name: 'Acme' });
  const user = { email: 'ana@example.com', givenName: 'Ana', familyName: 'Ribeiro' };
  const { id: userId } = await run('users.create', user);
  await run('partners.allow-user', { partnerId, userId });
  const { token } = await run('keys.issue', { name: 'a test', partnerId, userId });
  noteSecret(token.split('_')[2]!);
  return token;
}

async function refusesConnections(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const [outcome] = await Promise.race([
    once(socket, 'connect').then(() => ['connected']),
    once(socket, 'error'),
  ]).catch((error) => [error]);
  socket.destroy();
  return outcome?.code === 'ECONNREFUSED';
}

describe('a stop by SIGTERM', () => {
  test('a request that was answered just before is in the request log', async () => {
    const databaseUrl = await cloneDatabase();
    const server = runServe(settings(databaseUrl));
    const url = await urlOf(server);
    const token = await issueKey(url);
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await fetch(`${url}/api/crypto/assets`, { headers });
    server.child.kill('SIGTERM');
    assert.deepEqual([status, await server.exited], [200, 0], server.stderr);
    const client = new pg.Client({ connectionString: databaseUrl });
    clients.add(client);
    await client.connect();
    const { rows } = await client.query('select path, status from request_log');
    assert.deepEqual(rows, [{ path: '/api/crypto/assets', status: 200 }]);
  });

  test('200 for the request that is running; new connections are refused; exit code 0, no connection left', async () => {
    const { server, url, release, requestIsRunning, connections } = await serveBlocked({
      SHUTDOWN_GRACE_MS: '120000',
    });
    const inFlight = createPartner(url);
    await requestIsRunning();
    server.child.kill('SIGTERM');
    await waitUntil('new connections are refused', () => refusesConnections(url));
    assert.equal(server.child.exitCode, null);
    await release();
    const answer = await inFlight;
    assert.equal(answer.status, 200);
    assert.equal(((await answer.json()) as { data: { name: string } }).data.name, 'In flight');
    assert.equal(await server.exited, 0);
    // The client's connection would have been kept alive: it must not hold the stop up until the end of the
    // grace.
    assert.ok(!logLines(server).some(({ graceMs }) => graceMs !== undefined));
    assert.equal(await connections(), 0);
    assert.deepEqual([logLines(server).at(-1)?.msg, server.stderr], ['stopped', '']);
  });

  test('503 in our form for a request that was half sent, and its connection is closed', async () => {
    const server = runServe(settings(await cloneDatabase()));
    const url = await urlOf(server);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    // Both come in one packet: once the first is answered, the server has seen the half of the second.
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /ready HTTP/1.1\r\nHost: a\r\n');
    await waitUntil('the first request is answered', () => received.includes('{"status":"ok"}'));
    received = '';
    server.child.kill('SIGTERM');
    await waitUntil('new connections are refused', () => refusesConnections(url));
    socket.write('\r\n');
    await once(socket, 'close');
    assert.match(received, /^HTTP\/1\.1 503 .*\r\nconnection: close\r\n/is);
    assert.match(received, /\r\n\r\n\{"error":"Stopping","code":"unavailable","requestId":"[^"]+"\}$/);
    assert.equal(await server.exited, 0);
  });

  test('the grace runs out: what still runs is cut off and rolled back, and the exit code is 0 all the same', async () => {
    const { server, url, client, release, requestIsRunning, connections } = await serveBlocked({
      SHUTDOWN_GRACE_MS: '1000',
    });
    const cutOff = assert.rejects(createPartner(url));
    await requestIsRunning();
    const startedAt = Date.now();
    server.child.kill('SIGTERM');
    assert.equal(await server.exited, 0);
    assert.ok(Date.now() - startedAt >= 900, `${Date.now() - startedAt} ms, with a grace of 1 s`);
    await cutOff;
    assert.ok(logLines(server).some(({ level, graceMs }) => level === 'warn' && graceMs === 1_000));
    assert.equal(server.stderr, '');
    await release();
    await waitUntil('PostgreSQL has noticed', async () => (await connections()) === 0);
    assert.equal((await client.query('select 1 from partners where not is_house')).rowCount, 0);
  });
});

test('at start, the log names the operators without a role, and no token', async () => {
  const server = runServe(settings(await cloneDatabase()));
  await urlOf(server);
  const warnings = logLines(server).filter(({ operators }) => operators !== undefined);
  assert.deepEqual(
    warnings.map(({ level, operators }) => [level, operators]),
    [['warn', ['tester']]],
  );
  assert.ok(!server.stdout.includes(operatorToken) && !server.stdout.includes(viewerToken));
  server.child.kill('SIGTERM');
  assert.equal(await server.exited, 0);
});

describe('serve says in plain words why it cannot start: an exit code by the reason, no stack trace', {
  concurrency: true,
}, () => {
  async function failure(env: Record<string, string>, exitCode: number): Promise<string> {
    const server = runServe(env);
    assert.equal(await server.exited, exitCode);
    assert.equal(server.stdout, '');
    assert.doesNotMatch(server.stderr, /^\s+at |\.ts\b|Error:/m);
    return server.stderr;
  }

  test('nothing is set: all three settings that have no default, at once', async () => {
    const said = await failure({}, 2);
    assert.deepEqual(
      said
        .trim()
        .split('\n')
        .map((line) => line.split('.')[0]),
      ['DATABASE_URL is missing', 'OPERATOR_TOKENS is missing', 'ENCRYPTION_KEYS is missing'],
    );
  });

  test('the database does not answer', async () => {
    const password = noteSecret(randomBytes(16).toString('hex'));
    const said = await failure(settings(`postgres://causeway:${password}@127.0.0.1:1/causeway`), 3);
    assert.equal(said, 'The database at DATABASE_URL does not answer: connect ECONNREFUSED 127.0.0.1:1.\n');
  });

  test('the password is wrong', async () => {
    const url = new URL(await cloneDatabase());
    url.password = noteSecret(randomBytes(16).toString('hex'));
    const said = await failure(settings(url.href), 4);
    assert.equal(
      said,
      'The database at DATABASE_URL refused: password authentication failed for user "causeway".\n',
    );
  });

  test('the schema is newer than this release knows', async () => {
    const databaseUrl = await cloneDatabase();
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(
      "insert into schema_migrations (version, name, sha256) values (9999, '9999_later.sql', '')",
    );
    await client.end();
    const said = await failure(settings(databaseUrl), 4);
    assert.match(
      said,
      new RegExp(
        `^The database is at schema version 9999, newer than ${knownVersion}, .*newer release\\.\\n$`,
      ),
    );
  });

  test('the schema is not there yet', async () => {
    const said = await failure(settings(await cloneDatabase('template0')), 4);
    assert.match(said, /^The database is at schema version 0 .*: run `causeway migrate` first\.\n$/);
  });
});
