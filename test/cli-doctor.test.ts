import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { runCli } from '#test/callers/run-cli';
import { runInTerminal } from '#test/callers/terminal';
import { noteSecret, useHarness } from './harness.ts';

const harness = useHarness();
const folder = mkdtempSync(path.join(tmpdir(), 'causeway-cli-doctor-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const password = noteSecret('password-of-the-database-41b9');
const nodeKey = noteSecret('key-of-a-node-in-its-address-88c2');
const encryptionKey = noteSecret(Buffer.alloc(32, 7).toString('base64'));
const envOf = (DATABASE_URL: string) => ({
  DATABASE_URL,
  ENCRYPTION_KEYS: `1:${encryptionKey}`,
  POLYGON_RPC_URLS: `http://127.0.0.1:1/v2/${nodeKey},http://someone:${nodeKey}@127.0.0.1:1/`,
  CAUSEWAY_HOME: folder,
});
const secrets = [password, nodeKey, encryptionKey];
const byUrl = () => ['--url', harness.url, '--token', harness.operatorToken];

interface Item {
  check: string;
  state: string;
  seen: string;
}

test('1 doctor with a problem, on a server: a list, then the verdict', async () => {
  const { code, out } = await runCli(['doctor', ...byUrl()], { cwd: folder });
  assert.equal(code, 1, out);
  const lines = out.split('\n');
  assert.match(lines[0]!, /^✓ database server +PostgreSQL \d+/);
  assert.ok(
    lines.some((line) => /^✗ workers +No worker has run yet$/.test(line)),
    out,
  );
  assert.ok(lines.some((line) => /^ +→ Start a process with causeway serve --roles worker\.$/.test(line)));
  assert.match(lines.at(-1)!, /^Problems: workers, /);
});

test('1 doctor --json: the data on standard output, the verdict on standard error', async () => {
  const { code, out, err } = await runCli(['doctor', '--json', ...byUrl()], { cwd: folder });
  assert.equal(code, 1);
  const { items, problems } = JSON.parse(out);
  assert.ok(items.length > 25 && problems.includes('workers'));
  assert.match(err, /^Problems: /);
});

test('0 doctor without a problem', async () => {
  await harness.deps.db.query(`insert into job_leases values ('rate-limit.sweep', 1, now())`);
  // Without networks: an unreachable node is a problem.
  const { POLYGON_RPC_URLS, ...env } = envOf(harness.databaseUrl);
  const { code, out } = await runCli(['doctor'], {
    cwd: folder,
    env: { ...env, DATABASE_DURABILITY: 'relaxed' },
  });
  assert.equal(code, 0, out);
  assert.match(out.split('\n').at(-1)!, /^No problem found\. Checked: \d+ fine, \d+ warnings, 1 skipped\.$/);
});

test('1 doctor without a database: it says so, checks the rest, and shows no secret', async () => {
  const url = `postgres://someone:${password}@127.0.0.1:1/causeway`;
  const { code, out, err } = await runCli(['doctor', '--json'], { cwd: folder, env: envOf(url) });
  assert.equal(code, 1, err);
  const items: Item[] = JSON.parse(out).items;
  const [first, ...rest] = items;
  assert.equal(first!.state, 'problem');
  assert.match(first!.seen, /^The database does not answer: connect ECONNREFUSED 127\.0\.0\.1:1$/);
  assert.equal(rest.filter(({ seen }) => seen === 'The database does not answer').length, rest.length - 3);
  const others = rest.filter(({ state }) => state !== 'skipped').map(({ check }) => check);
  assert.deepEqual(others, ['nodes of polygon', 'public address', 'secret files']);
  for (const secret of secrets) assert.ok(!(out + err).includes(secret));
});

test('1 doctor with a database that accepts connections and is silent ends within its timeouts', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as { port: number };
  const url = `postgres://someone:${password}@127.0.0.1:${port}/causeway`;
  const { code, out, err } = await runCli(['doctor'], { cwd: folder, env: envOf(url) });
  assert.equal(code, 1, err);
  assert.match(out, /✗ database server +(The database does not answer|Not checked): /);
  for (const secret of secrets) assert.ok(!(out + err).includes(secret));
});

test('a .env that everybody may read is a problem', async () => {
  const file = path.join(folder, '.env');
  writeFileSync(file, '');
  chmodSync(file, 0o644);
  const { out } = await runCli(['doctor'], { cwd: folder, env: envOf(harness.databaseUrl) });
  rmSync(file);
  assert.match(out, /✗ secret files +Open to every user of this machine: \.env\n/);
});

for (const columns of [60, 80, 140]) {
  test(`doctor on ${columns} columns: no line is wider, and marks have colours`, async () => {
    const { code, screen } = await runInTerminal(['doctor', ...byUrl()], { cwd: folder, columns });
    assert.equal(code, 1, screen);
    assert.ok(screen.includes('\u001b[32m✓') && screen.includes('\u001b[31m✗'));
    const lines = stripVTControlCharacters(screen).split('\n');
    // The verdict is one line, as that of every check.
    for (const line of lines.slice(0, lines.indexOf('')))
      assert.ok(line.length <= columns, `${line.length}: ${line}`);
  });
}

test('help and completion know a command of one word', async () => {
  const help = await runCli(['doctor', '--help'], { cwd: folder });
  assert.match(help.out, /^causeway doctor: Check this deployment/);
  const words = await runCli(['completion', 'words', '--', 'doct'], { cwd: folder });
  assert.match(words.out, /^doctor\tCheck this deployment/);
  const flags = await runCli(['completion', 'words', '--', 'doctor', '--j'], { cwd: folder });
  assert.equal(flags.out, '--json');
  const wrong = await runCli(['doctor', '--loud'], { cwd: folder });
  assert.equal(wrong.code, 2);
});
