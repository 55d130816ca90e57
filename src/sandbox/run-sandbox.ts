import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import pino from 'pino';
import { chains, type Network, type NetworkSettings, type PrivateKey, tokensOf } from '#adapters/evm';
import { type Config, readConfig } from '#config/config';
import type { Environment } from '#config/setting';
import { readSetting } from '#config/settings';
import { contextFor } from '#context';
import { migrate } from '#platform/db/migrate';
import { DatabaseUnavailable } from '#platform/errors/errors';
import { StartupError } from '#platform/errors/startup-error';
import { createLog, type Log } from '#platform/observe/log';
import { cannotListen, createDeps, type RunningServer, serve, stopOnSignal, unreachable } from '../main.ts';
import { describeSandbox } from './banner.ts';
import { type SandboxDatabase, startDatabase } from './database.ts';
import { type Devnet, type DevnetNetwork, startDevnet } from './devnet/index.ts';
import { createDoor } from './door/mount-door.ts';
import { StaffLinks } from './door/staff-links.ts';
import { lockFolder } from './folder-lock.ts';
import { Inbox } from './inbox/inbox.ts';
import { type SandboxIssuer, startIssuer } from './issuer/index.ts';
import { createLifecycle, Interrupted, type Lifecycle } from './lifecycle.ts';
import { requireOptionalPackages } from './optional-packages.ts';
import { writePricesFile } from './prices-file.ts';
import { resetHint } from './reset-hint.ts';
import { readSandboxFile, type SandboxFile, writeSandboxFile } from './sandbox-file.ts';
import { readOrMakeSecrets, type SandboxSecrets } from './secrets.ts';
import { useCards } from './world/cards.ts';
import { makeConsentLink } from './world/connect.ts';
import { loadWorld, type World } from './world/load-world.ts';
import { makeCalls } from './world/make-calls.ts';
import { recordPortfolio } from './world/portfolio.ts';
import { keepOrCreateEndpoint } from './world/webhooks.ts';

export interface SandboxOptions {
  /** Start from scratch, with an empty embedded database. */
  isReset: boolean;
  /** Called with what is being started now. */
  onStep(text: string): void;
  /** Called once, with how to use it. */
  onReady(text: string): void;
}

/** `npm start`: everything on this machine, until Ctrl-C; stops what it started, in reverse order. */
export async function runSandbox(env: Environment, options: SandboxOptions): Promise<void> {
  requireOptionalPackages(env);
  const home = path.resolve(readSetting(env, 'CAUSEWAY_HOME')!);
  const lifecycle = createLifecycle();
  const start = startSandbox(lifecycle, home, env, options);
  const signalled = stopOnSignal(async () => {
    lifecycle.interrupt();
    await start.catch(() => {});
    await lifecycle.stopAll();
  });
  try {
    const { lost } = await start;
    const failure = await Promise.race([signalled, lost]);
    if (failure) throw failure;
  } catch (error) {
    await lifecycle.stopAll();
    if (!(error instanceof Interrupted)) throw error;
  }
  await signalled;
}

/** Returns what can end the sandbox: the loss of a devnet. */
async function startSandbox(
  lifecycle: Lifecycle,
  home: string,
  env: Environment,
  { isReset, onStep, onReady }: SandboxOptions,
): Promise<Pick<Devnet, 'lost'>> {
  const startedAt = performance.now();
  await lifecycle.begin(lockFolder(home).then((release) => ({ stop: release })));
  if (isReset) resetHome(home, env);
  const secrets = readOrMakeSecrets(home);
  const config = readSandboxConfig(secrets, env, writePricesFile(home));
  await requireFreePort({ ...config, name: 'PORT' });
  if (config.metricsPort !== undefined)
    await requireFreePort({ host: config.host, port: config.metricsPort, name: 'METRICS_PORT' });
  const log = createLog({
    level: config.logLevel,
    destination: pino.destination({ dest: path.join(home, 'causeway.log'), mode: 0o600, sync: true }),
  });
  onStep('Starting PostgreSQL, three networks and a card issuer');
  const [database, devnet, cardIssuer] = await lifecycle.begin<[SandboxDatabase, Devnet, SandboxIssuer]>(
    openDatabase(home, env, log),
    startDevnet({ home, keys: secrets, log }),
    startIssuer({ ...issuerFiles(home), token: secrets.cardIssuerToken, log }),
  );
  const networks = readDevnets(devnet, secrets.hotWalletKey);
  const { cardIssuerToken, cardWebhookSecret } = secrets;
  const served: Config = {
    ...config,
    databaseUrl: database.url,
    networks,
    // A copy of another deployment's database is refused.
    deploymentId: 'sandbox',
    // An operator's test server may have `fsync` off: no real money moves here.
    databaseDurability: 'relaxed',
    issuer: { url: cardIssuer.url, token: cardIssuerToken },
    issuerWebhookSecrets: [cardWebhookSecret],
    // Receivers of a developer listen on this machine.
    outgoing: { ...config.outgoing, allowsLoopbackHttp: true },
  };
  const world = await prepareData(served, { home, env, log, onStep, cardIssuer });
  onStep('Starting the server');
  const { operatorToken, loginToken } = secrets;
  const facts = {
    operatorToken,
    loginToken,
    ...world,
    networks: devnet.networks,
    cardIssuer: { url: cardIssuer.url, token: cardIssuerToken },
  };
  const [inbox, staffLinks] = [new Inbox(), new StaffLinks()];
  const [server] = await lifecycle.begin<[RunningServer]>(
    serve(served, log, ['api', 'worker'], createDoor(facts, secrets, { inbox, staffLinks })),
  );

  const { url } = server;
  await cardIssuer.setWebhook({ url: `${url}/issuer/events`, secret: cardWebhookSecret });
  const urls = { baseUrl: url, historyUrl: url, mcpUrl: url, operatorUrl: url };
  const ctx = contextFor(server.deps, sandboxOperator, log);
  const webhook = await patiently(() => keepOrCreateEndpoint(ctx, readSandboxFile(home)?.webhook, url));
  inbox.setKeys(webhook);
  const sandbox: SandboxFile = { ...urls, ...facts, webhook };
  writeSandboxFile(home, sandbox);
  const consentLink = await patiently(() => makeConsentLink(ctx, sandbox));
  await makeCalls(url, sandbox);
  const elapsedMs = performance.now() - startedAt;
  const links = {
    consentLink,
    consoleLink: staffLinks.issue('operator', server.deps),
    partnerLink: staffLinks.issue('partner', server.deps),
  };
  onReady(describeSandbox(sandbox, { home, elapsedMs, ...links }));
  return devnet;
}

const sandboxOperator = { kind: 'operator', name: 'sandbox', role: 'admin' } as const;

/** The operator's settings, with the sandbox's own secrets in place of any for production. */
function readSandboxConfig(
  { operatorToken, loginToken, encryptionKey }: SandboxSecrets,
  env: Environment,
  pricesUrl: string,
): Config {
  return readConfig({
    RATE_LIMIT_STORE: 'memory',
    // For load tests: the sandbox has two partners and few users.
    WITHDRAWALS_PER_PARTNER: '10000',
    WITHDRAWALS_PER_USER: '10000',
    // Long timeouts for a busy laptop.
    DATABASE_CONNECT_TIMEOUT_MS: '30000',
    DATABASE_LOCK_TIMEOUT_MS: '30000',
    DATABASE_STATEMENT_TIMEOUT_MS: '60000',
    ...env,
    DATABASE_URL: readSetting(env, 'DATABASE_URL') ?? 'postgres://embedded',
    OPERATOR_TOKENS: `sandbox:admin:${operatorToken},login:sign-in:${loginToken}`,
    OPERATOR_TOKENS_FILE: undefined,
    ENCRYPTION_KEYS: `1:${encryptionKey}`,
    ENCRYPTION_KEYS_FILE: undefined,
    // Also its own card issuer: another one would issue real cards to demo users.
    ISSUER_URL: undefined,
    ISSUER_TOKEN: undefined,
    ISSUER_TOKEN_FILE: undefined,
    PRICES_URL: readSetting(env, 'PRICES_URL') || pricesUrl,
    PRICES_URL_FILE: undefined,
  });
}

/** The devnets instead of configured networks: a sandbox pays nobody but itself. */
function readDevnets({ networks }: Devnet, signerKey: PrivateKey): NetworkSettings[] {
  return (Object.entries(networks) as [Network, DevnetNetwork][]).map(([network, { rpcUrl, tokens }]) => ({
    network,
    rpcUrls: [rpcUrl],
    // Two blocks, at one a second: payouts complete within seconds, but not at the first receipt.
    finality: { rule: 2 },
    tokens: tokensOf(network, tokens),
    feeCap: chains[network].feeCap,
    bumpAfterMs: chains[network].bumpAfterMs,
    // Often enough that no comparison needs a block that is gone: a compacted devnet keeps the last 256.
    reconcileEveryMs: 20_000,
    callTimeoutMs: 30_000,
    signerKeys: [signerKey],
  }));
}

interface Preparation {
  home: string;
  env: Environment;
  log: Log;
  onStep: SandboxOptions['onStep'];
  cardIssuer: SandboxIssuer;
}

/** Migrates and loads the demo data, before the first request is answered. */
async function prepareData(
  config: Config,
  { home, env, log, onStep, cardIssuer }: Preparation,
): Promise<World & Pick<SandboxFile, 'cards'>> {
  await migrate(config.databaseUrl, { functions: 'own', onStep }).catch((error) => {
    if (!(error instanceof StartupError)) throw unreachable(error);
    // --reset does not empty an operator's own database.
    if (readSetting(env, 'DATABASE_URL')) throw error;
    const cause = error;
    throw new StartupError(`${error.message} ${resetHint}`, { cause });
  });
  onStep('Loading the demo data');
  const deps = createDeps(config, log);
  const ctx = contextFor(deps, sandboxOperator, log);
  try {
    const world = await patiently(() => loadWorld(ctx, readSandboxFile(home)));
    const cards = await patiently(() => useCards(ctx, cardIssuer));
    await patiently(() => recordPortfolio(ctx));
    return { ...world, cards };
  } finally {
    await deps.db.end();
  }
}

/** On a busy machine the database may not answer in time; these steps can be repeated, as after a kill. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || attempt === 5) throw error;
    }
  }
}

const issuerFiles = (home: string) => ({
  folder: path.join(home, 'card-issuer'),
  logFile: path.join(home, 'card-issuer.log'),
});

async function openDatabase(home: string, env: Environment, log: Log): Promise<SandboxDatabase> {
  const url = readSetting(env, 'DATABASE_URL');
  return url ? { url, stop: async () => {} } : startDatabase(home, log);
}

/** Deletes everything except the lock, which we hold. */
function resetHome(home: string, env: Environment): void {
  if (readSetting(env, 'DATABASE_URL')) {
    throw new StartupError(
      '--reset empties only the embedded database: unset DATABASE_URL, or drop that database yourself.',
    );
  }
  for (const name of [
    'devnet',
    'postgres',
    'postgres-password',
    'postgres.log',
    'card-issuer',
    'card-issuer.log',
    'causeway.log',
    'prices.json',
    'sandbox.json',
    'secrets.json',
  ]) {
    rmSync(path.join(home, name), { recursive: true, force: true });
  }
}

/** Checked before PostgreSQL starts, so that the most common mistake is reported at once. */
async function requireFreePort(wanted: Parameters<typeof cannotListen>[1]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const probe = createServer()
      .once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, wanted)))
      .listen(wanted.port, wanted.host, () => probe.close(() => resolve()));
  });
}
