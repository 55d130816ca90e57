import { fileURLToPath } from 'node:url';
import {
  chains,
  type Finality,
  type Network,
  type NetworkSettings,
  networks,
  type PrivateKey,
  parseAddress,
  parseFinality,
  parsePrivateKey,
  type Token,
  type TokenSymbol,
  tokenSymbols,
  tokensOf,
} from '#adapters/evm';
import { isWebhookSecret } from '#adapters/issuer';
import { faultInCidr, isInBlocks } from '#platform/values/address';
import { parseMinor } from '#platform/values/money';
import { ConfigFault, type Environment, readSetting, type SettingName, settings } from './settings.ts';

export interface Config {
  databaseUrl: string;
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
  /** An origin: what links begin with. */
  publicUrl: string;
  /** Where people sign in; without one, a page tells them to do so at their provider. */
  signInUrl?: string;
  operatorTokens: ReadonlyMap<string, string>;
  encryptionKeys: ReadonlyMap<number, Buffer>;
  trustedProxies: string[];
  rateLimitStore: 'memory' | 'postgres';
  shutdownGraceMs: number;
  logLevel: string;
  /** Those with a node. */
  networks: NetworkSettings[];
  withdrawalLimits: WithdrawalLimit[];
  screeningUrl?: string;
  /** Where the card issuer is, and what it knows us by; without one there are no cards. */
  issuer?: { url: string; token: string };
  /** The secrets that its webhooks may be signed with. */
  issuerWebhookSecrets: string[];
  /** Where prices are read from; without one, only what positions brought along has a price. */
  pricesUrl?: string;
  balanceStaleAfterMs: number;
  /** As browsers spell them, in lower case and without a usual port; the port may be `*`. */
  mcpAllowedOrigins: string[];
  /** In lower case, an IPv6 address in brackets; empty means any. */
  mcpAllowedHosts: string[];
}

/** Amounts in whole units of the token, as decimal text. */
export interface WithdrawalLimit {
  network: Network;
  symbol: TokenSymbol;
  minimum: string;
  maximum?: string;
}

/**
 * What `causeway serve` needs with these roles. Throws a `ConfigFault` that names everything missing or wrong. The key that
 * pays is for workers: a process that does not pay never sees it.
 */
export function readConfig(env: Environment, roles: readonly string[] = []): Config {
  const faults: string[] = [];
  const text = (name: SettingName): string => {
    try {
      const value = readSetting(env, name);
      if (value !== undefined) return value;
      faults.push(`${name} is missing. ${settings[name].meaning}`);
    } catch (error) {
      if (!(error instanceof ConfigFault)) throw error;
      faults.push(...error.faults);
    }
    return '';
  };
  const integer = (name: SettingName, min: number, max: number): number => {
    const value = text(name);
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    faults.push(`${name} must be a whole number from ${min} to ${max}.`);
    return min;
  };
  const oneOf = <T extends string>(name: SettingName, values: readonly T[]): T => {
    const value = text(name) as T;
    if (values.includes(value)) return value;
    faults.push(`${name} must be one of ${values.join(', ')}.`);
    return values[0]!;
  };
  const list = (name: SettingName): string[] =>
    text(name)
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');

  const databaseUrl = text('DATABASE_URL');
  if (databaseUrl !== '' && !/^postgres(ql)?:\/\/\S+$/.test(databaseUrl)) {
    faults.push('DATABASE_URL must start with postgres:// or postgresql://.');
  }
  const operatorTokens = new Map<string, string>();
  for (const item of list('OPERATOR_TOKENS')) {
    const [, name, token] = /^([A-Za-z0-9_.@-]{1,60}):(\S{32,200})$/.exec(item) ?? [];
    if (name && token && !operatorTokens.has(name)) operatorTokens.set(name, token);
    else
      faults.push('OPERATOR_TOKENS must be name:token pairs, names unlike, each token 32 to 200 characters.');
  }
  const encryptionKeys = new Map<number, Buffer>();
  for (const item of list('ENCRYPTION_KEYS')) {
    const [, version, base64] = /^([1-9]\d{0,3}):([A-Za-z0-9+/_-]{43}=?)$/.exec(item) ?? [];
    if (!version || !base64)
      faults.push('ENCRYPTION_KEYS must be version:key pairs, each key 32 bytes in base64.');
    else if (encryptionKeys.has(Number(version)))
      faults.push(`ENCRYPTION_KEYS has version ${version} more than once.`);
    else encryptionKeys.set(Number(version), Buffer.from(base64, 'base64'));
  }
  const trustedProxies = list('TRUSTED_PROXIES');
  for (const block of trustedProxies) {
    const fault = faultInCidr(block) ?? faultInTrust(block);
    if (fault) faults.push(`TRUSTED_PROXIES: ${fault}.`);
  }

  const read = { list, fault: (sentence: string) => void faults.push(sentence) };
  const networkTokens = readTokens(read);
  const withdrawalLimits = readWithdrawalLimits(read, networkTokens);
  const screeningUrl = text('SCREENING_URL');
  if (screeningUrl !== '' && !isHttpUrl(screeningUrl))
    faults.push('SCREENING_URL must be one http:// or https:// address.');
  // Requests to such an address are refused by the runtime, so every payout would wait.
  else if (/^https?:\/\/[^/?#]*@/i.test(screeningUrl))
    faults.push(
      'SCREENING_URL must have no user name or password before its host; put a token into its path or query.',
    );

  const issuer = readIssuer({ url: text('ISSUER_URL'), token: text('ISSUER_TOKEN') }, read.fault);
  const issuerWebhookSecrets = list('ISSUER_WEBHOOK_SECRETS');
  if (!issuerWebhookSecrets.every(isWebhookSecret))
    faults.push('ISSUER_WEBHOOK_SECRETS must be whsec_ and 24 to 64 bytes in base64, separated by commas.');
  const pricesUrl = text('PRICES_URL');
  if (pricesUrl !== '' && !isHttpUrl(pricesUrl) && !isFileUrl(pricesUrl))
    faults.push('PRICES_URL must be one http://, https:// or file:// address, of a file by its whole path.');
  // Requests to such an address are refused by the runtime.
  else if (/^https?:\/\/[^/?#]*@/i.test(pricesUrl))
    faults.push(
      'PRICES_URL must have no user name or password before its host; put a token into its path or query.',
    );

  const [host, port] = [text('HOST'), integer('PORT', 0, 65_535)];
  const publicUrl = readPublicUrl(text('PUBLIC_URL'), read.fault);
  // Links would begin with an address that nobody can open, and sessions would go over plain http.
  if (text('PUBLIC_URL') === '' && roles.includes('api') && !isLoopback(host))
    faults.push(
      'PUBLIC_URL must be given where HOST is not this machine alone: the origin by which people reach it, such as https://connect.example.com.',
    );
  const paid = readNetworks(read, networkTokens, roles.includes('worker'));
  const deploymentId = text('DEPLOYMENT_ID');
  if (deploymentId === '' && roles.includes('worker') && paid.length > 0)
    faults.push(`DEPLOYMENT_ID is missing. ${settings.DEPLOYMENT_ID.meaning}`);
  if (deploymentId.length > 200) faults.push('DEPLOYMENT_ID must have at most 200 characters.');
  const signInUrl = readSignInUrl(text('SIGN_IN_URL'), read.fault);
  const config: Config = {
    databaseUrl,
    databasePoolMax: integer('DATABASE_POOL_MAX', 1, 1_000),
    databaseConnectTimeoutMs: integer('DATABASE_CONNECT_TIMEOUT_MS', 10, 600_000),
    databaseLockTimeoutMs: integer('DATABASE_LOCK_TIMEOUT_MS', 10, 600_000),
    databaseStatementTimeoutMs: integer('DATABASE_STATEMENT_TIMEOUT_MS', 10, 600_000),
    databaseReplication: oneOf('DATABASE_REPLICATION', ['asynchronous', 'synchronous']),
    databaseDurability: oneOf('DATABASE_DURABILITY', ['required', 'relaxed']),
    deploymentId,
    host,
    port,
    publicUrl: publicUrl ?? httpOrigin(host, port),
    ...(signInUrl && { signInUrl }),
    operatorTokens,
    encryptionKeys,
    trustedProxies,
    rateLimitStore: oneOf('RATE_LIMIT_STORE', ['postgres', 'memory']),
    shutdownGraceMs: integer('SHUTDOWN_GRACE_MS', 0, 600_000),
    logLevel: oneOf('LOG_LEVEL', ['info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent']),
    networks: paid,
    withdrawalLimits,
    ...(screeningUrl && { screeningUrl }),
    ...(issuer && { issuer }),
    issuerWebhookSecrets,
    ...(pricesUrl && { pricesUrl }),
    balanceStaleAfterMs: integer('BALANCE_STALE_AFTER_MS', 1_000, 604_800_000),
    mcpAllowedOrigins: readOrigins(read, 'MCP_ALLOWED_ORIGINS'),
    mcpAllowedHosts: readHosts(read, 'MCP_ALLOWED_HOSTS'),
  };
  if (faults.length > 0) throw new ConfigFault([...new Set(faults)]);
  return config;
}

export const httpOrigin = (host: string, port: number) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** As browsers spell it, since what they send is compared with it. */
function readPublicUrl(text: string, fault: (sentence: string) => void): string | undefined {
  if (text === '') return undefined;
  const url = isHttpUrl(text) ? new URL(text) : undefined;
  if (!url || url.href !== `${url.origin}/`) {
    fault(
      'PUBLIC_URL must be one http:// or https:// origin without path, such as https://connect.example.com.',
    );
    return undefined;
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    fault(
      'PUBLIC_URL must be https://, or http:// on this machine: sessions and links would be open to anybody on the way.',
    );
  return url.origin;
}

const isLoopback = (host: string) => /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);

function readSignInUrl(text: string, fault: (sentence: string) => void): string | undefined {
  if (text === '') return undefined;
  const url = isHttpUrl(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password || url.hash || url.searchParams.has('return_to'))
    fault(
      'SIGN_IN_URL must be one http:// or https:// address without user name, password, fragment or return_to.',
    );
  return url?.href;
}

function readIssuer(issuer: { url: string; token: string }, fault: (sentence: string) => void) {
  const { url, token } = issuer;
  if (url === '') {
    if (token !== '') fault('ISSUER_TOKEN is given and ISSUER_URL is not.');
    return undefined;
  }
  if (!isHttpUrl(url) || /^https?:\/\/[^/]*@|[?#]/i.test(url))
    fault(
      'ISSUER_URL must be one http:// or https:// address without a user name, password, query or fragment.',
    );
  else if (!/^[!-~]{16,255}$/.test(token))
    fault('ISSUER_TOKEN must be 16 to 255 visible ASCII characters where ISSUER_URL is given.');
  return issuer;
}

/** Who believes everybody believes the caller. A block with both ends of IPv4 in it, in whatever spelling, has all of it. */
function faultInTrust(block: string): string | undefined {
  const holdsEverybody = ['0.0.0.0', '255.255.255.255'].every((end) => isInBlocks(end, [block]));
  return holdsEverybody ? `${block} would believe every caller; name the blocks of your proxies` : undefined;
}

/** What the readers of several settings together share: a setting's items, and where faults go. */
interface Reading {
  list(name: SettingName): string[];
  fault(sentence: string): void;
}

const isNetwork = (text: string): text is Network => (networks as string[]).includes(text);
const isSymbol = (text: string): text is TokenSymbol => (tokenSymbols as string[]).includes(text);
const knownNetworks = `the networks are ${networks.join(', ')}`;

function readNetworks(
  read: Reading,
  tokens: ReadonlyMap<Network, Token[]>,
  isWorker: boolean,
): NetworkSettings[] {
  const rpcUrls = new Map(networks.map((network) => [network, readRpcUrls(read, network)]));
  const minimums = readDepositMinimums(read, tokens);
  const [haltShortfall, ...others] = read.list('RECONCILE_HALT_SHORTFALL');
  if (haltShortfall !== undefined && (others.length > 0 || parseMinor(haltShortfall, 6) === undefined))
    read.fault('RECONCILE_HALT_SHORTFALL must be one amount with at most 6 decimals, such as 1000.');
  const offered = networks.filter((network) => rpcUrls.get(network)!.length > 0);
  const keys = isWorker ? readHotWalletKeys(read, offered) : new Map<Network, PrivateKey>();
  const finality = readPairs<Finality>(read, 'NETWORK_FINALITY', {
    form: 'network:rule pairs, a rule being finalized, safe, a number of blocks, or such as safe/10000/finalized',
    parse: parseFinality,
  });
  const feeCaps = readPairs<bigint>(read, 'NETWORK_FEE_CAP_GWEI', {
    form: 'network:gwei pairs, each a number above 0 with at most 9 decimals',
    parse: (gwei) => parseMinor(gwei, 9) || undefined,
  });
  const quorums = readQuorums(read, rpcUrls);
  return offered.map((network) => {
    const chain = chains[network];
    const signerKey = keys.get(network);
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
      ...(signerKey && { signerKey }),
    };
  });
}

const rpcSettings = {
  polygon: 'POLYGON_RPC_URLS',
  ethereum: 'ETHEREUM_RPC_URLS',
  base: 'BASE_RPC_URLS',
} as const satisfies Record<Network, SettingName>;

function readRpcUrls({ list, fault }: Reading, network: Network): string[] {
  const name = rpcSettings[network];
  const urls = list(name);
  if (!urls.every(isHttpUrl)) fault(`${name} must be http:// or https:// addresses, separated by commas.`);
  // One node under one address would be two votes.
  else if (new Set(urls.map((url) => new URL(url).href)).size < urls.length)
    fault(`${name} has one address more than once.`);
  return urls;
}

function readQuorums(read: Reading, rpcUrls: ReadonlyMap<Network, string[]>): Map<Network, number> {
  const quorums = readPairs<number>(read, 'NODE_QUORUM', {
    form: 'network:number pairs, each number from 1 to 99',
    parse: (text) => (/^[1-9]\d?$/.test(text) ? Number(text) : undefined),
  });
  for (const [network, quorum] of quorums) {
    const count = rpcUrls.get(network)!.length;
    if (quorum > count)
      read.fault(
        `NODE_QUORUM asks for ${quorum} nodes of ${network}, and ${rpcSettings[network]} has ${count}: no payout would ever be settled.`,
      );
  }
  return quorums;
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text);
}

function isFileUrl(text: string): boolean {
  try {
    return /^file:\/\/\/[^?#]+$/.test(text) && fileURLToPath(text) !== '';
  } catch {
    return false;
  }
}

/** A page of an origin that is spelled otherwise than browsers do would be refused for good. */
function readOrigins({ list, fault }: Reading, name: SettingName): string[] {
  return list(name).map((item) => {
    const [, scheme = '', host = '', port] =
      /^([a-z][a-z0-9+.-]*):\/\/([^/?#@*\\]+?)(?::(\*|\d{1,5}))?$/i.exec(item) ?? [];
    // Browsers spell the hosts of http and https in one way, and name no port that is the usual one.
    const isWeb = /^https?$/i.test(scheme);
    const url = URL.parse(`${isWeb ? scheme : 'http'}://${host}${port && port !== '*' ? `:${port}` : ''}`);
    if (scheme === '' || !url || !isHost(url.hostname))
      fault(
        `${name} must be origins such as https://app.example.com or http://localhost:*, separated by commas.`,
      );
    else if (!isWeb) return item.toLowerCase();
    else return port === '*' ? `${url.origin}:*` : url.origin;
    return item;
  });
}

function readHosts({ list, fault }: Reading, name: SettingName): string[] {
  return list(name).map((item) => {
    const host = /^(\[[^\]]*\]|[^:/?#@\\]+)$/.test(item) ? URL.parse(`http://${item}`)?.hostname : undefined;
    if (host && isHost(host)) return host;
    fault(`${name} must be host names without port, such as mcp.example.com or [::1], separated by commas.`);
    return item;
  });
}

const isHost = (text: string) => /^([a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/.test(text);

function readHotWalletKeys({ list, fault }: Reading, offered: readonly Network[]): Map<Network, PrivateKey> {
  const keys = new Map<Network, PrivateKey>();
  const items = list('HOT_WALLET_KEYS');
  for (const item of items) {
    const [, name, digits] = /^(?:([a-z]+):)?(\w+)$/.exec(item) ?? [];
    const key = parsePrivateKey(digits ?? '');
    const isForAll = name === undefined && items.length === 1;
    const isForOne = name !== undefined && isNetwork(name) && !keys.has(name);
    if (!key || !(isForAll || isForOne)) {
      // Nothing of the item is repeated: what looks like the name of a network may be a part of the key.
      fault(
        `HOT_WALLET_KEYS must be one private key, 32 bytes in hexadecimal, or network:key pairs, networks unlike; ${knownNetworks}.`,
      );
      return keys;
    }
    for (const network of isForOne ? [name] : networks) keys.set(network, key);
  }
  const without = offered.filter((network) => !keys.has(network));
  if (without.length > 0)
    fault(`HOT_WALLET_KEYS has no key for ${without.join(', ')}: a worker pays withdrawals with it.`);
  return keys;
}

/** `network:value` pairs; the value itself may hold colons. */
function readPairs<Value>(
  { list, fault }: Reading,
  name: SettingName,
  { form, parse }: { form: string; parse(text: string): Value | undefined },
): Map<Network, Value> {
  const values = new Map<Network, Value>();
  for (const item of list(name)) {
    const [, network = '', text = ''] = /^([a-z]+):(\S+)$/.exec(item) ?? [];
    const value = parse(text);
    if (!isNetwork(network) || value === undefined) fault(`${name} must be ${form}; ${knownNetworks}.`);
    else if (values.has(network)) fault(`${name} has ${network} more than once.`);
    else values.set(network, value);
  }
  return values;
}

/** Of every network, also of those without a node. */
function readTokens({ list, fault }: Reading): ReadonlyMap<Network, Token[]> {
  const others = new Map(networks.map((network) => [network, {} as Partial<Record<TokenSymbol, string>>]));
  for (const item of list('TOKEN_ADDRESSES')) {
    const [network = '', symbol = '', text = '', ...more] = item.split(':');
    const address = parseAddress(text);
    if (!isNetwork(network) || !isSymbol(symbol) || !address || more.length > 0)
      fault(
        `TOKEN_ADDRESSES must be network:SYMBOL:0xaddress; ${knownNetworks}, the symbols ${tokenSymbols.join(', ')}.`,
      );
    else if (others.get(network)![symbol]) fault(`TOKEN_ADDRESSES has ${network}:${symbol} more than once.`);
    else others.get(network)![symbol] = address;
  }
  return new Map(
    networks.map((network) => {
      const tokens = tokensOf(network, others.get(network));
      if (new Set(tokens.map(({ address }) => address)).size < tokens.length)
        fault(`TOKEN_ADDRESSES gives two tokens of ${network} the same address.`);
      return [network, tokens];
    }),
  );
}

function readDepositMinimums(
  { list, fault }: Reading,
  tokens: ReadonlyMap<Network, Token[]>,
): ReadonlyMap<Network, ReadonlyMap<TokenSymbol, bigint>> {
  const minimums = new Map(networks.map((network) => [network, new Map<TokenSymbol, bigint>()]));
  for (const item of list('DEPOSIT_MINIMUMS')) {
    const [network = '', symbol = '', text = '', ...more] = item.split(':');
    const ofNetwork = isNetwork(network) ? minimums.get(network) : undefined;
    const token = isNetwork(network)
      ? tokens.get(network)!.find((token) => token.symbol === symbol)
      : undefined;
    const minimum = parseMinor(text, token?.decimals ?? 0);
    if (!ofNetwork || !token || minimum === undefined || more.length > 0)
      fault(
        'DEPOSIT_MINIMUMS must be network:SYMBOL:minimum, each amount with at most 6 decimals, of tokens that the network has.',
      );
    else if (ofNetwork.has(token.symbol)) fault(`DEPOSIT_MINIMUMS has ${network}:${symbol} more than once.`);
    else ofNetwork.set(token.symbol, minimum);
  }
  return minimums;
}

function readWithdrawalLimits(
  { list, fault }: Reading,
  tokens: ReadonlyMap<Network, Token[]>,
): WithdrawalLimit[] {
  const limits = new Map<string, WithdrawalLimit>();
  for (const item of list('WITHDRAWAL_LIMITS')) {
    const [network = '', symbol = '', minimum = '', maximum, ...more] = item.split(':');
    const token = isNetwork(network)
      ? tokens.get(network)!.find((token) => token.symbol === symbol)
      : undefined;
    const [least, most] = [minimum, maximum || minimum].map((text) => parseMinor(text, token?.decimals ?? 0));
    const asset = `${network}:${symbol}`;
    if (least === undefined || most === undefined || maximum === undefined || more.length > 0 || !token)
      fault(
        'WITHDRAWAL_LIMITS must be network:SYMBOL:minimum:maximum, each amount with at most 6 decimals, of tokens that the network has.',
      );
    else if (most < least) fault(`WITHDRAWAL_LIMITS gives ${asset} a maximum below its minimum.`);
    else if (limits.has(asset)) fault(`WITHDRAWAL_LIMITS has ${asset} more than once.`);
    else
      limits.set(asset, {
        network: network as Network,
        symbol: token.symbol,
        minimum,
        ...(maximum && { maximum }),
      });
  }
  return [...limits.values()];
}
