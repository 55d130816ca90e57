import { chains, type Network, type NetworkSettings, tokensOf } from '#adapters/evm';
import { type Config, readConfig } from '#config/config';
import type { Environment } from '#config/setting';
import { readSetting } from '#config/settings';
import type { Devnet, DevnetNetwork } from './devnet/index.ts';
import type { SandboxSecrets } from './secrets.ts';
import { unfinishedOn } from './unfinished-on.ts';

/** The operator's settings, with the sandbox's own secrets in place of any for production. */
export function readSandboxConfig(
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
    // Another deployment's servers: they would get the demo's requests, and answer with that one's data.
    RATE_LIMIT_URL: undefined,
    RATE_LIMIT_URL_FILE: undefined,
    DATABASE_READ_URLS: undefined,
    DATABASE_READ_URLS_FILE: undefined,
  });
}

/** The devnets instead of configured networks: a sandbox pays nobody but itself. */
export function readDevnets(
  { networks }: Devnet,
  { hotWalletKey, spareWalletKey }: Pick<SandboxSecrets, 'hotWalletKey' | 'spareWalletKey'>,
): NetworkSettings[] {
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
    signerKeys: network === unfinishedOn ? [hotWalletKey, spareWalletKey] : [hotWalletKey],
  }));
}
