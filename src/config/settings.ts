import { readFileSync } from 'node:fs';
import { errorCode, reasonOf } from '#platform/errors/startup-error';

interface Setting {
  meaning: string;
  /** Undefined means that there is no default: it must be given where it is used. */
  default?: string;
  /** Never printed; may come from a file instead, named by `<NAME>_FILE`. */
  secret?: true;
}

/** Every environment variable that Causeway reads, in the order of README and `.env.example`. */
export const settings = {
  DATABASE_URL: {
    meaning:
      'PostgreSQL 18 or later, `postgres://user:password@host:port/database`. The sandbox brings its own.',
    secret: true,
  },
  OPERATOR_TOKENS: {
    meaning:
      'Who may use the operator API: `name:token`, several separated by commas; a token has 32 characters or more.',
    secret: true,
  },
  ENCRYPTION_KEYS: {
    meaning:
      'Master keys for personal data at rest: `version:base64 of 32 bytes`, several separated by commas; the highest version encrypts.',
    secret: true,
  },
  HOST: { meaning: 'Address to listen on.', default: '127.0.0.1' },
  PORT: { meaning: 'Port to listen on.', default: '8080' },
  PUBLIC_URL: {
    meaning:
      'Origin by which people and partners reach this server, such as `https://connect.example.com`: links begin with it. `https://`, unless it is this machine. May be left out where `HOST` is this machine: then `http://HOST:PORT`.',
    default: '',
  },
  SIGN_IN_URL: {
    meaning:
      'Your own login, where people who are not signed in are sent; it gets `?return_to=` and a path. Without one, the page tells them to sign in with you and come back.',
    default: '',
  },
  TRUSTED_PROXIES: {
    meaning: 'CIDR blocks of proxies whose `X-Forwarded-For` is believed, separated by commas.',
    default: '',
  },
  RATE_LIMIT_STORE: {
    meaning: '`postgres` where several processes serve together, `memory` where one serves alone.',
    default: 'postgres',
  },
  POLYGON_RPC_URLS: {
    meaning:
      'JSON-RPC addresses of Polygon nodes, separated by commas; without one, nothing is paid there. Give three of different providers: two must agree, and one may be away.',
    default: '',
    secret: true,
  },
  ETHEREUM_RPC_URLS: { meaning: 'The same for Ethereum.', default: '', secret: true },
  BASE_RPC_URLS: { meaning: 'The same for Base.', default: '', secret: true },
  NODE_QUORUM: {
    meaning:
      'How many nodes must agree before a payout is completed or failed or a deposit is posted, `network:number`, separated by commas. Otherwise 2, or 1 where a network has one address.',
    default: '',
  },
  HOT_WALLET_KEYS: {
    meaning:
      'Private key that withdrawals are paid with, 32 bytes in hexadecimal: one for all networks, or `network:key`, separated by commas. Only workers read it.',
    default: '',
    secret: true,
  },
  DEPLOYMENT_ID: {
    meaning:
      'Any text that names this deployment, such as `production`; up to 200 characters. A worker that pays writes it to an empty database and refuses one with another: `causeway wallets rebind` changes it.',
    default: '',
  },
  DATABASE_REPLICATION: {
    meaning:
      '`synchronous` where no answered commit is lost when a standby is promoted; otherwise payouts halt after a promotion until `causeway wallets recover` was run.',
    default: 'asynchronous',
  },
  DATABASE_DURABILITY: {
    meaning:
      '`required`: a worker that pays refuses a server with `fsync`, `full_page_writes` or `synchronous_commit` off. `relaxed` is for tests.',
    default: 'required',
  },
  NETWORK_FINALITY: {
    meaning:
      'When a payout is final, `network:rule`, separated by commas: `finalized`, `safe`, a number of blocks, or `safe/10000/finalized` (safe up to 10000, finalized above). Otherwise `finalized`, and on Base `safe/10000/finalized`.',
    default: '',
  },
  NETWORK_FEE_CAP_GWEI: {
    meaning:
      'The most that a unit of gas may cost, `network:gwei`, separated by commas. Otherwise `polygon:10000,ethereum:500,base:50`.',
    default: '',
  },
  TOKEN_ADDRESSES: {
    meaning:
      'Contracts in place of the issuers’ own, for test networks: `network:SYMBOL:0xaddress`, separated by commas.',
    default: '',
  },
  WITHDRAWAL_LIMITS: {
    meaning:
      'The least and the most that one withdrawal pays, `network:SYMBOL:minimum:maximum`, separated by commas; the maximum may be empty.',
    default: '',
  },
  DEPOSIT_MINIMUMS: {
    meaning:
      'The least that a transfer must bring to be credited as a deposit, `network:SYMBOL:minimum`, separated by commas; smaller ones are ignored and counted. Otherwise every transfer is credited.',
    default: '',
  },
  RECONCILE_HALT_SHORTFALL: {
    meaning:
      'Hot wallets halt where `causeway treasury reconcile`, which workers run every ten minutes, finds a shortfall above this many units of a token; `0` means any. Empty: nothing halts, `causeway_treasury_shortfall` tells.',
    default: '',
  },
  SCREENING_URL: {
    meaning: 'Service that is asked before an address is paid; empty means that none is.',
    default: '',
    secret: true,
  },
  ISSUER_URL: {
    meaning:
      'Card issuer that speaks the protocol of docs/issuer-protocol.md; without one there are no cards.',
    default: '',
  },
  ISSUER_TOKEN: { meaning: 'Token that the card issuer knows us by.', default: '', secret: true },
  ISSUER_WEBHOOK_SECRETS: {
    meaning:
      'What the card issuer signs its webhooks to `/issuer/events` with, `whsec_` and base64; two, separated by a comma, while it changes.',
    default: '',
    secret: true,
  },
  PRICES_URL: {
    meaning:
      'Where prices in US dollars are read from, as docs/price-source.md says: one http://, https:// or file:// address; without one, balances have no value.',
    default: '',
    secret: true,
  },
  BALANCE_STALE_AFTER_MS: {
    meaning: 'Prices and positions older than this make a balance stale.',
    default: '3600000',
  },
  MCP_ALLOWED_ORIGINS: {
    meaning:
      'Values of the header `Origin` that `/mcp` accepts, `scheme://host` or `scheme://host:port`, separated by commas; `*` as the port means any. Programs send none.',
    default: 'http://localhost:*,http://127.0.0.1:*',
  },
  MCP_ALLOWED_HOSTS: {
    meaning:
      'Host names, without port, by which `/mcp` may be reached, separated by commas; empty means any.',
    default: '',
  },
  DATABASE_POOL_MAX: { meaning: 'Connections to PostgreSQL, for each process.', default: '10' },
  DATABASE_CONNECT_TIMEOUT_MS: {
    meaning: 'The longest that a request waits for a connection to PostgreSQL.',
    default: '3000',
  },
  DATABASE_LOCK_TIMEOUT_MS: {
    meaning: 'The longest that a statement waits for what another one has locked.',
    default: '2000',
  },
  DATABASE_STATEMENT_TIMEOUT_MS: {
    meaning: 'The longest that one statement of a request may run.',
    default: '5000',
  },
  SHUTDOWN_GRACE_MS: { meaning: 'How long a stop waits for requests that are running.', default: '10000' },
  LOG_LEVEL: { meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.', default: 'info' },
  CAUSEWAY_HOME: {
    meaning: 'Folder of the sandbox: its database, keys and `sandbox.json`.',
    default: '.causeway',
  },
  CAUSEWAY_URL: {
    meaning: 'Server that `causeway <feature> <command>` talks to; like `--url`.',
    default: '',
  },
  CAUSEWAY_OPERATOR_TOKEN: { meaning: 'Token for it; like `--token`.', default: '', secret: true },
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
export type Environment = Readonly<Record<string, string | undefined>>;

/** All faults of the environment at once, each a sentence that names its variable. */
export class ConfigFault extends Error {
  override readonly name = 'ConfigFault';
  readonly faults: string[];
  constructor(faults: string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** The value of one variable, from its file where `<NAME>_FILE` is set, or its default. Throws a `ConfigFault`. */
export function readSetting(env: Environment, name: SettingName): string | undefined {
  const setting: Setting = settings[name];
  const file = setting.secret ? env[`${name}_FILE`] : undefined;
  return file ? readSettingFile(`${name}_FILE`, file) : env[name]?.trim() || setting.default;
}

const fileFaults: Record<string, string> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' };

/** Never falls back on the plain variable: an operator who names a file does not expect another secret. */
function readSettingFile(variable: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = fileFaults[errorCode(error) ?? ''] ?? reasonOf(error);
    throw new ConfigFault([`${variable} names ${file}, which cannot be read: ${reason}.`]);
  }
  if (text === '') throw new ConfigFault([`${variable} names ${file}, which is empty.`]);
  return text;
}
