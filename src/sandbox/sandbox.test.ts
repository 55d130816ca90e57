import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { callNode } from '#adapters/evm';
import { usualScopes } from '#features/keys';
import { processFile } from '#test/bundle/process-file';
import {
  launchSandbox as launch,
  type StartedSandbox as Started,
  startSandbox as start,
  stopSandbox as stop,
} from '#test/callers/start-sandbox';
import { makeUser } from '#test/data/factories';
import { ask, cloneDatabase, useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { exitCodes } from '../cli/exit-codes.ts';
import type { SandboxFile } from './sandbox-file.ts';

const harness = useHarness();
const folder = mkdtempSync(path.join(tmpdir(), 'causeway sandbox '));
// As root, PostgreSQL runs under another account, which must be able to pass through here.
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function collect(child: ChildProcess): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  child.stdout!.on('data', (chunk) => (stdout += chunk));
  child.stderr!.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

const postgresPid = (home: string) =>
  Number(readFileSync(path.join(home, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);

/** By the port that the server wrote into its pid file and the password beside its data. */
const databaseUrlOf = (home: string) => {
  const port = readFileSync(path.join(home, 'postgres/postmaster.pid'), 'utf8').split('\n')[3];
  const password = readFileSync(path.join(home, 'postgres-password'), 'utf8').trim();
  return `postgres://causeway:${password}@127.0.0.1:${port}/causeway`;
};

/** What is the same at every start: everything but the ports that were free. */
const withoutPorts = (sandbox: SandboxFile): unknown =>
  JSON.parse(JSON.stringify(sandbox).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'somewhere'));

async function untilDead(pid: number): Promise<void> {
  for (let waited = 0; isAlive(pid); waited += 100) {
    assert.ok(waited < 120_000, `process ${pid} is still there`);
    await sleep(100);
  }
}

/**
 * A curl line of the banner, done by fetch: the test machine may have no curl. The banner's first lines name
 * what such a line uses.
 */
function paste(line: string) {
  const names = new Map(
    [...first.banner.matchAll(/(?<=^ {2}|[\w'] )([A-Z]+)=('[^']*'|\S+)/gm)].map(([, name, value]) => [
      name!,
      value!.replaceAll("'", ''),
    ]),
  );
  const full = line.replaceAll(/\$([A-Z]+)/g, (_, name) => names.get(name) ?? assert.fail(`no ${name}`));
  const url = /https?:\/\/[^\s'"]+/.exec(full)![0];
  const headers = Object.fromEntries(
    [...full.matchAll(/-H ['"]([^:]+): ([^'"]+)['"]/g)].map(([, name, value]) => [name, value]),
  );
  const body = /-d '([^']*)'/.exec(full)?.[1];
  return ask(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: headers as Record<string, string>,
    body,
  });
}

async function expectSentence(
  home: string,
  sentence: RegExp,
  args: string[] = [],
  env: Record<string, string> = {},
  exitCode: number = exitCodes.refused,
) {
  const { code, stdout, stderr } = await collect(launch(home, args, env));
  assert.equal(code, exitCode, stderr);
  assert.match(stderr.trim(), sentence);
  assert.equal(stderr.trim().split('\n').length, 1, stderr);
  assert.equal(stdout, '');
}

// The tests up to the next line of this kind are the life of one sandbox, each going on where the one before
// it stopped: a start takes seconds of CPU, and a first one many.
const home = path.join(folder, 'home');
let first: Started;

const operate = ({ sandbox }: Started, command: string, input: object) =>
  ask(`${sandbox.operatorUrl}/operator/${command}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });

async function query(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql);
  await client.end();
}

test('npm start: a first start, the banner as pasted, every key', async (t) => {
  first = await start(home);

  await t.test('sandbox.json is private and complete', () => {
    assert.equal(statSync(path.join(home, 'sandbox.json')).mode & 0o777, 0o600);
    const { users, keys, partner, ...rest } = first.sandbox;
    assert.deepEqual(Object.keys(users), ['owner', 'friend', 'stranger', 'blocked', 'business']);
    assert.deepEqual(Object.keys(keys).slice(0, 5), ['full', 'readOnly', 'noMcp', 'expired', 'ipLocked']);
    assert.deepEqual(keys.full.scopes, ['mcp', 'mcp_card_reveal', 'mcp:write', ...usualScopes]);
    assert.match(partner.id, /^[0-9a-f-]{36}$/);
    for (const origin of [rest.baseUrl, rest.historyUrl, rest.mcpUrl, rest.operatorUrl]) {
      assert.equal(new URL(origin).origin, origin);
    }
  });

  await t.test(
    'three devnets run with their real chain ids, and the hot wallet has tokens on each',
    async () => {
      const { networks } = first.sandbox;
      assert.deepEqual(
        Object.entries(networks).map(([name, { chainId, tokens }]) => [name, chainId, Object.keys(tokens)]),
        [
          ['polygon', 137, ['USDT', 'USDC']],
          ['ethereum', 1, ['USDT', 'USDC', 'EURC']],
          ['base', 8453, ['USDT', 'USDC', 'EURC']],
        ],
      );
      for (const { rpcUrl, chainId, hotWallet, tokens } of Object.values(networks)) {
        const call = <Result>(method: string, ...params: unknown[]) =>
          callNode<Result>({ rpcUrl, method, params, timeoutMs: 60_000 });
        assert.equal(Number(await call('eth_chainId')), chainId);
        for (const to of Object.values(tokens)) {
          const balanceOf = `0x70a08231${hotWallet.slice(2).toLowerCase().padStart(64, '0')}`;
          const balance = BigInt(await call<string>('eth_call', { to, data: balanceOf }, 'latest'));
          // The demo's withdrawals are paid from it.
          assert.ok(balance > 9_980_000_000_000n && balance <= 10_000_000_000_000n, String(balance));
        }
      }
    },
  );

  await t.test('the pages that the banner names are there, the first page and the guides too', async () => {
    const pages = [...first.banner.matchAll(/^ {2}([A-Z]\w+(?: here)?) +(http\S+)$/gm)].map(
      ([, name, url]) => [name!, url!] as const,
    );
    const names = pages.map(([name]) => name);
    for (const name of ['Start here', 'Guides', 'Reference', 'Metrics', 'Events'])
      assert.ok(names.includes(name), name);
    for (const [name, url] of pages)
      if (!['API', 'MCP'].includes(name)) assert.equal((await fetch(url)).status, 200, url);
  });

  await t.test('each curl line of the banner works as pasted', async () => {
    const lines = first.banner.split('\n').filter((line) => line.trim().startsWith('curl '));
    assert.ok(lines.length >= 6);
    for (const line of lines) assert.equal((await paste(line)).status, 200, line);
  });

  await t.test('the login token signs a user in, and does nothing else', async () => {
    const { baseUrl, loginToken, users } = first.sandbox;
    const call = (command: string, input: object) =>
      ask(`${baseUrl}/operator/${command}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${loginToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
    assert.equal((await call('users.sign-in-link', { userId: users.owner.id })).status, 200);
    assert.equal((await call('users.list', { limit: 2 })).status, 403);
  });

  await t.test('each command of the banner works from the folder of the sandbox', async () => {
    const commands = [...first.banner.matchAll(/^ {2}npx causeway (.+)$/gm)].map(([, words]) => words!);
    assert.ok(commands.length >= 2);
    for (const words of commands) {
      const child = spawn(process.execPath, [processFile('src/cli.ts'), ...words.split(' ')], {
        cwd: tmpdir(),
        env: { ...process.env, CAUSEWAY_HOME: home },
      });
      const { code, stdout, stderr } = await collect(child);
      assert.equal(code, 0, stderr);
      assert.ok(stdout.length > 0, words);
    }
  });

  await t.test(
    'the withdrawal that the banner makes is paid, to the friend’s wallet on the polygon devnet',
    async () => {
      const list = first.banner.split('\n').find((line) => line.includes('/withdraws?'))!;
      const entry = async () => (await paste(list)).body.data.withdraws[0];
      await waitUntil('it is completed', async () => (await entry()).status === 'completed');
      const { transactionHash, toAddress } = await entry();
      const { networks, users } = first.sandbox;
      assert.equal(toAddress.toLowerCase(), users.friend.wallet);
      const { rpcUrl, tokens } = networks.polygon!;
      const receipt = await callNode<{ status: string; to: string }>({
        rpcUrl,
        method: 'eth_getTransactionReceipt',
        params: [transactionHash],
        timeoutMs: 60_000,
      });
      assert.equal(receipt.status, '0x1');
      assert.equal(receipt.to, tokens.USDT!.toLowerCase());
    },
  );

  await t.test('the demo’s withdrawals end as their names say, with hashes on the devnets', async () => {
    const listed = async (): Promise<{ bulkId: string; status: string; transactionHash: string | null }[]> =>
      (await operate(first, 'withdrawals.list', { user: first.sandbox.users.owner.id, limit: 200 })).body.data
        .items;
    const completed = async () => (await listed()).filter(({ status }) => status === 'completed');
    await waitUntil('the payroll is paid', async () => (await completed()).length >= 33);
    const hashes = new Set((await completed()).map(({ transactionHash }) => transactionHash));
    assert.ok(hashes.size >= 30, String(hashes.size));
    const { withdrawals } = first.sandbox;
    const statuses = new Map((await listed()).map(({ bulkId, status }) => [bulkId, status]));
    assert.deepEqual(
      Object.entries(withdrawals).map(([name, bulkId]) => [name, statuses.get(bulkId)]),
      [
        ['processing', 'processing'],
        ['waitingForGas', 'pending'],
        ['completed', 'completed'],
        ['insufficientBalance', 'failed'],
        ['receiverBlocked', 'failed'],
        ['waiting', 'pending'],
      ],
    );
    const refills = async () => (await operate(first, 'cards.refills', {})).body.data.items;
    await waitUntil('a refill completed', async () =>
      (await refills()).some(({ status }: { status: string }) => status === 'completed'),
    );
    const [changed] = await refills();
    assert.deepEqual([changed.status, changed.error], ['failed', 'Auto-refill was changed']);
  });

  await t.test('each key does what its name says', async () => {
    const status = async (name: keyof SandboxFile['keys']) => {
      const { historyUrl, keys } = first.sandbox;
      const headers = { authorization: `Bearer ${keys[name].token}` };
      const answer = await ask(`${historyUrl}/api/history?resource=account&feature=nothing`, { headers });
      return answer.status;
    };
    assert.equal(await status('full'), 400);
    assert.equal(await status('expired'), 401);
    assert.equal(await status('ipLocked'), 403);
  });

  await t.test(
    'the consents are what their names say, and only the integration that has them reads',
    async () => {
      const { baseUrl, consents, integrations } = first.sandbox;
      const read = (consentId: string, { apiKey }: { apiKey: string }) =>
        ask(`${baseUrl}/api/v1/consent/${consentId}/user`, { headers: { 'x-api-key': apiKey } });
      const active = await read(consents.active, integrations.main);
      assert.equal(active.status, 200);
      assert.equal(active.body.user.email.address, first.sandbox.users.owner.email);
      assert.equal((await read(consents.revoked, integrations.main)).status, 410);
      assert.equal((await read(consents.active, integrations.other)).status, 403);
    },
  );

  await t.test('the consent link of the banner signs the owner in and opens a request, once', async () => {
    const link = /^ *(http\S+\/connect\/sign-in\/\S+)$/m.exec(first.banner)![1]!;
    const signedIn = await fetch(link, { redirect: 'manual' });
    assert.equal(signedIn.status, 303);
    const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
    const page = await fetch(first.sandbox.baseUrl + signedIn.headers.get('location')!, {
      headers: { cookie },
    });
    assert.equal(page.status, 200);
    assert.match(await page.text(), /Lumen Credit wants to access your data/);
    assert.equal((await fetch(link, { redirect: 'manual' })).status, 410);
  });

  await t.test('links of the banner sign the demo operator and the demo partner in, once', async () => {
    for (const [place, name] of [
      ['console', 'Olga Martins'],
      ['partner', 'Paulo Nunes'],
    ] as const) {
      const line = first.banner.split('\n').find((line) => line.includes(`/sandbox/${place}/`))!;
      const link = line.trim();
      const signedIn = await fetch(link, { redirect: 'manual' });
      assert.deepEqual([signedIn.status, signedIn.headers.get('location')], [303, `/${place}`]);
      const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
      const page = await fetch(new URL(`/${place}`, link), { headers: { cookie } });
      assert.equal(page.status, 200);
      assert.ok((await page.text()).includes(name));
      assert.equal((await fetch(link, { redirect: 'manual' })).status, 404);
    }
  });

  await t.test('the request log has answers and refusals of the demo keys', async () => {
    const read = async () => {
      const seen: string[] = [];
      // What the tests before this one asked for again and again is newer.
      for (let cursor: string | undefined, page = 0; page < 20; page++) {
        const { data } = (await operate(first, 'requests.list', { limit: 200, cursor })).body;
        for (const { method, path, status, keyId } of data.items)
          if (keyId !== null) seen.push(`${status} ${method} ${path}`);
        cursor = data.nextCursor;
        if (!cursor) break;
      }
      return seen;
    };
    const expected = [
      '200 GET /api/crypto/assets',
      '200 GET /api/limits',
      '200 GET /api/history',
      '200 GET /api/events',
      '200 POST /mcp',
      '400 GET /api/history',
      '401 GET /api/crypto/assets',
    ];
    await waitUntil('the calls are in the request log', async () => {
      const seen = await read();
      return expected.every((one) => seen.includes(one));
    });
  });

  await t.test('two withdrawals on ethereum do not finish, and a payment there does', async () => {
    await waitUntil('one waits for gas', async () => (await readUnfinished(first)).waitingForGas === 'gas');
    const { baseUrl, keys, users } = first.sandbox;
    const ofOwner = `${baseUrl}/api/crypto/${users.owner.id}`;
    const headers = { authorization: `Bearer ${keys.full.token}`, 'content-type': 'application/json' };
    const pay = (number: number) => {
      const externalId = `beside-${number}`;
      const order = {
        amount: '1',
        to: users.friend.email,
        network: 'ethereum',
        currency: 'USDC',
        externalId,
      };
      return ask(`${ofOwner}/withdraw`, { method: 'POST', headers, body: JSON.stringify(order) });
    };
    for (let number = 0; number < 6; number++) assert.equal((await pay(number)).status, 200);
    await waitUntil('both wallets’ shares are paid', async () => {
      const { body } = await ask(`${ofOwner}/withdraws?perPage=6&status=completed`, { headers });
      return body.data.withdraws.every(({ externalId }: { externalId: string }) =>
        /^beside/.test(externalId),
      );
    });
    assert.deepEqual(await readUnfinished(first), { processing: 'processing', waitingForGas: 'gas' });
  });

  await t.test(
    'a test event of the demo endpoint arrives in the inbox, with a signature that fits',
    async () => {
      const { endpointId } = first.sandbox.webhook;
      const shown = async () =>
        (await (await fetch(`${first.sandbox.baseUrl}/sandbox/inbox/messages?after=0`)).json()) as {
          html: string;
        };
      assert.equal((await operate(first, 'webhooks.test', { endpointId })).status, 200);
      await waitUntil('the inbox shows it', async () =>
        (await shown()).html.includes('webhook_endpoint.tested'),
      );
      const { html } = await shown();
      assert.ok(html.includes('Signature valid (v1, v1a)') && !html.includes('Not valid'), html);
    },
  );

  await t.test('prices and positions are there from the first request on', async () => {
    const ask = async (command: string, input: object) => (await operate(first, command, input)).body.data;
    const written = JSON.parse(readFileSync(path.join(home, 'prices.json'), 'utf8')).prices;
    const { items } = await ask('prices.list', {});
    assert.deepEqual(
      items.map(({ token }: { token: string }) => token),
      Object.keys(written).sort(),
    );
    const { positions } = await ask('positions.show', { userId: first.sandbox.users.owner.id });
    assert.deepEqual(
      positions.map(({ kind }: { kind: string }) => kind),
      ['staked', 'tokenized'],
    );
  });
});

/** The status of the one, and what the other waits for. */
async function readUnfinished(started: Started) {
  const { processing, waitingForGas } = started.sandbox.withdrawals;
  const show = async (withdrawalId: string) =>
    (await operate(started, 'withdrawals.show', { withdrawalId })).body.data;
  return {
    processing: (await show(processing)).status,
    waitingForGas: (await show(waitingForGas)).waitingFor,
  };
}

test('a second start on the same folder is refused in one sentence', () =>
  expectSentence(home, /^Another Causeway is already running on .*home/));

test('the embedded PostgreSQL is started again when it goes away', async () => {
  const { baseUrl } = first.sandbox;
  process.kill(postgresPid(home), 'SIGQUIT');
  let wasAway = false;
  for (let waited = 0; ; waited += 50) {
    assert.ok(waited < 120_000, 'it did not come back');
    const { status } = await ask(`${baseUrl}/ready`, {});
    wasAway ||= status === 503;
    if (wasAway && status === 200) break;
    await sleep(50);
  }
});

test('Ctrl-C twice, as npm forwards it, does not hurry the stop: the request that is running is answered', async () => {
  const revoked = await operate(first, 'keys.revoke', {
    keyId: first.sandbox.keys.full.token.split('_')[1],
  });
  assert.equal(revoked.status, 200);
  const pid = postgresPid(home);
  assert.ok(isAlive(pid));
  const holder = new pg.Client({ connectionString: databaseUrlOf(home) });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table partners');
  const running = operate(first, 'partners.create', { name: 'In flight' });
  await sleep(300);
  const ended = stop(first);
  await sleep(100);
  first.child.kill('SIGINT');
  await sleep(100);
  await holder.query('rollback');
  await holder.end();
  assert.equal((await running).status, 200);
  assert.equal(await ended, 0);
  assert.ok(!isAlive(pid), 'Ctrl-C leaves no PostgreSQL behind');
});

test('a later start keeps data and tokens; a demo key that was revoked is issued again', async () => {
  const second = await start(home, [], {
    OPERATOR_TOKENS_FILE: '/nowhere',
    ENCRYPTION_KEYS: 'of production',
  });
  const { full } = first.sandbox.keys;
  const { full: anew, ...others } = second.sandbox.keys;
  assert.notEqual(anew.token, full.token);
  assert.deepEqual(anew.scopes, full.scopes);
  assert.deepEqual(
    withoutPorts({ ...second.sandbox, keys: { full, ...others } }),
    withoutPorts(first.sandbox),
    'the sandbox uses its own secrets, not those of production',
  );
  assert.deepEqual(await readUnfinished(second), { processing: 'processing', waitingForGas: 'gas' });
  const orphan = postgresPid(home);
  await stop(second, 'SIGKILL');
  await untilDead(orphan);
});

test('after kill -9 the next start recovers automatically, and a lost sandbox.json means new keys', async () => {
  rmSync(path.join(home, 'sandbox.json'));
  const third = await start(home);
  assert.notEqual(third.sandbox.keys.readOnly.token, first.sandbox.keys.readOnly.token);
  assert.equal(third.sandbox.operatorToken, first.sandbox.operatorToken);
  await query(databaseUrlOf(home), laterSchema);
  assert.equal(await stop(third, 'SIGTERM'), 0);
});

const laterSchema = `insert into schema_migrations (version, name, sha256) values (9999, 'later', '')`;
const newer = 'The database is at schema version 9999, newer than \\d+, the newest that this release knows';

test('a schema newer than this release is refused, and a reset offered', () =>
  expectSentence(home, new RegExp(`^${newer}.* To start from scratch, run npm start -- --reset\\.$`)));

test('--reset starts from scratch, with the same people', async () => {
  const anew = await start(home, ['--reset']);
  assert.notEqual(anew.sandbox.operatorToken, first.sandbox.operatorToken);
  assert.deepEqual(anew.sandbox.users, first.sandbox.users);
  const list = await operate(anew, 'users.list', {});
  const today = new Date().toISOString().slice(0, 10);
  const ageDays = (Date.parse(today) - Date.parse(list.body.data.items[0].createdAt)) / 86_400_000;
  assert.equal(ageDays, 548, 'the data is dated relative to today’s midnight');
  assert.equal(await stop(anew), 0);
});

test('Ctrl-C at any moment of the start stops everything that had started', async () => {
  for (const delayMs of [0, 50, 100, 200, 300, 500]) {
    const child = launch(home);
    const ended = collect(child);
    while (!existsSync(path.join(home, 'lock'))) await sleep(5);
    await sleep(delayMs);
    child.kill('SIGINT');
    assert.deepEqual(await ended.then(({ code, stderr }) => ({ code, stderr })), { code: 0, stderr: '' });
    for (const left of ['postgres/postmaster.pid', 'lock']) {
      assert.ok(!existsSync(path.join(home, left)), `${delayMs} ms after the lock: ${left} is still there`);
    }
  }
});

test('secrets that cannot be read are named in one sentence', () => {
  writeFileSync(path.join(home, 'secrets.json'), '');
  return expectSentence(
    home,
    /secrets\.json cannot be read: restore it\. To start from scratch, run npm start -- --reset\.$/,
  );
});

// Each of these tests has a separate folder.

test('a setting that is wrong is named in one sentence', () =>
  expectSentence(
    path.join(folder, 'setting'),
    /^LOG_LEVEL must be one of/,
    [],
    { LOG_LEVEL: 'verbose' },
    exitCodes.usage,
  ));

test('a taken port is refused in one sentence, before PostgreSQL is started', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  const { port } = server.address() as { port: number };
  await expectSentence(path.join(folder, 'taken'), new RegExp(`^Port ${port} is taken`), [], {
    PORT: String(port),
  });
  server.close();
});

test('a folder that cannot be written is refused in one sentence', async () => {
  writeFileSync(path.join(folder, 'file'), '');
  await expectSentence(path.join(folder, 'file', 'home'), /^The folder .* cannot be made/);
});

test('an unknown flag is refused in one sentence', () =>
  expectSentence(
    path.join(folder, 'flag'),
    /^Unknown flag --rest. Did you mean --reset\?/,
    ['--rest'],
    {},
    exitCodes.usage,
  ));

test('a DATABASE_URL that does not answer is refused in one sentence, without its password', async () => {
  const DATABASE_URL = 'postgres://someone:hunter2hunter2@127.0.0.1:1/nothing';
  const sentence = /^The database at DATABASE_URL does not answer: (?!.*hunter2)/;
  const home = path.join(folder, 'unreachable');
  await expectSentence(home, sentence, [], { DATABASE_URL }, exitCodes.unreachable);
});

test('a DATABASE_URL with real users is left alone', async () => {
  await makeUser(harness);
  const env = { DATABASE_URL: harness.databaseUrl };
  await expectSentence(path.join(folder, 'real'), /has users and no demo data/, [], env);
  await expectSentence(path.join(folder, 'real'), /--reset empties only the embedded/, ['--reset'], env);
  const { body } = await harness.operator('users.list');
  assert.equal(body.data.items.length, 1);
});

test('a DATABASE_URL whose schema is newer than this release is refused, and no reset offered', async () => {
  const DATABASE_URL = await cloneDatabase();
  await query(DATABASE_URL, laterSchema);
  await expectSentence(path.join(folder, 'newer'), new RegExp(`^${newer}(?!.*--reset)`), [], {
    DATABASE_URL,
  });
});

test('an empty DATABASE_URL gets the demo data and is kept on the next start', async () => {
  const env = { DATABASE_URL: await cloneDatabase() };
  const home = path.join(folder, 'own-database');
  const first = await start(home, [], env);
  assert.equal(await stop(first), 0);
  const second = await start(home, [], env);
  assert.deepEqual(second.sandbox.keys, first.sandbox.keys);
  assert.equal(await stop(second), 0);
});
