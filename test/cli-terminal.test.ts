import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { runCli } from '#test/callers/run-cli';
import { eraseLine, runInTerminal } from '#test/callers/terminal';
import { makeKey, makeUser, makeWithdrawal } from '#test/data/factories';
import { commands } from '../src/app.ts';
import { textWidth } from '../src/cli/text-width.ts';
import { useHarness } from './harness.ts';

const harness = useHarness();
const folder = mkdtempSync(path.join(tmpdir(), 'causeway-terminal-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const byUrl = () => ['--url', harness.url, '--token', harness.operatorToken];
const blocked = (id: number) => ({
  address: `0x${String(id).repeat(40)}`,
  reason: 'Reported after the payment by three partners at once',
});

/** At most `many` at a time. */
async function forSome<Item>(items: readonly Item[], many: number, work: (item: Item) => Promise<void>) {
  const iterator = items.values();
  const workThrough = async () => {
    for (const item of iterator) await work(item);
  };
  await Promise.all(Array.from({ length: many }, workThrough));
}

const show = (args: string[], columns: number, env = {}) =>
  runInTerminal([...args, ...byUrl()], { cwd: folder, columns, env });

for (const columns of [80, 120, 200]) {
  test(`withdrawals list on ${columns} columns: no line is wider, the important columns are first`, async () => {
    await makeWithdrawal(harness, await makeKey(harness));
    const { code, screen } = await show(['withdrawals', 'list'], columns);
    assert.equal(code, 0, screen);
    assert.ok(screen.includes('\u001b[1mSTATUS'), 'the heading is bold');
    const lines = stripVTControlCharacters(screen).split('\n');
    assert.match(lines[0]!, /^STATUS +AMOUNT +CURRENCY +NETWORK +TO ADDRESS +CREATED +ID\b/);
    assert.match(lines[1]!, columns === 80 ? /0x\w{6}…\w{6}/ : /0x\w{6,40}/);
    const table = lines.slice(0, lines.indexOf(''));
    for (const line of table) assert.ok(line.length <= columns, line);
  });
}

test('no line of any reading command, refusal or help is wider than a terminal of 80 columns', async () => {
  const key = await makeKey(harness);
  await makeWithdrawal(harness, key);
  await makeUser(harness, { givenName: '美玲'.repeat(30), familyName: '👩‍👩‍👧 Zoe\u0308' });
  for (const id of [1, 2, 3]) await harness.operator('users.block-address', blocked(id));
  const readers = commands.filter(
    ({ changes, fileTypes, input }) => !changes && !fileTypes && !input.required?.length,
  );
  const lines = [
    ...readers.map(({ name }) => name.split('.')),
    ['users', 'list-blocked-addresses', '--limit', '1'],
    ['ledger', 'balances', key.userId],
    ['withdrawals', 'list', '--status', 'completed', '--user', 'nobody-with-a-very-long-name@example.com'],
    ['wallets', 'accept-outcome', '--outcome', 'completed'],
    ['keys', 'issue', '--help'],
  ];
  assert.ok(lines.length > 35, String(lines.length));
  const wide: string[] = [];
  await forSome(lines, 3, async (line) => {
    const { code, screen } = await show(line, 80);
    assert.ok(code >= 0 && code < 5, screen);
    for (const shown of stripVTControlCharacters(screen).split('\n'))
      if (textWidth(shown) > 80) wide.push(`${line.join(' ')}: ${shown}`);
  });
  assert.deepEqual(wide, []);
});

test('NO_COLOR: the same words without colour', async () => {
  const [coloured, plain] = [
    await show(['audit', 'verify'], 80),
    await show(['audit', 'verify'], 80, { NO_COLOR: '1' }),
  ];
  assert.deepEqual([coloured.code, plain.code], [0, 0]);
  assert.ok(coloured.screen.includes('\u001b[32m'));
  // The progress line may have been drawn; its control codes move the cursor and have no colour.
  assert.ok(!/\[\d+m/.test(plain.screen), plain.screen);
  assert.match(stripVTControlCharacters(plain.screen), /The audit log is intact\. Checked: \d+ rows\.$/);
});

test('progress is shown on a terminal, and is gone when the work ends', async () => {
  const atDatabase = (DATABASE_URL: string) => ({
    cwd: folder,
    columns: 60,
    env: { DATABASE_URL, CAUSEWAY_HOME: folder },
  });
  const migrated = await runInTerminal(['migrate'], atDatabase(harness.databaseUrl));
  assert.deepEqual([migrated.code, migrated.screen.trim()], [0, 'The database is up to date.']);

  const nothing = 'postgres://nobody@127.0.0.1:1/nothing';
  const { code, screen, written } = await runInTerminal(['sandbox'], atDatabase(nothing));
  assert.equal(code, 3, written);
  const drawn = written.split(eraseLine).map(stripVTControlCharacters);
  for (const step of ['Loading the program', 'Starting PostgreSQL, three networks and a card issuer'])
    assert.ok(
      drawn.some((line) => line.includes(step)),
      written,
    );
  for (const line of drawn.slice(0, -1)) assert.ok(line.length <= 60, line);
  assert.match(screen, /^The database at DATABASE_URL does not answer/);
});

test('no progress in a pipe', async () => {
  const { code, out, err } = await runCli(['migrate'], {
    cwd: folder,
    env: { DATABASE_URL: harness.databaseUrl },
  });
  assert.deepEqual([code, out.trim(), err], [0, 'The database is up to date.', '']);
});
