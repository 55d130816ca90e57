import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { runCli } from '#test/callers/run-cli';
import { makeFunds, makePartner, makeUser } from '#test/data/factories';
import { exitCodes } from '../src/cli/exit-codes.ts';
import { noteSecret, useHarness } from './harness.ts';

const harness = useHarness();
const folder = mkdtempSync(path.join(tmpdir(), 'causeway-exit-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const byUrl = () => ['--url', harness.url, '--token', harness.operatorToken];
const byDatabase = () => ({
  DATABASE_URL: harness.databaseUrl,
  ENCRYPTION_KEYS: noteSecret(`1:${randomBytes(32).toString('base64')}`),
});
const run = (args: string[], env = {}) => runCli(args, { cwd: folder, env });
const lastLine = (text: string) => text.split('\n').at(-1)!;

/** As somebody who owns the tables would. */
async function behindItsBack(table: string, statement: string): Promise<void> {
  await harness.deps.db.transaction(async (db) => {
    await db.query(`alter table ${table} disable trigger user`);
    assert.equal((await db.query(`${statement} returning 1`)).length, 1);
    await db.query(`alter table ${table} enable trigger user`);
  });
}

const firstLineOf = (userId: string) =>
  `number = 1 and list_id = (select id from ledger_lists where user_id = '${userId}' and is_settled)`;

test('1 ledger verify of a changed ledger, by --url and by DATABASE_URL; 0 before and after', async () => {
  const { id } = await makeUser(harness);
  for (const amount of ['5', '7']) await makeFunds(harness, id, 'polygon', 'USDC', amount);
  const sound = await run(['ledger', 'verify', ...byUrl()]);
  assert.deepEqual([sound.code, sound.err], [0, '']);
  assert.match(lastLine(sound.out), /^The ledger is sound\. Checked: \d+ users?, \d+ lines\.$/);
  await makeFunds(harness, id, 'polygon', 'USDC', '9');
  const since = await run(['ledger', 'verify', '--since-last', ...byUrl()]);
  assert.deepEqual([since.code, since.err], [0, '']);
  assert.match(lastLine(since.out), /^The ledger is sound\. Checked: \d+ users?, 1 lines?\.$/);
  const change = (by: string) =>
    behindItsBack('ledger_lines', `update ledger_lines set description = ${by} where ${firstLineOf(id)}`);
  await change(`description || '!'`);
  for (const [args, env] of [
    [byUrl(), {}],
    [[], byDatabase()],
  ] as const) {
    const changed = await run(['ledger', 'verify', ...args], env);
    assert.equal(changed.code, 1, changed.err);
    assert.match(lastLine(changed.out), /^The ledger is NOT sound\. Faults: [1-9]\d*\. Checked: /);
    const json = await run(['ledger', 'verify', '--json', ...args], env);
    assert.deepEqual([json.code, JSON.parse(json.out).isSound], [1, false]);
    assert.match(json.err, /^The ledger is NOT sound\./);
  }
  await change(`left(description, -1)`);
  assert.equal((await run(['ledger', 'verify', ...byUrl()])).code, 0);
});

test('1 ledger verify finds a fault of a user who is not on the first page', async () => {
  const users: string[] = [];
  for (let made = 0; made < 55; made++) {
    const { id } = await makeUser(harness);
    await makeFunds(harness, id, 'polygon', 'USDC', '1');
    users.push(id);
  }
  const last = users.sort().at(-1)!;
  const change = (by: string) =>
    behindItsBack('ledger_lines', `update ledger_lines set description = ${by} where ${firstLineOf(last)}`);
  await change(`description || '!'`);
  const first = await run(['ledger', 'verify', '--limit', '50', '--json', ...byUrl()]);
  assert.deepEqual([first.code, JSON.parse(first.out).isSound], [0, true]);
  const all = await run(['ledger', 'verify', '--json', ...byUrl()]);
  const { isSound, users: count, nextCursor } = JSON.parse(all.out);
  assert.deepEqual([all.code, isSound, nextCursor], [1, false, null]);
  assert.ok(count >= 55);
  await change(`left(description, -1)`);
});

test('1 audit verify of a changed log, with the row; 0 before and after', async () => {
  await makePartner(harness);
  assert.match(lastLine((await run(['audit', 'verify', ...byUrl()])).out), /^The audit log is intact\. /);
  const change = (by: string) =>
    behindItsBack(
      'audit_log',
      `update audit_log set action = ${by} where id = (select min(id) from audit_log)`,
    );
  await change(`action || '!'`);
  const changed = await run(['audit', 'verify', ...byUrl()]);
  assert.equal(changed.code, 1);
  assert.match(lastLine(changed.out), /^The audit log is NOT intact: \d+\. Checked: \d+ rows\.$/);
  await change(`left(action, -1)`);
  assert.equal((await run(['audit', 'verify', ...byUrl()])).code, 0);
});

test('0 users reseal ends with what to do next, for people and beside JSON', async () => {
  const shown = await run(['users', 'reseal', ...byUrl()]);
  assert.deepEqual([shown.code, shown.err], [0, '']);
  assert.match(lastLine(shown.out), /^Every user is encrypted with key \d+\.$/);
  const json = await run(['users', 'reseal', '--json', ...byUrl()]);
  assert.deepEqual([json.code, JSON.parse(json.out).remaining], [0, 0]);
  assert.match(json.err, /^Every user is encrypted with key \d+\.$/);
});

test('3 a server that is busy; 4 one that fails or refuses', async () => {
  for (const [status, code] of [
    [502, 3],
    [503, 3],
    [500, 4],
    [409, 4],
    [404, 4],
  ] as const) {
    const server = createServer((_request, response) => {
      response.writeHead(status).end('{"error":"No"}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const outcome = await run(['users', 'list', '--url', url, '--token', 'x']);
    server.close();
    assert.deepEqual(outcome, { code, out: '', err: 'No' });
  }
});

test('docs/operating.md has every exit code', () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../docs/operating.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith('Exit codes'))!;
  const listed = [...section.matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code));
  assert.deepEqual(listed, Object.values(exitCodes));
});
