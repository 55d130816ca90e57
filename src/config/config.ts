import { chains, type Network, type NetworkSettings, networks } from '#adapters/evm';
import type { OpenidSettings } from '#adapters/openid';
import type { OutgoingPolicy } from '#platform/outgoing/index';
import type { BrandSettings } from '#platform/values/brand';
import { ConfigFault, type Environment, type Setting } from './setting.ts';
import type { OperatorToken } from './settings/essential.ts';
import { rpcSettings } from './settings/nodes.ts';
import type { WithdrawalLimit } from './settings/tokens.ts';
import { readSetting, type SettingName, settings } from './settings.ts';

export type { OperatorToken, WithdrawalLimit };

export interface Config {
  databaseUrl: string;
  /** Of replicas. */
  databaseReadUrls: readonly string[];
  databasePoolMax: number;
  databaseConnectTimeoutMs: number;
  databaseLockTimeoutMs: number;
  databaseStatementTimeoutMs: number;
  databaseReplication: 'asynchronous' | 'synchronous';
  /** `relaxed`: payouts may be lost with the server. */
  databaseDurability: 'required' | 'relaxed';
  /** Must be that of the database before a wallet is used; empty only where no wallet is. */
  deploymentId: string;
  host: string;
  port: number;
  /** Where `/metrics` is served instead of `port`. */
  metricsPort?: number;
  /** An origin: what links begin with. */
  publicUrl: string;
  brand: BrandSettings;
  /** Where people sign in; without one, a page tells them to do so at their provider. */
  signInUrl?: string;
  /** Where staff may sign in instead of with a passkey. */
  openid?: OpenidSettings;
  operatorTokens: ReadonlyMap<string, OperatorToken>;
  encryptionKeys: ReadonlyMap<number, Buffer>;
  /** The files that `<NAME>_FILE` settings name. */
  secretFiles: { setting: string; file: string }[];
  trustedProxies: string[];
  rateLimitStore: 'memory' | 'postgres';
  /** Of the database that has the shared limits; empty: the one of everything else. */
  rateLimitUrl: string;
  /** Commands that need a second operator; `default` stands for a list. */
  fourEyesCommands: string[];
  /** Developers may apply for Connect. */
  acceptsApplications: boolean;
  twoPersonResume: boolean;
  shutdownGraceMs: number;
  logLevel: string;
  /** Where traces are sent; without one, nothing is traced. */
  tracesUrl?: string;
  /** Networks with at least one RPC URL. */
  networks: NetworkSettings[];
  withdrawalLimits: WithdrawalLimit[];
  withdrawalRates: WithdrawalRates;
  screeningUrl?: string;
  /** Where the card issuer is, and what it knows us by; without one there are no cards. */
  issuer?: { url: string; token: string };
  /** The secrets that its webhooks may be signed with. */
  issuerWebhookSecrets: string[];
  /** Where prices are read from; without one, only what positions brought along has a price. */
  pricesUrl?: string;
  balanceStaleAfterMs: number;
  /** Which addresses named by partners may be called. */
  outgoing: OutgoingPolicy;
  /** As browsers spell them, in lower case and without a usual port; the port may be `*`. */
  mcpAllowedOrigins: string[];
  /** In lower case, an IPv6 address in brackets; empty means any. */
  mcpAllowedHosts: string[];
}

/** How many withdrawals a partner may create in 10 seconds: in all, and for one user. */
export interface WithdrawalRates {
  partner: number;
  user: number;
}

/**
 * What `causeway serve` needs with these roles. Throws a `ConfigFault` that names everything missing or
 * wrong. The key that pays is for workers: a process that does not pay never sees it.
 */
export function readConfig(env: Environment, roles: readonly string[] = []): Config {
  const faults: string[] = [];
  const read = readerOfValues(env, (sentence) => void faults.push(sentence));
  const isWorker = roles.includes('worker');

  // In the order in which faults are shown.
  const essential = {
    databaseUrl: read('DATABASE_URL'),
    operatorTokens: read('OPERATOR_TOKENS'),
    encryptionKeys: read('ENCRYPTION_KEYS'),
    trustedProxies: read('TRUSTED_PROXIES'),
  };
  const tokens = read('TOKEN_ADDRESSES');
  const withdrawalLimits = read('WITHDRAWAL_LIMITS', tokens);
  const screeningUrl = read('SCREENING_URL');
  const issuerUrl = read('ISSUER_URL');
  const issuerToken = read('ISSUER_TOKEN', issuerUrl);
  const issuerWebhookSecrets = read('ISSUER_WEBHOOK_SECRETS');
  const pricesUrl = read('PRICES_URL');
  const host = read('HOST');
  const port = read('PORT');
  const metricsPort = read('METRICS_PORT', port);
  const publicUrl = read('PUBLIC_URL', { host, port, isApi: roles.includes('api') });
  const paid = readNetworks(read, tokens, isWorker);
  const deploymentId = read('DEPLOYMENT_ID', isWorker && paid.length > 0);
  const signInUrl = read('SIGN_IN_URL');
  const openidIssuer = read('OPENID_ISSUER');
  const clientId = read('OPENID_CLIENT_ID', openidIssuer);
  const clientSecret = read('OPENID_CLIENT_SECRET', openidIssuer);
  const tracesUrl = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  const config: Config = {
    ...essential,
    databaseReadUrls: read('DATABASE_READ_URLS'),
    secretFiles: secretFilesOf(env),
    databasePoolMax: read('DATABASE_POOL_MAX'),
    databaseConnectTimeoutMs: read('DATABASE_CONNECT_TIMEOUT_MS'),
    databaseLockTimeoutMs: read('DATABASE_LOCK_TIMEOUT_MS'),
    databaseStatementTimeoutMs: read('DATABASE_STATEMENT_TIMEOUT_MS'),
    databaseReplication: read('DATABASE_REPLICATION'),
    databaseDurability: read('DATABASE_DURABILITY'),
    deploymentId,
    host,
    port,
    ...(metricsPort !== undefined && { metricsPort }),
    publicUrl,
    brand: {
      name: read('BRAND_NAME'),
      address: read('BRAND_ADDRESS'),
      logoFile: read('BRAND_LOGO_FILE'),
      color: read('BRAND_COLOR'),
      supportUrl: read('BRAND_SUPPORT_URL'),
      privacyUrl: read('BRAND_PRIVACY_URL'),
    },
    ...(signInUrl && { signInUrl }),
    ...(openidIssuer && { openid: { issuer: openidIssuer, clientId, clientSecret } }),
    rateLimitStore: read('RATE_LIMIT_STORE'),
    rateLimitUrl: read('RATE_LIMIT_URL'),
    fourEyesCommands: read('FOUR_EYES_COMMANDS'),
    acceptsApplications: read('CONNECT_APPLICATIONS') === 'true',
    twoPersonResume: read('TWO_PERSON_RESUME') === 'true',
    shutdownGraceMs: read('SHUTDOWN_GRACE_MS'),
    logLevel: read('LOG_LEVEL'),
    ...(tracesUrl && { tracesUrl }),
    networks: paid,
    withdrawalLimits,
    withdrawalRates: { partner: read('WITHDRAWALS_PER_PARTNER'), user: read('WITHDRAWALS_PER_USER') },
    ...(screeningUrl && { screeningUrl }),
    ...(issuerUrl && { issuer: { url: issuerUrl, token: issuerToken } }),
    issuerWebhookSecrets,
    ...(pricesUrl && { pricesUrl }),
    balanceStaleAfterMs: read('BALANCE_STALE_AFTER_MS'),
    outgoing: {
      allowsLoopbackHttp: false,
      ports: read('WEBHOOK_PORTS'),
      allowedBlocks: read('WEBHOOK_ALLOWED_BLOCKS'),
    },
    mcpAllowedOrigins: read('MCP_ALLOWED_ORIGINS'),
    mcpAllowedHosts: read('MCP_ALLOWED_HOSTS'),
  };
  if (faults.length > 0) throw new ConfigFault([...new Set(faults)]);
  return config;
}

function secretFilesOf(env: Environment): Config['secretFiles'] {
  const secret = Object.entries<Setting>(settings).filter(([, one]) => one.secret);
  return secret.flatMap(([name]) => {
    const file = env[`${name}_FILE`];
    return file ? [{ setting: `${name}_FILE`, file }] : [];
  });
}

type ParseOf<Name extends SettingName> = (typeof settings)[Name]['parse'];
/** What a parser needs to know of other settings. */
type GivenTo<Name extends SettingName> =
  Parameters<ParseOf<Name>> extends [unknown, ...infer Given] ? Given : [];
type Read = <Name extends SettingName>(name: Name, ...given: GivenTo<Name>) => ReturnType<ParseOf<Name>>;

function readerOfValues(env: Environment, fault: (sentence: string) => void): Read {
  return <Name extends SettingName>(name: Name, ...given: GivenTo<Name>) => {
    const { meaning, parse }: Setting = settings[name];
    const faultMissing = () => fault(`${name} is missing. ${meaning}`);
    let text: string | undefined = '';
    try {
      text = readSetting(env, name);
      if (text === undefined) faultMissing();
    } catch (error) {
      if (!(error instanceof ConfigFault)) throw error;
      error.faults.forEach(fault);
    }
    const reading = { name, text: text ?? '', fault, faultMissing };
    return parse(reading, ...(given as never[])) as ReturnType<ParseOf<Name>>;
  };
}

function readNetworks(
  read: Read,
  tokens: ReturnType<ParseOf<'TOKEN_ADDRESSES'>>,
  isWorker: boolean,
): NetworkSettings[] {
  const rpcUrls = new Map<Network, string[]>(
    networks.map((network) => [network, read(rpcSettings[network])]),
  );
  const minimums = read('DEPOSIT_MINIMUMS', tokens);
  const haltShortfall = read('RECONCILE_HALT_SHORTFALL');
  const offered = networks.filter((network) => rpcUrls.get(network)!.length > 0);
  const keys = isWorker ? read('HOT_WALLET_KEYS', offered) : undefined;
  const finality = read('NETWORK_FINALITY');
  const feeCaps = read('NETWORK_FEE_CAP_GWEI');
  const quorums = read('NODE_QUORUM', rpcUrls);
  return offered.map((network) => {
    const chain = chains[network];
    const signerKeys = keys?.get(network);
    const quorum = quorums.get(network);
    return {
      network,
      rpcUrls: rpcUrls.get(network)!,
      finality: finality.get(network) ?? chain.finality,
      tokens: tokens.get(network)!,
      depositMinimums: minimums.get(network)!,
      ...(haltShortfall !== undefined && { haltShortfall }),
      feeCap: feeCaps.get(network) ?? chain.feeCap,
      bumpAfterMs: chain.bumpAfterMs,
      ...(quorum && { quorum }),
      ...(signerKeys && { signerKeys }),
    };
  });
}
