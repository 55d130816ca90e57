import { readFileSync } from 'node:fs';
import { faultInCidr, isInBlocks } from './platform/address.ts';
import { errorCode, reasonOf } from './platform/start-error.ts';

export interface Config {
  databaseUrl: string;
  databasePoolMax: number;
  databaseStatementTimeoutMs: number;
  host: string;
  port: number;
  operatorTokens: ReadonlyMap<string, string>;
  encryptionKeys: ReadonlyMap<number, Buffer>;
  trustedProxies: string[];
  rateLimitStore: 'memory' | 'postgres';
  shutdownGraceMs: number;
  logLevel: string;
}

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
  TRUSTED_PROXIES: {
    meaning: 'CIDR blocks of proxies whose `X-Forwarded-For` is believed, separated by commas.',
    default: '',
  },
  RATE_LIMIT_STORE: {
    meaning: '`postgres` where several processes serve together, `memory` where one serves alone.',
    default: 'postgres',
  },
  DATABASE_POOL_MAX: { meaning: 'Connections to PostgreSQL, for each process.', default: '10' },
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

/** Never falls back on the variable beside it: whoever named a file does not expect another secret to be used. */
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

/** What `causeway serve` needs. Throws a `ConfigFault` that names everything missing or wrong. */
export function readConfig(env: Environment): Config {
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

  const config: Config = {
    databaseUrl,
    databasePoolMax: integer('DATABASE_POOL_MAX', 1, 1_000),
    databaseStatementTimeoutMs: integer('DATABASE_STATEMENT_TIMEOUT_MS', 10, 600_000),
    host: text('HOST'),
    port: integer('PORT', 0, 65_535),
    operatorTokens,
    encryptionKeys,
    trustedProxies,
    rateLimitStore: oneOf('RATE_LIMIT_STORE', ['postgres', 'memory']),
    shutdownGraceMs: integer('SHUTDOWN_GRACE_MS', 0, 600_000),
    logLevel: oneOf('LOG_LEVEL', ['info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent']),
  };
  if (faults.length > 0) throw new ConfigFault([...new Set(faults)]);
  return config;
}

/** Who believes everybody believes the caller. A block with both ends of IPv4 in it, in whatever spelling, has all of it. */
function faultInTrust(block: string): string | undefined {
  const holdsEverybody = ['0.0.0.0', '255.255.255.255'].every((end) => isInBlocks(end, [block]));
  return holdsEverybody ? `${block} would believe every caller; name the blocks of your proxies` : undefined;
}
