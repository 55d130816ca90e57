import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Chain, startChain } from '#test/outside/chain';
import { startPostgres } from '../../src/sandbox/postgres/index.ts';
import { type Balancer, type Caller, type Load, startLoad } from './load.ts';
import { migrateWith, type Process, type Settings, startProcess, unpackRelease } from './release.ts';

export interface DrillOptions {
  root: string;
  /** The commit of the older release. */
  from: string;
  /** An empty folder that other accounts can enter. */
  folder: string;
  say(words: string): void;
}

export interface DrillOutcome {
  requests: number;
  withdrawals: number;
  events: number;
  broken: string[];
}

const restMs = 120_000;
/** From the last request that a load balancer sends to a process until the process is stopped. */
const drainMs = 1_000;
/** With both releases at work. */
const mixedMs = 5_000;

/** Replaces two processes for requests and two that pay, one by one, while partners notice nothing. */
export async function runDrill({ root, from, folder, say }: DrillOptions): Promise<DrillOutcome> {
  const chain = await startChain({ blockTime: 1 });
  const postgres = await startPostgres({ folder, durable: true });
  const settings = settingsFor(postgres.url(), chain);
  const old = unpackRelease(root, from, folder);
  const all = new Set<Process>();
  const start = async (release: string, role: string) => {
    const one = await startProcess(release, role, settings);
    all.add(one);
    return one;
  };
  try {
    migrateWith(old, settings);
    const apis = [await start(old, 'api'), await start(old, 'api')];
    const workers = [await start(old, 'worker'), await start(old, 'worker')];
    const balancer: Balancer = { targets: apis.map(({ url }) => url) };
    const load = startLoad(balancer, await makeCaller(apis[0]!.url, settings), 4);
    await sleep(mixedMs);
    migrateWith(root, settings);
    say('migrated');
    await sleep(mixedMs);
    const broken: string[] = [];
    const replace = async (one: Process, role: string) => {
      balancer.targets = balancer.targets.filter((url) => url !== one.url);
      // What was sent there before has connected by then.
      await sleep(drainMs);
      const code = await one.stop();
      if (code !== 0) broken.push(`an ${role} process of the older release ended with ${code}`);
      const { url } = await start(root, role);
      if (role === 'api') balancer.targets = [...balancer.targets, url];
      say(`replaced one ${role} process`);
      await sleep(mixedMs);
    };
    for (const one of apis) await replace(one, 'api');
    for (const one of workers) await replace(one, 'worker');
    await load.finish();
    await untilFollowed(load);
    await load.stop();
    broken.push(...load.faults, ...judgeEvents(load), ...(await judgePayments(chain, load)));
    return { requests: load.requests, withdrawals: load.created.size, events: load.events.length, broken };
  } finally {
    for (const one of all) one.kill();
    await postgres.stop();
    await chain.stop();
  }
}

function settingsFor(databaseUrl: string, { rpcUrl, settings }: Chain): Settings {
  const { tokens, signerKeys } = settings;
  return {
    DATABASE_URL: databaseUrl,
    OPERATOR_TOKENS: `drill:admin:${randomBytes(24).toString('hex')}`,
    ENCRYPTION_KEYS: `1:${randomBytes(32).toString('base64')}`,
    DEPLOYMENT_ID: 'upgrade',
    POLYGON_RPC_URLS: rpcUrl,
    HOT_WALLET_KEYS: `polygon:${signerKeys![0]}`,
    NETWORK_FINALITY: 'polygon:2',
    TOKEN_ADDRESSES: tokens.map(({ symbol, address }) => `polygon:${symbol}:${address}`).join(','),
  };
}

async function makeCaller(url: string, { OPERATOR_TOKENS }: Settings): Promise<Caller> {
  const authorization = `Bearer ${OPERATOR_TOKENS!.split(':')[2]}`;
  const operate = async (command: string, input: object) => {
    const response = await fetch(`${url}/operator/${command}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(30_000),
    });
    if (response.status !== 200) throw new Error(`${command}: ${await response.text()}`);
    return ((await response.json()) as { data: { id: string; token: string } }).data;
  };
  const { id: userId } = await operate('users.create', {
    email: 'upgrade@example.com',
    givenName: 'U',
    familyName: 'U',
  });
  const { id: partnerId } = await operate('partners.create', { name: 'Upgrade' });
  await operate('partners.allow-user', { partnerId, userId });
  await operate('ledger.fund', { userId, network: 'polygon', currency: 'USDT', amount: '100000' });
  const { token } = await operate('keys.issue', { name: 'upgrade', partnerId, userId });
  return { userId, token };
}

const completedIn = ({ events }: Load) => events.filter(({ type }) => type === 'withdrawal.completed');

async function untilFollowed(load: Load): Promise<void> {
  for (const deadline = Date.now() + restMs; Date.now() < deadline; await sleep(200)) {
    if (completedIn(load).length >= load.created.size) return;
  }
}

/** The numbers have no gap, and each withdrawal was queued once and completed once. */
function judgeEvents(load: Load): string[] {
  const { events, created } = load;
  const broken: string[] = [];
  for (const [at, { sequence }] of events.entries()) {
    if (sequence !== at + 1) broken.push(`the event after ${at} has number ${sequence}`);
  }
  for (const type of ['withdrawal.queued', 'withdrawal.completed']) {
    const seen = events.filter((event) => event.type === type).map(({ data }) => data.object.externalId);
    if (seen.length !== new Set(seen).size) broken.push(`${type} came twice for a withdrawal`);
    for (const externalId of created.keys()) {
      if (!seen.includes(externalId)) broken.push(`no ${type} for ${externalId}`);
    }
  }
  return broken;
}

async function judgePayments(chain: Chain, { created }: Load): Promise<string[]> {
  const paid = (await chain.paidOut()).map(({ to }) => to.toLowerCase());
  return [...created].flatMap(([externalId, to]) => {
    const times = paid.filter((one) => one === to).length;
    return times === 1 ? [] : [`${externalId} was paid ${times} times`];
  });
}
