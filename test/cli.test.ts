import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { after, suite, test } from 'node:test';
import pg from 'pg';
import { readFunctions } from '#platform/db/apply-functions';
import { knownVersion, readMigrations } from '#platform/db/migrate';
import { cliFile, runCli } from '#test/callers/run-cli';
import { makePartner, makeUser } from '#test/data/factories';
import { commands } from '../src/app.ts';
import { cloneDatabase, noteSecret, useHarness } from './harness.ts';

const harness = useHarness();
const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'causeway-cli-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** In a folder without a sandbox. */
const run = (args: string[], env: Record<string, string> = {}, program?: string[]) =>
  runCli(args, { cwd: folder, env, program });

const encryptionKeys = noteSecret(`1:${randomBytes(32).toString('base64')}`);
const byDatabase = () => ({ DATABASE_URL: harness.databaseUrl, ENCRYPTION_KEYS: encryptionKeys });
const byUrl = () => ['--url', harness.url, '--token', harness.operatorToken];
const operatorName = `cli-${userInfo().username}`;

async function countTables(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query("select from pg_tables where schemaname = 'public'");
    return rows.length;
  } finally {
    await client.end();
  }
}

const isOneSentence = (text: string) => /^[^\n]+$/.test(text) && !text.includes('    at ');

// Two at a time: a process waits for the server or the database about as long as it computes.
suite('causeway', { concurrency: 2 }, () => {
  test('0 --help, help, -h and nothing at all: every command with its summary', async () => {
    const [long, ...others] = await Promise.all([['--help'], ['help'], ['-h'], []].map((args) => run(args)));
    assert.equal(long!.code, 0);
    for (const { name, summary } of commands) {
      const text = long!.out.replaceAll(/\n {20,}/g, ' ');
      assert.ok(text.includes(`  ${name.replace('.', ' ')} `) && text.includes(summary), name);
    }
    for (const word of ['serve', 'migrate', 'sandbox'])
      assert.match(long!.out, new RegExp(`^ {2}${word} `, 'm'));
    for (const other of others) assert.deepEqual(other, long);
  });

  test('0 <command> --help: its flags, without any server, whatever else is typed', async () => {
    const [{ code, out }, ...others] = await Promise.all([
      run(['keys', 'issue', '--help']),
      run(['keys', 'issue', '-h']),
      run(['keys', 'issue', '--colour', 'red', '--help']),
    ]);
    for (const other of others) assert.deepEqual(other, { code, out, err: '' });
    assert.equal(code, 0);
    assert.match(out, /^causeway keys issue: Issue a key/);
    for (const flag of [
      '--partner-id',
      '--user-id',
      '--scopes',
      '--ip-allowlist',
      '--expires-at',
      '--wide, --json, --csv',
      '--url',
    ]) {
      assert.match(out, new RegExp(`^ {2}${flag}\\b`, 'm'));
    }
  });

  test('0 --version: that of package.json', async () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    for (const flag of ['--version', '-v'])
      assert.deepEqual(await run([flag]), { code: 0, out: `causeway ${version}`, err: '' });
  });

  test('0 <feature> alone or with --help: its commands and no others', async () => {
    const [alone, ...others] = await Promise.all(
      [['keys'], ['keys', '--help'], ['keys', '-h']].map((args) => run(args)),
    );
    assert.equal(alone!.code, 0);
    const listed = [...alone!.out.matchAll(/^ {2}(\w+) ([\w-]+) {2}/gm)].map(([, ...words]) =>
      words.join('.'),
    );
    const names = commands.map(({ name }) => name);
    assert.deepEqual(
      listed,
      names.filter((name) => name.startsWith('keys.')),
    );
    for (const other of others) assert.deepEqual(other, alone);
  });

  test('0 serve, migrate, sandbox --help: what it does and its flags, and nothing is started', async () => {
    const env = { DATABASE_URL: await cloneDatabase('template0') };
    for (const [name, ...flags] of [['serve', '--roles'], ['migrate'], ['sandbox', '--reset']] as const) {
      const [long, short] = await Promise.all([run([name, '--help'], env), run([name, ...flags, '-h'], env)]);
      assert.deepEqual([long.code, long.err], [0, '']);
      assert.match(long.out, new RegExp(`^causeway ${name}: \\w`));
      for (const flag of flags) assert.match(long.out, new RegExp(`^ {2}${flag}\\b`, 'm'));
      assert.deepEqual(short, long);
    }
    assert.equal(await countTables(env.DATABASE_URL), 0);
    assert.ok(!existsSync(path.join(folder, '.causeway')));
  });

  test('2 migrate with a word or flag that it does not know: nothing is run', async () => {
    const env = { DATABASE_URL: await cloneDatabase('template0') };
    for (const [word, reason] of [
      ['--dry-run', 'Unknown flag --dry-run'],
      ['--hlep', 'Unknown flag --hlep'],
      ['up', "Unexpected argument 'up'"],
    ] as const) {
      assert.deepEqual(await run(['migrate', word], env), {
        code: 2,
        out: '',
        err: `${reason}. See: causeway migrate --help`,
      });
    }
    assert.equal(await countTables(env.DATABASE_URL), 0);
  });

  for (const [args, message] of [
    [['users', 'delete'], 'Unknown command "users delete". See: causeway users --help'],
    [['users', 'delete', '--help'], 'Unknown command "users delete". See: causeway users --help'],
    [['users', 'lst'], 'Unknown command "users lst". Did you mean "users list"? See: causeway users --help'],
    [['user'], 'Unknown command "user". Did you mean "users"? See: causeway --help'],
    [['user', '--help'], 'Unknown command "user". Did you mean "users"? See: causeway --help'],
    [['version'], 'Unknown command "version". Did you mean "--version"? See: causeway --help'],
    [['help', 'usres', 'list'], 'Unknown command "usres list". Did you mean "users"? See: causeway --help'],
    [['migarte'], 'Unknown command "migarte". Did you mean "migrate"? See: causeway --help'],
    [
      ['users', 'list', '--emial', 'x'],
      'Unknown flag --emial. Did you mean --email? See: causeway users list --help',
    ],
    [
      ['users', 'create', '--email', 'a@b.c'],
      'Missing --given-name, --family-name. See: causeway users create --help',
    ],
    [['withdrawals', 'show'], 'Missing --withdrawal-id. See: causeway withdrawals show --help'],
    [['users', 'list', '--colour', 'red'], 'Unknown flag --colour. See: causeway users list --help'],
    [['users', 'list', 'ana'], "Unexpected argument 'ana'. See: causeway users list --help"],
    [['serve', '--port', '1'], 'Unknown flag --port. See: causeway serve --help'],
    [['serve', '--roles', 'api,chef'], 'Unknown role "chef"; the roles are api and worker.'],
    [
      ['users', 'list'],
      'No server given: pass --url and --token, set DATABASE_URL, or start the sandbox in this folder.',
    ],
    [
      ['users', 'list', '--url', 'localhost:8080', '--token', 'x'],
      '--url must be a URL, such as https://causeway.example.com, and is localhost:8080.',
    ],
    [['users', 'list', '--json', '--csv'], 'Pass --json or --csv, not both. See: causeway users list --help'],
    [['users', 'list', '--limit', 'many'], '--limit must be a whole number.'],
    [
      ['users', 'list', '--url', 'http://127.0.0.1:1'],
      'Missing operator token: pass --token or set CAUSEWAY_OPERATOR_TOKEN.',
    ],
    [['migrate'], 'DATABASE_URL is missing.'],
  ] as const) {
    test(`2 ${args.join(' ')}: ${message}`, async () => {
      const { code, out, err } = await run([...args]);
      assert.deepEqual({ code, out }, { code: 2, out: '' });
      assert.ok(isOneSentence(err), err);
      assert.equal(err, message);
    });
  }

  test('0 by --url: a record line by line, a list as a table, both as JSON', async () => {
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const taxId = noteSecret(`TAX-${randomBytes(6).toString('hex')}`);
    const create = ['users', 'create', '--email', email, '--given-name', 'Ana', '--familyName', 'Ribeiro'];
    const created = await run([...create, '--tax-id', taxId, '--email-verified', ...byUrl()]);
    assert.equal(created.code, 0, created.err);
    assert.match(created.out, new RegExp(`^email +${email}$`, 'm'));
    assert.match(created.out, /^email verified +yes$/m);
    assert.match(created.out, /^created at +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/m);
    assert.ok(!created.out.includes(taxId));
    const id = /^id +(\S+)$/m.exec(created.out)![1]!;

    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    const wallet = await run([
      'users',
      'add-wallet',
      '--user-id',
      id,
      '--network',
      'base',
      '--address',
      address,
      '--custody',
      'self',
      ...byUrl(),
    ]);
    assert.equal(wallet.code, 0, wallet.err);

    const table = await run(['users', 'list', '--email', email, ...byUrl()]);
    const [head, row, ...rest] = table.out.split('\n');
    assert.match(head!, /^EMAIL +ID +GIVEN NAME +FAMILY NAME +CREATED AT +EMAIL VERIFIED/);
    assert.ok(row!.startsWith(`${email}  ${id}  Ana `) && row!.includes('  yes'), row);
    assert.deepEqual(rest, ['', 'Not shown: wallets. Add --json']);
    const csv = await run(['users', 'list', '--email', email, '--csv', ...byUrl()]);
    assert.deepEqual([csv.out.split('\r\n').length, csv.out.includes(`${id},${email},true,Ana`)], [2, true]);
    assert.ok(!table.out.includes('\u001b'));

    const json = await run(['users', 'list', '--email', email, '--json', ...byUrl()]);
    const { items, nextCursor } = JSON.parse(json.out);
    assert.deepEqual([items[0].id, items[0].wallets[0].address, nextCursor], [id, address, null]);
  });

  test('0 positional ids, and JSON of a file or of standard input', async () => {
    const { id } = await makeUser(harness);
    const line = {
      userId: id,
      transactionType: 'buy',
      network: 'polygon',
      assetReceived: 'USDC',
      amountReceived: '1',
      description: 'x',
    };
    writeFileSync(path.join(folder, 'lines.json'), JSON.stringify([line, line]));
    const ofFile = await run(['ledger', 'post', '--key', `${id}-1`, '--lines', '@lines.json', ...byUrl()]);
    assert.equal(ofFile.code, 0, ofFile.err);
    const args = ['ledger', 'post', '--key', `${id}-2`, '--lines', '-', ...byUrl()];
    const ofInput = await runCli(args, { cwd: folder, stdin: JSON.stringify([line]) });
    assert.equal(ofInput.code, 0, ofInput.err);
    const { out } = await run(['ledger', 'balances', id, '--json', ...byUrl()]);
    assert.deepEqual(
      JSON.parse(out).items.map(({ balance }: { balance: string }) => balance),
      ['3'],
    );
  });

  test('0 by CAUSEWAY_URL and CAUSEWAY_OPERATOR_TOKEN, page by page', async () => {
    for (let made = 0; made < 3; made++) await makePartner(harness);
    const env = { CAUSEWAY_URL: `${harness.url}/`, CAUSEWAY_OPERATOR_TOKEN: harness.operatorToken };
    const first = await run(['audit', 'list', '--limit', '2'], env);
    const cursor = /^More: add --cursor (\S+)$/m.exec(first.out)![1]!;
    const second = await run(['audit', 'list', '--limit', '1', '--cursor', cursor, '--json'], env);
    const lastOfFirst = Number(first.out.split('\n')[2]!.trim().split(' ')[0]);
    assert.equal(JSON.parse(second.out).items[0].id, String(lastOfFirst - 1));
  });

  test('0 by DATABASE_URL: the same command, audited under the name of the person at the terminal', async () => {
    const created = await run(['partners', 'create', '--name', 'By hand', '--json'], byDatabase());
    assert.equal(created.code, 0, created.err);
    const { id } = JSON.parse(created.out);
    const [row] = (await harness.operator('audit.list', { subject: `partner:${id}` })).body.data.items;
    assert.deepEqual([row.actorKind, row.actorId], ['operator', operatorName]);
  });

  test('0 by DATABASE_URL: an OPERATOR_TOKENS_FILE of the server does not get in the way', async () => {
    const file = path.join(folder, 'operator-tokens');
    writeFileSync(file, `maria:${noteSecret(randomBytes(20).toString('hex'))}`);
    const listed = await run(['users', 'list', '--limit', '1'], {
      ...byDatabase(),
      OPERATOR_TOKENS_FILE: file,
    });
    assert.equal(listed.code, 0, listed.err);
  });

  test('2 by DATABASE_URL without ENCRYPTION_KEYS: the variable that is missing', async () => {
    const { code, err } = await run(['users', 'list'], { DATABASE_URL: harness.databaseUrl });
    assert.equal(code, 2);
    assert.match(err, /^ENCRYPTION_KEYS is missing\. /);
    assert.ok(isOneSentence(err));
  });

  test('2 DATABASE_URL_FILE that cannot be read: the variable and the file, unless --url is given', async () => {
    const env = { ...byDatabase(), DATABASE_URL_FILE: path.join(folder, 'nope') };
    for (const args of [['migrate'], ['users', 'list'], ['serve']]) {
      const { code, err } = await run(args, env);
      assert.deepEqual(
        [code, err.split('\n')[0]],
        [2, `DATABASE_URL_FILE names ${folder}/nope, which cannot be read: there is no such file.`],
      );
    }
    const elsewhere = await run(['users', 'list', '--limit', '1', ...byUrl()], env);
    assert.equal(elsewhere.code, 0, elsewhere.err);
  });

  test('4 the same words for the same fault, by --url and by DATABASE_URL', async () => {
    const [partner, user] = [await makePartner(harness), await makeUser(harness)];
    for (const [args, message] of [
      [
        ['users', 'add-wallet', 'x', '--network', '?', '--address', 'y', '--custody', 'self'],
        '--user-id must be a UUID, such as 0198a0de-5f3c-7000-8000-1c2d3e4f5a6b\n--network must be the name of a network, such as polygon',
      ],
      [
        [
          'keys',
          'issue',
          '--name',
          'x',
          '--partner-id',
          partner.id,
          '--user-id',
          user.id,
          '--ip-allowlist',
          '10.0.0.0/99',
        ],
        '--ip-allowlist: 10.0.0.0/99 has a prefix outside 0 to 32',
      ],
    ] as const) {
      const [remote, direct] = await Promise.all([run([...args, ...byUrl()]), run([...args], byDatabase())]);
      assert.equal(remote.code, 4);
      assert.deepEqual(remote, direct);
      assert.equal(remote.err.split('\n').sort().join('\n'), message.split('\n').sort().join('\n'));
      assert.equal(remote.out, '');
    }
  });

  test('4 a wrong token: says which flag and setting has it', async () => {
    const { code, err } = await run(['users', 'list', '--url', harness.url, '--token', 'wrong']);
    const message = `${harness.url} refused the operator token: pass --token or set CAUSEWAY_OPERATOR_TOKEN.`;
    assert.deepEqual([code, err], [4, message]);
  });

  test('3 a server that does not answer, an unknown host name: one sentence', async () => {
    const gone = createServer();
    await once(gone.listen(0, '127.0.0.1'), 'listening');
    const { port } = gone.address() as AddressInfo;
    gone.close();
    for (const url of [
      `http://127.0.0.1:${port}`,
      `http://localhost:${port}`,
      'http://no-such-host.invalid',
    ]) {
      const { code, out, err } = await run(['users', 'list', '--url', url, '--token', 'x']);
      assert.deepEqual({ code, out }, { code: 3, out: '' });
      assert.ok(isOneSentence(err), err);
      assert.match(err, new RegExp(`^${url} does not answer: .*\\w.*\\.$`));
    }
  });

  test('3 somebody else’s server: said in one sentence', async () => {
    for (const [status, text] of [
      [200, '<html>'],
      [200, '{"hello":"world"}'],
      [404, 'null'],
    ] as const) {
      const other = createServer((_request, response) => response.writeHead(status).end(text));
      await once(other.listen(0, '127.0.0.1'), 'listening');
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const { code, err } = await run(['users', 'list', '--url', url, '--token', 'x']);
      other.close();
      assert.deepEqual(
        [code, err],
        [3, `${url} is not a Causeway server: it sent HTTP ${status} with an unknown body.`],
      );
    }
  });

  test('migrate: an empty database, then again; a command before that says what to run', async () => {
    const env = { DATABASE_URL: await cloneDatabase('template0'), ENCRYPTION_KEYS: encryptionKeys };
    const early = await run(['users', 'list'], env);
    assert.deepEqual(
      [early.code, early.err],
      [
        4,
        `The database is at schema version 0 and this release needs ${knownVersion}: run \`causeway migrate\` first.`,
      ],
    );
    const names = readMigrations().map(({ name }) => name);
    const missing = names.map((name) => `${name} is not applied.`).join('\n');
    assert.deepEqual(await run(['migrate', '--check'], env), { code: 1, out: missing, err: '' });
    const applied = `Applied ${names.join(', ')}.\nApplied ${readFunctions().length} functions and views.`;
    assert.deepEqual(await run(['migrate'], env), { code: 0, out: applied, err: '' });
    const same = 'The database matches this release.';
    assert.deepEqual(await run(['migrate', '--check'], env), { code: 0, out: same, err: '' });
    assert.deepEqual(await run(['migrate'], env), { code: 0, out: 'The database is up to date.', err: '' });
    assert.deepEqual(await run(['users', 'list'], env), { code: 0, out: 'Nothing found.', err: '' });
    const client = new pg.Client({ connectionString: env.DATABASE_URL });
    await client.connect();
    await client.query(`insert into schema_function_sets (digest) values ('of a later release')`);
    await client.end();
    const later =
      'The database keeps functions of a later release. To replace them, run `causeway migrate --functions`.';
    assert.deepEqual(await run(['migrate'], env), { code: 0, out: later, err: '' });
    const all = `Applied ${readFunctions().length} functions and views.`;
    assert.deepEqual(await run(['migrate', '--functions'], env), { code: 0, out: all, err: '' });
  });

  test('3 a database that does not answer: one sentence without its password, for commands and migrate', async () => {
    const password = noteSecret(randomBytes(12).toString('hex'));
    const env = {
      DATABASE_URL: `postgres://causeway:${password}@127.0.0.1:1/causeway`,
      ENCRYPTION_KEYS: encryptionKeys,
    };
    for (const args of [['users', 'list'], ['migrate']]) {
      const { code, err } = await run(args, env);
      assert.equal(code, 3);
      assert.ok(isOneSentence(err) && !err.includes(password), err);
      assert.match(err, /^The database at DATABASE_URL does not answer: .*ECONNREFUSED/);
    }
  });

  test('4 a database that answers and refuses: its reason in one sentence, for commands and migrate', async () => {
    const role = `r_${randomBytes(6).toString('hex')}`;
    const password = noteSecret(randomBytes(12).toString('hex'));
    await harness.deps.db.query(`create role ${role} login password '${password}'`);
    const asRole = (databaseUrl: string) => {
      const url = new URL(databaseUrl);
      [url.username, url.password] = [role, password];
      return { DATABASE_URL: url.href, ENCRYPTION_KEYS: encryptionKeys };
    };
    for (const [args, databaseUrl, what] of [
      [['migrate'], await cloneDatabase('template0'), 'schema public'],
      [['users', 'list'], harness.databaseUrl, 'table schema_migrations'],
    ] as const) {
      assert.deepEqual(await run([...args], asRole(databaseUrl)), {
        code: 4,
        out: '',
        err: `The database at DATABASE_URL refused: permission denied for ${what}.`,
      });
    }
  });

  test('a reader that stops early, as head does, is no fault', async () => {
    for (let made = 0; made < 30; made++) await makePartner(harness);
    const child = spawn(process.execPath, [cliFile, 'audit', 'list', '--json', ...byUrl()], { cwd: folder });
    child.stdout.destroy();
    let err = '';
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const [code] = await once(child, 'close');
    assert.deepEqual([code, err], [0, '']);
  });

  // Debian's Node 20 where there is one: the launcher hands over to the pinned Node.
  const anyNode = existsSync('/usr/bin/node') ? '/usr/bin/node' : process.execPath;

  test(`bin/causeway.js under ${anyNode}: the same words and exit codes`, async () => {
    const launcher = [anyNode, path.join(root, 'bin/causeway.js')];
    assert.deepEqual(await run(['--help'], {}, launcher), await run(['--help']));
    assert.deepEqual(await run(['users', 'delete'], {}, launcher), await run(['users', 'delete']));
    const listed = await run(['audit', 'verify', '--json', ...byUrl()], {}, launcher);
    assert.equal(listed.code, 0, listed.err);
    assert.equal(JSON.parse(listed.out).intact, true);
  });
});
