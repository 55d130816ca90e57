import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import {
  addressOfKey,
  type Finality,
  type NetworkSettings,
  type TokenSymbol,
  tokenSymbols,
} from '#adapters/evm';
import type { Config } from '#config/config';
import { type Ctx, contextFor, type Deps, type OperatorActor } from '#context';
import { issueKey } from '#features/keys';
import { fundAccount } from '#features/ledger';
import { allowUser, createPartner } from '#features/partners';
import { createUser } from '#features/users';
import { createLog } from '#platform/observe/log';
import { type Chain, makeWallet, startChain } from '#test/outside/chain';
import { buildApp } from '../../src/app.ts';
import { createDeps } from '../../src/main.ts';
import { type CrashingDatabase, startCrashingDatabase } from './database.ts';
import { type FaultProxy, operatorPath, startFaultProxy } from './fault-proxy.ts';
import { createRandom } from './random.ts';

export interface WorldOptions {
  /** An empty folder for the database and the logs. */
  folder: string;
  seed: string;
  finality: Finality;
  /** How many of the two nodes must agree; both, if left out. */
  quorum?: number;
  /** Hot wallets; one, if left out. */
  wallets?: number;
}

/** Where the world keeps its data. */
export interface WorldDatabase {
  url: string;
  stop(): Promise<void>;
}

/**
 * A whole Causeway that is about to be ill-treated: chain, false nodes before it, database, API, funded
 * users.
 */
export interface World<Database extends WorldDatabase = CrashingDatabase> {
  folder: string;
  chain: Chain;
  /** Two addresses of the same node, each with separate faults. */
  twins: FaultProxy[];
  database: Database;
  deps: Deps;
  apiUrl: string;
  apiKey: string;
  partnerId: string;
  operatorToken: string;
  /** The addresses of the hot wallets. */
  wallets: string[];
  /** A worker's settings of the network, including false nodes. */
  network: NetworkSettings;
  userIds: string[];
  symbols: TokenSymbol[];
  /** What each user had of each token at first, in base units. */
  fundedEach: bigint;
  operatorContext(): Ctx<OperatorActor>;
  stop(): Promise<void>;
}

const users = 5;
const fundedEach = '1000000';
const callTimeoutMs = 1_500;
const bumpAfterMs = 3_000;

export const startWorld = async (options: WorldOptions): Promise<World> =>
  startWorldOn(await startCrashingDatabase(options.folder), options);

export async function startWorldOn<Database extends WorldDatabase>(
  database: Database,
  {
    folder,
    seed,
    finality,
    quorum,
    wallets: count = 1,
    config: more,
  }: WorldOptions & { config?: Partial<Config> },
): Promise<World<Database>> {
  const chain = await startChain({ blockTime: 1 });
  const signerKeys = [...chain.settings.signerKeys!];
  while (signerKeys.length < count) signerKeys.push(await makeWallet(chain));
  // A reorganisation must not reach the blocks in which the tokens were made and the wallets were filled.
  await chain.mine(8);
  const twins = await Promise.all(
    ['first', 'second'].map((name) => startFaultProxy(chain.rpcUrl, createRandom(seed, `faults ${name}`))),
  );
  const network: NetworkSettings = {
    ...chain.settings,
    signerKeys,
    finality,
    bumpAfterMs,
    callTimeoutMs,
    rpcUrls: twins.map(({ url }) => url),
    ...(quorum && { quorum }),
  };
  const operatorToken = randomBytes(24).toString('hex');
  const own = {
    databaseUrl: database.url,
    operatorToken,
    network: { ...network, rpcUrls: twins.map(({ url }) => url + operatorPath) },
  };
  const config = { ...apiConfig(own), ...more };
  const logFile = path.join(folder, 'api.log');
  const log = createLog({ level: 'error', destination: { write: (line) => appendFileSync(logFile, line) } });
  const deps = createDeps(config, log);
  const server = await buildApp(deps, { ...config, servesApi: true });
  const apiUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  const operatorContext = () =>
    contextFor(deps, { kind: 'operator', name: 'chaos', role: 'admin' } as const, log);

  const partner = await createPartner(operatorContext(), { name: 'Chaos' });
  const symbols = tokenSymbols.filter((symbol) => network.tokens.some((token) => token.symbol === symbol));
  const userIds: string[] = [];
  for (let n = 0; n < users; n += 1) {
    userIds.push(await makeFundedUser(operatorContext, partner.id, network, symbols));
  }
  const key = await issueKey(operatorContext(), {
    name: 'chaos',
    partnerId: partner.id,
    userId: userIds[0]!,
  });
  return {
    folder,
    chain,
    twins,
    database,
    deps,
    apiUrl,
    operatorToken,
    network,
    wallets: signerKeys.map((key) => addressOfKey(key).toLowerCase()),
    userIds,
    symbols,
    apiKey: key.token,
    partnerId: partner.id,
    fundedEach: BigInt(fundedEach) * 10n ** 6n,
    operatorContext,
    async stop() {
      await server.close();
      await deps.db.end();
      await Promise.all(twins.map((twin) => twin.stop()));
      await Promise.all([chain.stop(), database.stop()]);
    },
  };
}

async function makeFundedUser(
  operatorContext: () => Ctx<OperatorActor>,
  partnerId: string,
  { network }: NetworkSettings,
  symbols: readonly TokenSymbol[],
): Promise<string> {
  const user = await createUser(operatorContext(), {
    email: `${randomBytes(6).toString('hex')}@example.com`,
    givenName: 'Test',
    familyName: 'Person',
    documentType: 'passport',
    documentNumber: randomBytes(6).toString('hex'),
  });
  await allowUser(operatorContext(), { partnerId, userId: user.id });
  for (const currency of symbols) {
    await fundAccount(operatorContext(), { userId: user.id, network, currency, amount: fundedEach });
  }
  return user.id;
}

function apiConfig(own: { databaseUrl: string; network: NetworkSettings; operatorToken: string }): Config {
  const { signerKeys: _, ...withoutSigner } = own.network;
  return {
    databaseUrl: own.databaseUrl,
    databaseReadUrls: [],
    rateLimitUrl: '',
    databasePoolMax: 10,
    databaseConnectTimeoutMs: 3_000,
    databaseLockTimeoutMs: 2_000,
    databaseStatementTimeoutMs: 5_000,
    host: '127.0.0.1',
    port: 0,
    databaseReplication: 'asynchronous',
    databaseDurability: 'relaxed',
    deploymentId: 'test',
    publicUrl: 'http://127.0.0.1:0',
    brand: { name: 'Causeway', address: [] },
    operatorTokens: new Map([['chaos', { token: own.operatorToken, role: 'admin' }]]),
    encryptionKeys: new Map([[1, randomBytes(32)]]),
    secretFiles: [],
    trustedProxies: [],
    rateLimitStore: 'memory',
    shutdownGraceMs: 2_000,
    logLevel: 'error',
    networks: [withoutSigner],
    fourEyesCommands: [],
    acceptsApplications: true,
    twoPersonResume: false,
    withdrawalLimits: [],
    withdrawalRates: { partner: 1_000_000, user: 1_000_000 },
    issuerWebhookSecrets: [],
    balanceStaleAfterMs: 3_600_000,
    outgoing: { allowsLoopbackHttp: false, ports: [], allowedBlocks: [] },
    mcpAllowedOrigins: [],
    mcpAllowedHosts: [],
  };
}
