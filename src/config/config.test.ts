import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { complete, devnetToken, faultsOf, newKey, newPrivateKey, newToken } from '#test/data/environment';
import { readConfig } from './config.ts';
import { readSetting, type SettingName } from './settings.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-config-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('defaults: what need not be said', () => {
  const { operatorTokens, encryptionKeys, ...rest } = readConfig(complete);
  assert.deepEqual([...operatorTokens.keys()], ['alice']);
  assert.deepEqual([...encryptionKeys.keys()], [1]);
  assert.deepEqual(rest, {
    databaseUrl: complete.DATABASE_URL,
    databaseReadUrls: [],
    databasePoolMax: 10,
    databaseConnectTimeoutMs: 3_000,
    databaseLockTimeoutMs: 2_000,
    databaseStatementTimeoutMs: 5_000,
    databaseReplication: 'asynchronous',
    databaseDurability: 'required',
    deploymentId: 'test',
    host: '127.0.0.1',
    port: 8080,
    publicUrl: 'http://127.0.0.1:8080',
    brand: {
      name: 'Causeway',
      address: [],
      logoFile: undefined,
      color: undefined,
      supportUrl: undefined,
      privacyUrl: undefined,
    },
    secretFiles: [],
    trustedProxies: [],
    rateLimitStore: 'postgres',
    rateLimitUrl: '',
    shutdownGraceMs: 10_000,
    logLevel: 'info',
    networks: [],
    fourEyesCommands: [],
    acceptsApplications: true,
    twoPersonResume: false,
    withdrawalLimits: [],
    withdrawalRates: { partner: 600, user: 120 },
    issuerWebhookSecrets: [],
    balanceStaleAfterMs: 3_600_000,
    outgoing: { allowsLoopbackHttp: false, ports: [443, 8443], allowedBlocks: [] },
    mcpAllowedOrigins: ['http://localhost:*', 'http://127.0.0.1:*'],
    mcpAllowedHosts: [],
  });
});

test('everything said, with spaces around it', () => {
  const [first, second] = [newKey(), newKey()];
  const config = readConfig({
    DATABASE_URL: ' postgresql://causeway@db.example.com/causeway ',
    OPERATOR_TOKENS: `alice:${newToken()} , bob@example.com:treasury:${newToken()},eve+x@example.com/ci:admin:${newToken()}`,
    ENCRYPTION_KEYS: `2:${second}, 1:${first}`,
    HOST: '0.0.0.0',
    PORT: '0',
    PUBLIC_URL: ' https://Connect.example.com:443/ ',
    SIGN_IN_URL: 'https://example.com/login?tenant=1',
    TRUSTED_PROXIES: ' 10.0.0.0/8,2001:db8::/32 ',
    RATE_LIMIT_STORE: 'memory',
    DATABASE_POOL_MAX: '1000',
    DATABASE_STATEMENT_TIMEOUT_MS: '10',
    SHUTDOWN_GRACE_MS: '0',
    LOG_LEVEL: 'silent',
    PRICES_URL: ' https://prices.example.com/usd?key=1 ',
    BALANCE_STALE_AFTER_MS: '1000',
    WEBHOOK_PORTS: ' 443, 9443 ',
    WEBHOOK_ALLOWED_BLOCKS: '10.20.0.0/16, fd12::/16',
    MCP_ALLOWED_ORIGINS:
      ' https://App.example.com:443, http://[::1]:*,vscode-webview://Panel , http://localhost:6274',
    MCP_ALLOWED_HOSTS: 'MCP.example.com, 10.0.0.7,[::1],',
  });
  assert.equal(config.publicUrl, 'https://connect.example.com');
  assert.equal(config.signInUrl, 'https://example.com/login?tenant=1');
  assert.equal(config.pricesUrl, 'https://prices.example.com/usd?key=1');
  assert.equal(config.balanceStaleAfterMs, 1_000);
  assert.deepEqual(config.outgoing, {
    allowsLoopbackHttp: false,
    ports: [443, 9443],
    allowedBlocks: ['10.20.0.0/16', 'fd12::/16'],
  });
  assert.deepEqual(config.mcpAllowedOrigins, [
    'https://app.example.com',
    'http://[::1]:*',
    'vscode-webview://panel',
    'http://localhost:6274',
  ]);
  assert.deepEqual(config.mcpAllowedHosts, ['mcp.example.com', '10.0.0.7', '[::1]']);
  assert.equal(config.databaseUrl, 'postgresql://causeway@db.example.com/causeway');
  assert.deepEqual(
    [...config.operatorTokens].map(([name, { role }]) => [name, role]),
    [
      ['alice', undefined],
      ['bob@example.com', 'treasury'],
      ['eve+x@example.com/ci', 'admin'],
    ],
  );
  assert.deepEqual(config.encryptionKeys.get(1), Buffer.from(first, 'base64'));
  assert.deepEqual(config.encryptionKeys.get(2), Buffer.from(second, 'base64'));
  assert.deepEqual(config.trustedProxies, ['10.0.0.0/8', '2001:db8::/32']);
  assert.deepEqual([config.port, config.shutdownGraceMs, config.logLevel], [0, 0, 'silent']);
});

test('no fault repeats a secret', () => {
  const secret = newPrivateKey().slice(2);
  const env = {
    OPERATOR_TOKENS: secret,
    ENCRYPTION_KEYS: secret,
    POLYGON_RPC_URLS: `https://polygon.example.com/${secret},wss://polygon.example.com/${secret}`,
    ETHEREUM_RPC_URLS: `ftp://${secret}`,
    BASE_RPC_URLS: `https://:${secret}:@`,
    HOT_WALLET_KEYS: `${secret}:${secret}`,
    SCREENING_URL: secret,
    ISSUER_URL: 'https://issuer.example.com',
    ISSUER_TOKEN: `${secret} ${secret}`,
    ISSUER_WEBHOOK_SECRETS: `whsec_!${secret}`,
    PRICES_URL: `https://me:${secret}@prices.example.com`,
    DEPLOYMENT_ID: 'test',
  };
  const faults = faultsOf(() => readConfig(env, ['worker']));
  assert.deepEqual(
    faults.map((fault) => fault.split(' ')[0]),
    [
      'DATABASE_URL',
      'OPERATOR_TOKENS',
      'ENCRYPTION_KEYS',
      'SCREENING_URL',
      'ISSUER_TOKEN',
      'ISSUER_WEBHOOK_SECRETS',
      'PRICES_URL',
      'POLYGON_RPC_URLS',
      'ETHEREUM_RPC_URLS',
      'BASE_RPC_URLS',
      'HOT_WALLET_KEYS',
    ],
  );
  assert.ok(!faults.join('\n').includes(secret.slice(0, 8)));
});

const rpcFault = (name: string) => `${name} must be http:// or https:// addresses, separated by commas.`;
const issuerFault =
  'ISSUER_URL must be one http:// or https:// address without a user name, password, query or fragment.';
const finalityFault =
  'NETWORK_FINALITY must be network:rule pairs, a rule being finalized, safe, a number of blocks, or such as safe/10000/finalized; the networks are polygon, ethereum, base.';
const quorumFault =
  'NODE_QUORUM must be network:number pairs, each number from 1 to 99; the networks are polygon, ethereum, base.';
const feeCapFault =
  'NETWORK_FEE_CAP_GWEI must be network:gwei pairs, each a number above 0 with at most 9 decimals; the networks are polygon, ethereum, base.';
const tokenFault =
  'TOKEN_ADDRESSES must be network:SYMBOL:0xaddress; the networks are polygon, ethereum, base, the symbols USDT, USDC, EURC.';
const minimumFault =
  'DEPOSIT_MINIMUMS must be network:SYMBOL:minimum, each amount with at most 6 decimals, of tokens that the network has.';
const shortfallFault = 'RECONCILE_HALT_SHORTFALL must be one amount with at most 6 decimals, such as 1000.';
const limitFault =
  'WITHDRAWAL_LIMITS must be network:SYMBOL:minimum:maximum, each amount with at most 6 decimals, of tokens that the network has.';
const tokensFault =
  'OPERATOR_TOKENS must be name:role:token entries, names unlike, each token 32 to 200 characters.';
const roleFault =
  'OPERATOR_TOKENS: the role of alice must be one of viewer, support, treasury, compliance, admin, sign-in.';
const openidFault =
  'OPENID_ISSUER must be one https:// address without user name, query or fragment; http:// for loopback only.';
const keysFault = 'ENCRYPTION_KEYS must be version:key pairs, each key 32 bytes in base64.';
const pricesFault =
  'PRICES_URL must be one http://, https:// or file:// address, of a file by its whole path.';
const originsFault =
  'MCP_ALLOWED_ORIGINS must be origins such as https://app.example.com or http://localhost:*, separated by commas.';
const hostsFault =
  'MCP_ALLOWED_HOSTS must be host names without port, such as mcp.example.com or [::1], separated by commas.';
const portsFault = 'WEBHOOK_PORTS must be whole numbers from 1 to 65535, separated by commas.';
const everybody = (block: string) =>
  `TRUSTED_PROXIES: ${block} would believe every caller; name the blocks of your proxies.`;

for (const [name, value, sentence] of [
  ['DATABASE_URL', 'mysql://db.example.com', 'DATABASE_URL must start with postgres:// or postgresql://.'],
  ['OPERATOR_TOKENS', newToken(), tokensFault],
  ['OPERATOR_TOKENS', 'alice:short', tokensFault],
  ['OPERATOR_TOKENS', `alice:${newToken()},alice:${newToken()}`, tokensFault],
  ['OPERATOR_TOKENS', `two words:${newToken()}`, tokensFault],
  ['OPERATOR_TOKENS', `alice/ci:admin:${newToken()}`, tokensFault],
  ['OPERATOR_TOKENS', `Alice@example.com/ci:admin:${newToken()}`, tokensFault],
  ['OPERATOR_TOKENS', `a@example.com/b@example.com/ci:admin:${newToken()}`, tokensFault],
  ['OPERATOR_TOKENS', `alice@example.com/:admin:${newToken()}`, tokensFault],
  ['OPERATOR_TOKENS', `alice:viewer:${newToken().slice(0, 31)}`, tokensFault],
  ['OPERATOR_TOKENS', `alice:viewer:${newToken()}:x`, tokensFault],
  ['OPERATOR_TOKENS', `alice:root:${newToken()}`, roleFault],
  ['OPERATOR_TOKENS', `alice::${newToken()}`, roleFault],
  ['OPERATOR_TOKENS', `alice:toString:${newToken()}`, roleFault],
  ['OPENID_ISSUER', 'http://login.example.com', openidFault],
  ['OPENID_ISSUER', 'https://login.example.com/?a=1', openidFault],
  ['ENCRYPTION_KEYS', newKey(), keysFault],
  ['ENCRYPTION_KEYS', `0:${newKey()}`, keysFault],
  ['ENCRYPTION_KEYS', `1:${newKey().slice(4)}`, keysFault],
  ['ENCRYPTION_KEYS', `7:${newKey()},7:${newKey()}`, 'ENCRYPTION_KEYS has version 7 more than once.'],
  ['PORT', '65536', 'PORT must be a whole number from 0 to 65535.'],
  ['PORT', '80.0', 'PORT must be a whole number from 0 to 65535.'],
  [
    'DATABASE_READ_URLS',
    'mysql://replica/causeway',
    'DATABASE_READ_URLS must be addresses that start with postgres:// or postgresql://.',
  ],
  [
    'DATABASE_READ_URLS',
    'postgres://a:5432,b:5432/causeway',
    'DATABASE_READ_URLS must name one server in each address.',
  ],
  ['DATABASE_POOL_MAX', '0', 'DATABASE_POOL_MAX must be a whole number from 1 to 1000.'],
  ['SHUTDOWN_GRACE_MS', '-1', 'SHUTDOWN_GRACE_MS must be a whole number from 0 to 600000.'],
  [
    'DATABASE_STATEMENT_TIMEOUT_MS',
    '5s',
    'DATABASE_STATEMENT_TIMEOUT_MS must be a whole number from 10 to 600000.',
  ],
  ['RATE_LIMIT_STORE', 'redis', 'RATE_LIMIT_STORE must be one of postgres, memory.'],
  ['RATE_LIMIT_URL', 'redis://limits', 'RATE_LIMIT_URL must start with postgres:// or postgresql://.'],
  ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of info, fatal, error, warn, debug, trace, silent.'],
  ['TRUSTED_PROXIES', 'proxy', 'TRUSTED_PROXIES: proxy is not an address or CIDR block.'],
  ['TRUSTED_PROXIES', '10.0.0.0/33', 'TRUSTED_PROXIES: 10.0.0.0/33 has a prefix outside 0 to 32.'],
  ['TRUSTED_PROXIES', '0.0.0.0/0', everybody('0.0.0.0/0')],
  ['TRUSTED_PROXIES', '10.0.0.0/8, 10.0.0.0/00', everybody('10.0.0.0/00')],
  ['TRUSTED_PROXIES', '::/0', everybody('::/0')],
  ['TRUSTED_PROXIES', '::ffff:0:0/96', everybody('::ffff:0:0/96')],
  ...[',', '0', '65536', '443;8443', 'https'].map((value) => ['WEBHOOK_PORTS', value, portsFault] as const),
  ['WEBHOOK_ALLOWED_BLOCKS', 'intranet', 'WEBHOOK_ALLOWED_BLOCKS: intranet is not an address or CIDR block.'],
  ...['0.0.0.0/0', '::/0'].map(
    (block) =>
      [
        'WEBHOOK_ALLOWED_BLOCKS',
        block,
        `WEBHOOK_ALLOWED_BLOCKS: ${block} would allow every address; name the blocks of your receivers.`,
      ] as const,
  ),
  ['POLYGON_RPC_URLS', 'wss://node.example.com', rpcFault('POLYGON_RPC_URLS')],
  ['ETHEREUM_RPC_URLS', 'https://one.example.com,two', rpcFault('ETHEREUM_RPC_URLS')],
  ['BASE_RPC_URLS', 'https://', rpcFault('BASE_RPC_URLS')],
  ['NETWORK_FINALITY', 'finalized', finalityFault],
  ['NETWORK_FINALITY', 'polygon:soon', finalityFault],
  ['NETWORK_FINALITY', 'solana:safe', finalityFault],
  ['NETWORK_FINALITY', 'polygon:1,polygon:2', 'NETWORK_FINALITY has polygon more than once.'],
  [
    'POLYGON_RPC_URLS',
    'https://node.example.com, https://NODE.example.com/',
    'POLYGON_RPC_URLS has one address more than once.',
  ],
  ['NODE_QUORUM', 'polygon:0', quorumFault],
  ['NODE_QUORUM', '2', quorumFault],
  ['NODE_QUORUM', 'polygon:two', quorumFault],
  [
    'NODE_QUORUM',
    'polygon:1',
    'NODE_QUORUM asks for 1 nodes of polygon, and POLYGON_RPC_URLS has 0: no payout would ever be settled.',
  ],
  ['NETWORK_FEE_CAP_GWEI', 'polygon:0', feeCapFault],
  ['NETWORK_FEE_CAP_GWEI', 'polygon:-1', feeCapFault],
  ['NETWORK_FEE_CAP_GWEI', 'polygon:1e3', feeCapFault],
  ['NETWORK_FEE_CAP_GWEI', '30', feeCapFault],
  ['TOKEN_ADDRESSES', `polygon:DAI:${devnetToken}`, tokenFault],
  ['TOKEN_ADDRESSES', `polygon:${devnetToken}`, tokenFault],
  ['TOKEN_ADDRESSES', 'polygon:USDT:0xDAC17F958D2ee523a2206206994597C13D831eC7', tokenFault],
  [
    'TOKEN_ADDRESSES',
    `base:USDT:${devnetToken},base:USDC:${devnetToken}`,
    'TOKEN_ADDRESSES gives two tokens of base the same address.',
  ],
  [
    'TOKEN_ADDRESSES',
    `base:USDT:${devnetToken},base:USDT:${devnetToken}`,
    'TOKEN_ADDRESSES has base:USDT more than once.',
  ],
  ['DEPOSIT_MINIMUMS', 'polygon:USDT', minimumFault],
  ['DEPOSIT_MINIMUMS', 'polygon:USDT:1:2', minimumFault],
  ['DEPOSIT_MINIMUMS', 'polygon:USDT:-1', minimumFault],
  ['DEPOSIT_MINIMUMS', 'polygon:USDT:0.0000001', minimumFault],
  ['DEPOSIT_MINIMUMS', 'polygon:EURC:1', minimumFault],
  ['DEPOSIT_MINIMUMS', 'toString:USDT:1', minimumFault],
  ['DEPOSIT_MINIMUMS', 'base:EURC:1,base:EURC:2', 'DEPOSIT_MINIMUMS has base:EURC more than once.'],
  ['RECONCILE_HALT_SHORTFALL', '100, 200', shortfallFault],
  ['RECONCILE_HALT_SHORTFALL', '1,000', shortfallFault],
  ['RECONCILE_HALT_SHORTFALL', 'polygon:100', shortfallFault],
  ['RECONCILE_HALT_SHORTFALL', '-1', shortfallFault],
  ['RECONCILE_HALT_SHORTFALL', '0.0000001', shortfallFault],
  ['WITHDRAWAL_LIMITS', 'polygon:USDT:1', limitFault],
  ['WITHDRAWAL_LIMITS', 'polygon:USDT::5', limitFault],
  ['WITHDRAWAL_LIMITS', 'polygon:USDT:-1:5', limitFault],
  ['WITHDRAWAL_LIMITS', 'polygon:USDT:0.0000001:', limitFault],
  ['WITHDRAWAL_LIMITS', 'polygon:EURC:1:', limitFault],
  ['WITHDRAWAL_LIMITS', 'toString:EURC:1:', limitFault],
  ['WITHDRAWAL_LIMITS', 'base:EURC:5:1', 'WITHDRAWAL_LIMITS gives base:EURC a maximum below its minimum.'],
  ['WITHDRAWAL_LIMITS', 'base:EURC:1:,base:EURC:1:2', 'WITHDRAWAL_LIMITS has base:EURC more than once.'],
  ['ISSUER_URL', 'issuer.example.com', issuerFault],
  ['ISSUER_URL', 'https://me:pass@issuer.example.com', issuerFault],
  ['ISSUER_URL', 'https://issuer.example.com/?key=1', issuerFault],
  ['ISSUER_TOKEN', 'a-token-and-no-address', 'ISSUER_TOKEN is given and ISSUER_URL is not.'],
  [
    'ISSUER_WEBHOOK_SECRETS',
    'whsec_short',
    'ISSUER_WEBHOOK_SECRETS must be whsec_ and 24 to 64 bytes in base64, separated by commas.',
  ],
  ['SCREENING_URL', 'screening', 'SCREENING_URL must be one http:// or https:// address.'],
  ['PRICES_URL', 'prices.json', pricesFault],
  ['PRICES_URL', 'file://prices.json', pricesFault],
  ['PRICES_URL', 'file:///a%2Fb', pricesFault],
  ['PRICES_URL', 'ftp://prices.example.com', pricesFault],
  ['PRICES_URL', 'https://a.example.com,https://b.example.com two', pricesFault],
  [
    'PRICES_URL',
    'https://me:pass@prices.example.com',
    'PRICES_URL must have no user name or password before its host; put a token into its path or query.',
  ],
  ...['0', '1h', '604800001'].map(
    (value) =>
      [
        'BALANCE_STALE_AFTER_MS',
        value,
        'BALANCE_STALE_AFTER_MS must be a whole number from 1000 to 604800000.',
      ] as const,
  ),
  ...[
    '*',
    'localhost',
    'https://',
    'https://*',
    'https://a.example.com/',
    'https://a:99999',
    'https://a:b',
    'https://me@a',
    'null',
    'https://*.example.com',
    'https://a:*:*',
  ].map((value) => ['MCP_ALLOWED_ORIGINS', value, originsFault] as const),
  ...['*', 'a.example.com:80', 'https://a', 'a/b', '::1', '[::1]:80', 'a@b', 'a b', '.'].map(
    (value) => ['MCP_ALLOWED_HOSTS', value, hostsFault] as const,
  ),
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
  const { databaseUrl, secretFiles } = readConfig({ ...complete, DATABASE_URL_FILE: file });
  assert.deepEqual(secretFiles, [{ setting: 'DATABASE_URL_FILE', file }]);
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
    const secrets: SettingName[] = [
      'DATABASE_URL',
      'OPERATOR_TOKENS',
      'ENCRYPTION_KEYS',
      'POLYGON_RPC_URLS',
      'HOT_WALLET_KEYS',
      'SCREENING_URL',
    ];
    for (const name of [...secrets, 'CAUSEWAY_OPERATOR_TOKEN'] as const) {
      const sentence = `${name}_FILE names ${file}, ${fault}.`;
      const env = { ...complete, [`${name}_FILE`]: file };
      assert.deepEqual(
        faultsOf(() => readSetting(env, name)),
        [sentence],
      );
      const whole = faultsOf(() => readConfig(env, ['worker']));
      assert.deepEqual(whole, secrets.includes(name) ? [sentence] : []);
    }
  });
}

test('PUBLIC_URL: where it is not given, what we listen on', () => {
  assert.equal(readConfig({ ...complete, HOST: '::1', PORT: '81' }).publicUrl, 'http://[::1]:81');
});

test('PUBLIC_URL must be given where the API is not for this machine alone', () => {
  for (const HOST of ['0.0.0.0', '::', '10.0.0.7', 'connect.example.com', '127.0.0.1.example.com'])
    assert.match(
      faultsOf(() => readConfig({ ...complete, HOST }, ['api'])).join(),
      /^PUBLIC_URL must be given/,
    );
  for (const HOST of ['127.0.0.1', '127.0.0.2', 'localhost', '::1'])
    assert.deepEqual(
      faultsOf(() => readConfig({ ...complete, HOST }, ['api'])),
      [],
    );
  const PUBLIC_URL = 'https://connect.example.com';
  assert.deepEqual(
    faultsOf(() => readConfig({ ...complete, HOST: '0.0.0.0', PUBLIC_URL }, ['api'])),
    [],
  );
  assert.deepEqual(
    faultsOf(() => readConfig({ ...complete, HOST: '0.0.0.0' })),
    [],
  );
});

test('PUBLIC_URL is https://, unless it is this machine', () => {
  const faultsIn = (PUBLIC_URL: string) => faultsOf(() => readConfig({ ...complete, PUBLIC_URL }));
  for (const url of ['http://connect.example.com', 'http://10.0.0.7:8080', 'http://localhost.example.com'])
    assert.match(faultsIn(url).join(), /^PUBLIC_URL must be https:\/\//);
  for (const url of ['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:81'])
    assert.deepEqual(faultsIn(url), []);
});

for (const wrong of [
  'connect.example.com',
  'ftp://connect.example.com',
  'https://connect.example.com/path',
  'https://connect.example.com/?a=b',
  'https://user@connect.example.com',
  'https://a.example.com,https://b.example.com',
]) {
  test(`PUBLIC_URL ${wrong} is no origin`, () => {
    assert.match(
      faultsOf(() => readConfig({ ...complete, PUBLIC_URL: wrong }))[0]!,
      /^PUBLIC_URL must be one/,
    );
  });
}

for (const wrong of [
  'login.example.com',
  'javascript:alert(1)',
  'https://user:secret@login.example.com',
  'https://login.example.com/#top',
  'https://login.example.com/?return_to=/x',
]) {
  test(`SIGN_IN_URL ${wrong} is no place to send people to`, () => {
    assert.match(
      faultsOf(() => readConfig({ ...complete, SIGN_IN_URL: wrong }))[0]!,
      /^SIGN_IN_URL must be one/,
    );
  });
}

test('METRICS_PORT: no separate port without it; never the same as PORT, unless the system chooses', () => {
  assert.equal(readConfig({ ...complete, METRICS_PORT: ' ' }).metricsPort, undefined);
  assert.equal(readConfig({ ...complete, METRICS_PORT: '9464' }).metricsPort, 9464);
  assert.equal(readConfig({ ...complete, PORT: '0', METRICS_PORT: '0' }).metricsPort, 0);
  for (const [METRICS_PORT, fault] of [
    ['8080', 'METRICS_PORT must not be the same as PORT.'],
    ['none', 'METRICS_PORT must be a whole number from 0 to 65535.'],
  ] as const) {
    assert.deepEqual(
      faultsOf(() => readConfig({ ...complete, METRICS_PORT })),
      [fault],
    );
  }
});

test('the brand: lines of the address, and faults that name their setting', () => {
  const brand = {
    BRAND_NAME: 'Ponte S.A.',
    BRAND_ADDRESS: ' Rua Augusta 1500;; Brasil ',
    BRAND_LOGO_FILE: 'a.PNG',
    BRAND_COLOR: '#AA00ff',
    BRAND_SUPPORT_URL: 'mailto:help@example.com',
    BRAND_PRIVACY_URL: 'https://example.com/privacy',
  };
  assert.deepEqual(readConfig({ ...complete, ...brand }).brand, {
    name: 'Ponte S.A.',
    address: ['Rua Augusta 1500', 'Brasil'],
    logoFile: 'a.PNG',
    color: '#aa00ff',
    supportUrl: 'mailto:help@example.com',
    privacyUrl: 'https://example.com/privacy',
  });
  assert.deepEqual(
    faultsOf(() =>
      readConfig({
        ...complete,
        BRAND_NAME: 'x'.repeat(71),
        BRAND_ADDRESS: 'a;b;c;d;e;f',
        BRAND_LOGO_FILE: 'a.svg',
        BRAND_COLOR: 'green',
        BRAND_SUPPORT_URL: 'javascript:alert(1)',
        BRAND_PRIVACY_URL: 'http://example.com/privacy',
      }),
    ),
    [
      'BRAND_NAME must have at most 70 characters.',
      'BRAND_ADDRESS must have at most 5 lines of at most 70 characters, separated by ;.',
      'BRAND_LOGO_FILE must name a file that ends with .png, .jpg or .jpeg.',
      'BRAND_COLOR must be # and six hexadecimal digits.',
      'BRAND_SUPPORT_URL must be an https:// address without user name, or mailto: and an email address.',
      'BRAND_PRIVACY_URL must be an https:// address without user name.',
    ],
  );
});
