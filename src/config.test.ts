import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { ConfigFault, type Environment, readConfig, readSetting, type SettingName } from './config.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-config-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const newKey = () => randomBytes(32).toString('base64');
const newToken = () => randomBytes(20).toString('hex');
const complete: Environment = {
  DATABASE_URL: 'postgres://causeway@db.example.com/causeway',
  OPERATOR_TOKENS: `alice:${newToken()}`,
  ENCRYPTION_KEYS: `1:${newKey()}`,
};

function faultsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ConfigFault, String(error));
    assert.equal(error.message, error.faults.join('\n'));
    return error.faults;
  }
  return [];
}

test('defaults: what need not be said', () => {
  const { operatorTokens, encryptionKeys, ...rest } = readConfig(complete);
  assert.deepEqual([...operatorTokens.keys()], ['alice']);
  assert.deepEqual([...encryptionKeys.keys()], [1]);
  assert.deepEqual(rest, {
    databaseUrl: complete.DATABASE_URL,
    databasePoolMax: 10,
    databaseStatementTimeoutMs: 5_000,
    host: '127.0.0.1',
    port: 8080,
    trustedProxies: [],
    rateLimitStore: 'postgres',
    shutdownGraceMs: 10_000,
    logLevel: 'info',
  });
});

test('everything said, with spaces around it', () => {
  const [first, second] = [newKey(), newKey()];
  const config = readConfig({
    DATABASE_URL: ' postgresql://causeway@db.example.com/causeway ',
    OPERATOR_TOKENS: `alice:${newToken()} , bob@example.com:${newToken()},`,
    ENCRYPTION_KEYS: `2:${second}, 1:${first}`,
    HOST: '0.0.0.0',
    PORT: '0',
    TRUSTED_PROXIES: ' 10.0.0.0/8,2001:db8::/32 ',
    RATE_LIMIT_STORE: 'memory',
    DATABASE_POOL_MAX: '1000',
    DATABASE_STATEMENT_TIMEOUT_MS: '10',
    SHUTDOWN_GRACE_MS: '0',
    LOG_LEVEL: 'silent',
  });
  assert.equal(config.databaseUrl, 'postgresql://causeway@db.example.com/causeway');
  assert.deepEqual([...config.operatorTokens.keys()], ['alice', 'bob@example.com']);
  assert.deepEqual(config.encryptionKeys.get(1), Buffer.from(first, 'base64'));
  assert.deepEqual(config.encryptionKeys.get(2), Buffer.from(second, 'base64'));
  assert.deepEqual(config.trustedProxies, ['10.0.0.0/8', '2001:db8::/32']);
  assert.deepEqual([config.port, config.shutdownGraceMs, config.logLevel], [0, 0, 'silent']);
});

const tokensFault =
  'OPERATOR_TOKENS must be name:token pairs, names unlike, each token 32 to 200 characters.';
const keysFault = 'ENCRYPTION_KEYS must be version:key pairs, each key 32 bytes in base64.';
const everybody = (block: string) =>
  `TRUSTED_PROXIES: ${block} would believe every caller; name the blocks of your proxies.`;

for (const [name, value, sentence] of [
  ['DATABASE_URL', 'mysql://db.example.com', 'DATABASE_URL must start with postgres:// or postgresql://.'],
  ['OPERATOR_TOKENS', newToken(), tokensFault],
  ['OPERATOR_TOKENS', 'alice:short', tokensFault],
  ['OPERATOR_TOKENS', `alice:${newToken()},alice:${newToken()}`, tokensFault],
  ['OPERATOR_TOKENS', `two words:${newToken()}`, tokensFault],
  ['ENCRYPTION_KEYS', newKey(), keysFault],
  ['ENCRYPTION_KEYS', `0:${newKey()}`, keysFault],
  ['ENCRYPTION_KEYS', `1:${newKey().slice(4)}`, keysFault],
  ['ENCRYPTION_KEYS', `7:${newKey()},7:${newKey()}`, 'ENCRYPTION_KEYS has version 7 more than once.'],
  ['PORT', '65536', 'PORT must be a whole number from 0 to 65535.'],
  ['PORT', '80.0', 'PORT must be a whole number from 0 to 65535.'],
  ['DATABASE_POOL_MAX', '0', 'DATABASE_POOL_MAX must be a whole number from 1 to 1000.'],
  ['SHUTDOWN_GRACE_MS', '-1', 'SHUTDOWN_GRACE_MS must be a whole number from 0 to 600000.'],
  [
    'DATABASE_STATEMENT_TIMEOUT_MS',
    '5s',
    'DATABASE_STATEMENT_TIMEOUT_MS must be a whole number from 10 to 600000.',
  ],
  ['RATE_LIMIT_STORE', 'redis', 'RATE_LIMIT_STORE must be one of postgres, memory.'],
  ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of info, fatal, error, warn, debug, trace, silent.'],
  ['TRUSTED_PROXIES', 'proxy', 'TRUSTED_PROXIES: proxy is not an address or CIDR block.'],
  ['TRUSTED_PROXIES', '10.0.0.0/33', 'TRUSTED_PROXIES: 10.0.0.0/33 has a prefix outside 0 to 32.'],
  ['TRUSTED_PROXIES', '0.0.0.0/0', everybody('0.0.0.0/0')],
  ['TRUSTED_PROXIES', '10.0.0.0/8, 10.0.0.0/00', everybody('10.0.0.0/00')],
  ['TRUSTED_PROXIES', '::/0', everybody('::/0')],
  ['TRUSTED_PROXIES', '::ffff:0:0/96', everybody('::ffff:0:0/96')],
] as const) {
  test(`${name}: ${sentence}`, () => {
    assert.deepEqual(
      faultsOf(() => readConfig({ ...complete, [name]: value })),
      [sentence],
    );
  });
}

test('all faults at once, each once', () => {
  const faults = faultsOf(() =>
    readConfig({
      OPERATOR_TOKENS: 'a:b,c:d',
      ENCRYPTION_KEYS_FILE: folder,
      PORT: 'http',
      TRUSTED_PROXIES: '::/0',
      LOG_LEVEL: 'loud',
    }),
  );
  assert.deepEqual(
    faults.map((fault) => fault.split(/[ :]/)[0]),
    ['DATABASE_URL', 'OPERATOR_TOKENS', 'ENCRYPTION_KEYS_FILE', 'TRUSTED_PROXIES', 'PORT', 'LOG_LEVEL'],
  );
});

test('an empty variable counts as missing', () => {
  const [fault, ...others] = faultsOf(() => readConfig({ ...complete, DATABASE_URL: ' ' }));
  assert.match(fault!, /^DATABASE_URL is missing\. PostgreSQL 18/);
  assert.deepEqual(others, []);
  assert.equal(readConfig({ ...complete, PORT: '' }).port, 8080);
});

test('<NAME>_FILE: the file’s text without the line end, and not the variable beside it', () => {
  const file = path.join(folder, 'database-url');
  writeFileSync(file, 'postgres://causeway@from-file.example.com/causeway\r\n');
  const { databaseUrl } = readConfig({ ...complete, DATABASE_URL_FILE: file });
  assert.equal(databaseUrl, 'postgres://causeway@from-file.example.com/causeway');
  assert.equal(readSetting({ DATABASE_URL_FILE: '', DATABASE_URL: 'beside' }, 'DATABASE_URL'), 'beside');
});

test('<NAME>_FILE is for secrets: other variables take no file', () => {
  assert.equal(readConfig({ ...complete, PORT_FILE: '/nowhere' }).port, 8080);
});

const empty = path.join(folder, 'empty');
writeFileSync(empty, ' \n');
const loop = path.join(folder, 'loop');
symlinkSync(loop, loop);
const absent = path.join(folder, 'absent');

for (const [file, fault] of [
  [absent, 'which cannot be read: there is no such file'],
  [folder, 'which cannot be read: it is a folder'],
  [path.join(empty, 'below'), 'which cannot be read: a part of its path is a file'],
  [loop, 'which cannot be read: its symbolic links form a loop'],
  [empty, 'which is empty'],
] as const) {
  test(`<NAME>_FILE names a file, ${fault}: the variable and the file, whatever the variable beside it says`, () => {
    const secrets: SettingName[] = ['DATABASE_URL', 'OPERATOR_TOKENS', 'ENCRYPTION_KEYS'];
    for (const name of [...secrets, 'CAUSEWAY_OPERATOR_TOKEN'] as const) {
      const sentence = `${name}_FILE names ${file}, ${fault}.`;
      const env = { ...complete, [`${name}_FILE`]: file };
      assert.deepEqual(
        faultsOf(() => readSetting(env, name)),
        [sentence],
      );
      const whole = faultsOf(() => readConfig(env));
      assert.deepEqual(whole, secrets.includes(name) ? [sentence] : []);
    }
  });
}
