import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { contextFor } from '#context';
import { migrate } from '#platform/db/migrate';
import { type Block, matchesSample, readGuideFiles } from '#test/callers/guide-blocks';
import { toolTest } from '#test/callers/tools';
import { makeAddress, makeFunds, makeKey } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { type Chain, makeWallet, useChain } from '#test/outside/chain';
import { letTimePass, makeWorld, unit, type World } from '#test/worlds/payout';
import { createDeps } from '../src/main.ts';
import { freePort } from '../src/sandbox/free-port.ts';
import { type Postgres, startPostgres } from '../src/sandbox/postgres/index.ts';
import { type Harness, noteSecret, testConfig, testLog } from './harness.ts';
import { waitUntil } from './wait-until.ts';

// Runs docs/guides/point-in-time.md block by block: SQL on a real server, commands in a shell. What the
// guide leaves to systemd, partners and workers happens between the blocks.

const chain = useChain();
const bin = path.resolve(import.meta.dirname, '../bin/causeway.js');
const { blocks } = readGuideFiles().find(({ file }) => file.endsWith('point-in-time.md'))!;

/** A server whose files the guide moves. */
async function startServer(t: TestContext) {
  const folder = await fs.mkdtemp(path.join(tmpdir(), 'causeway-moment-'));
  // As root, PostgreSQL runs under another account, which must be able to pass through here.
  await fs.chmod(folder, 0o755);
  const settings = { synchronous_commit: 'on', full_page_writes: 'on' };
  const options = { folder: path.join(folder, 'server'), durable: false, settings, port: await freePort() };
  let postgres: Postgres = await startPostgres(options);
  const data = await fs.realpath(path.join(options.folder, 'postgres'));
  const backup = path.join(folder, 'backup');
  await fs.mkdir(path.join(backup, 'wal'), { recursive: true });
  const { uid, gid } = await fs.stat(data);
  for (const one of [backup, path.join(backup, 'wal')]) await fs.chown(one, uid, gid);
  t.after(async () => {
    await postgres.stop();
    await fs.rm(folder, { recursive: true, force: true });
  });
  const url = (database?: string) => postgres.url(database);
  const connect = async (database?: string) => {
    const client = new pg.Client({ connectionString: url(database) });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const ask = async (text: string) => {
    const client = await connect('causeway');
    try {
      return (await client.query(text)).rows[0];
    } finally {
      await client.end();
    }
  };
  const admin = await connect();
  await admin.query('create database causeway');
  await admin.end();
  await migrate(url('causeway'));
  return {
    folder,
    data,
    backup,
    url: url('causeway'),
    connect,
    ask,
    stop: () => postgres.stop(),
    async start() {
      // The guide says to act as the account of PostgreSQL; a test may run as root instead.
      await promisify(execFile)('chown', ['-R', `${uid}:${gid}`, data]);
      postgres = await startPostgres(options);
      await waitUntil('the server accepts writes', async () => {
        const { is } = await ask('select not pg_is_in_recovery() as is');
        return is;
      });
    },
  };
}

type Server = Awaited<ReturnType<typeof startServer>>;

/** A partner with a key and funds, and a worker that is driven turn by turn. */
async function startWorld(t: TestContext, url: string, chain: Chain): Promise<World> {
  const settings = { ...chain.settings, signerKey: await makeWallet(chain) };
  const deps = createDeps(testConfig(url, { networks: [settings] }), testLog());
  const operatorContext = () =>
    contextFor(deps, { kind: 'operator', name: 'tester', role: 'admin' }, deps.log);
  const harness = { databaseUrl: url, deps, operatorContext } as Harness;
  const key = await makeKey(harness);
  await makeFunds(harness, key.userId, 'polygon', 'USDC', '1000');
  await deps.db.end();
  return makeWorld(t, chain, { ...settings, databaseUrl: url });
}

function environmentOf({ folder, data, url }: Server, { settings, wallet }: World): Record<string, string> {
  return {
    PATH: [path.dirname(process.execPath), process.env.PATH].join(':'),
    PGDATA: data,
    DATABASE_URL: url,
    CAUSEWAY_HOME: folder,
    ENCRYPTION_KEYS: `1:${noteSecret(Buffer.alloc(32, 9).toString('base64'))}`,
    POLYGON_RPC_URLS: settings.rpcUrls.join(','),
    NETWORK_FINALITY: `polygon:${settings.finality.rule}`,
    TOKEN_ADDRESSES: settings.tokens.map(({ symbol, address }) => `polygon:${symbol}:${address}`).join(','),
    WALLET: wallet,
  };
}

/** `exitCode`: what the last command of the block must end with. */
async function runShell(
  text: string,
  { server, env, exitCode }: { server: Server; env: Record<string, string>; exitCode: number },
): Promise<string> {
  const preamble = `set -eu\nnpx() { shift; node '${bin}' "$@"; }\n`;
  const script = preamble + text.replaceAll('/backup', server.backup);
  const { stdout, stderr, code } = await promisify(execFile)('bash', ['-c', script], {
    cwd: server.folder,
    env,
    timeout: 300_000,
  }).then(
    (outputs) => ({ ...outputs, code: 0 }),
    (error) => error as { stdout: string; stderr: string; code: number | null },
  );
  assert.equal(code, exitCode, `${text}\n${stdout}\n${stderr}`);
  return stdout;
}

toolTest(['bash', 'cp'], 'each step of docs/guides/point-in-time.md', { timeout: 600_000 }, async (t) => {
  const server = await startServer(t);
  const world = await startWorld(t, server.url, chain);
  const env = environmentOf(server, world);
  const story = tellStory(server, world, env);
  const printed: string[] = [];
  // The statements of a backup must share a session, which a restart of the server ends.
  let session: pg.Client | undefined;
  for (const [at, block] of blocks.entries()) {
    const { language, text } = block;
    if (language === 'sql') {
      session ??= await server.connect();
      await runSql(text, server, session);
    }
    if (language === 'sh') {
      const sample = blocks[at + 1];
      // A check that finds something exits with 1.
      const exitCode = sample?.text.includes('unknown (') ? 1 : 0;
      const output = await runShell(text, { server, env, exitCode });
      printed.push(output);
      if (sample?.language === 'text')
        assert.ok(matchesSample(sample.text, output), `${text}\nprinted\n${output}`);
    }
    const next = Object.keys(story).find((start) => startOf(block).startsWith(start));
    if (next === undefined) continue;
    await session?.end().catch(() => {});
    session = undefined;
    await story[next]!();
    delete story[next];
  }
  assert.deepEqual(Object.keys(story), [], 'the guide has every step');
  assert.equal(printed.length, 7);
});

async function runSql(text: string, { backup }: Server, session: pg.Client): Promise<void> {
  for (const statement of text.split(';\n')) {
    const { rows } = await session.query(statement.replaceAll('/backup', backup));
    const label = rows[0]?.labelfile;
    if (label) await fs.writeFile(path.join(backup, 'base/backup_label'), label);
  }
}

/** `console systemctl stop …`: the language and the first line. */
const startOf = ({ language, text }: Block) => `${language} ${text.split('\n')[0]}`;

/** What happens after a block of the guide, by how the block starts. Used up in this order. */
function tellStory(server: Server, world: World, env: Record<string, string>) {
  const { worker } = world;
  const to = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, makeAddress()]));
  const orderOf = (name: string) => ({ to: to[name]!, amount: '10', idempotencyKey: `order-${name}` });
  const ids: Record<string, string> = {};
  const request = async (name: string) => {
    ids[name] = await world.withdraw(orderOf(name));
  };
  let lastNumber = 0n;
  let lostBytes = '';
  const newestNumber = async () => {
    await numberAll(world.harness);
    return BigInt((await server.ask('select max(sequence)::text as newest from events')).newest);
  };
  const expectExplained = async () => {
    const { body } = await world.operator('treasury.reconcile');
    assert.ok(body.isExplained, JSON.stringify(body));
  };
  const story: Record<string, () => Promise<void>> = {
    'console systemctl restart postgresql': async () => {
      await server.stop();
      await server.start();
      await request('a');
      await world.pay();
      const owner = { userId: world.userId, network: 'polygon' };
      const wallet = { ...owner, address: makeAddress(), custody: 'self' };
      const added = await world.operator('users.add-wallet', wallet);
      assert.equal(added.status, 200, JSON.stringify(added.body));
      await expectExplained();
    },
    'console export PGDATA': async () => {
      // Work goes on after the backup: one is paid, one is accepted.
      await request('b');
      await world.pay();
      await request('c');
      await worker.hold();
      lastNumber = await newestNumber();
      env.FROM_BLOCK = String(Number(await chain.call<string>('eth_blockNumber')));
      env.MOMENT = (await server.ask('select clock_timestamp()::text as moment')).moment;
      // The accident, and what is paid, signed and read by subscribers before anybody notices.
      await server.ask('delete from user_wallets');
      await worker.sign();
      await worker.send();
      await chain.mine(2);
      await worker.settle();
      await request('d');
      await world.pay();
      await request('e');
      await worker.hold();
      await worker.sign();
      lostBytes = `0x${(await world.attempts(ids.e!))[0]!.raw.toString('hex')}`;
      lastNumber = await newestNumber();
      assert.deepEqual(await server.ask('select count(*)::int as wallets from user_wallets'), { wallets: 0 });
      await server.stop();
    },
    'sh mv "$PGDATA"': async () => {
      await server.start();
      assert.deepEqual(await server.ask('select count(*)::int as wallets from user_wallets'), { wallets: 1 });
      const { status } = await world.read(ids.c!);
      assert.equal(status, 'pending', 'paid on chain, and not known here');
      assert.equal(await world.read(ids.d!), undefined);
      await world.expectPaid(ids.a!, ids.b!);
    },
    'sh npx causeway wallets recover --network polygon --address $WALLET --from-block $FROM_BLOCK --fill':
      async () => {
        await worker.fill();
        await chain.mine(2);
        // Bytes that were signed after the moment have no nonce any more.
        await assert.rejects(chain.call('eth_sendRawTransaction', lostBytes), /nonce too low/i);
        await server.ask(`update payout_signers set halted_at = halted_at - interval '2 minutes'`);
      },
    'sh npx causeway wallets recover': async () => {
      await request('d');
      await request('e');
    },
    'sh npx causeway treasury reconcile': async () => {
      for (let turns = 0; turns < 2; turns++) {
        await letTimePass(world);
        await world.pay();
      }
      await world.expectPaid(...Object.values(ids));
      const paid = await world.paid();
      for (const address of Object.values(to))
        assert.equal(paid.filter((payment) => payment.to === address).length, 1, 'paid once');
      assert.deepEqual(await world.funds(), { balance: 950n * unit, held: 0n });
      assert.ok((await newestNumber()) > lastNumber + 900_000n, 'no number is used twice');
      await expectExplained();
    },
  };
  return story;
}
