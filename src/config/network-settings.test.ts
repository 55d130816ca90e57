import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complete, devnetToken, faultsOf, newKey, newPrivateKey } from '#test/data/environment';
import { readConfig } from './config.ts';

const rpcUrl = 'https://polygon.example.com/v2/account-key';

test('a network is offered where it has a node, with what its chain and its tokens are known for', () => {
  const [polygon, ...others] = readConfig({ ...complete, POLYGON_RPC_URLS: rpcUrl }).networks;
  assert.deepEqual(others, []);
  assert.deepEqual(polygon, {
    network: 'polygon',
    rpcUrls: [rpcUrl],
    finality: { rule: 'finalized' },
    tokens: [
      {
        symbol: 'USDT',
        address: '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
        decimals: 6,
        freezeFunction: 'isBlackListed',
      },
      {
        symbol: 'USDC',
        address: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
        decimals: 6,
        freezeFunction: 'isBlacklisted',
      },
    ],
    depositMinimums: new Map(),
    feeCap: 10_000n * 10n ** 9n,
    bumpAfterMs: 20_000,
  });
});

test('everything said of networks, with spaces around it', () => {
  const config = readConfig({
    ...complete,
    POLYGON_RPC_URLS: ` ${rpcUrl} , http://10.0.0.7:8545,`,
    BASE_RPC_URLS: 'https://base.example.com',
    NETWORK_FINALITY: 'polygon:12, base:safe/500/finalized, ethereum:0',
    NETWORK_FEE_CAP_GWEI: 'polygon:0.5,base:2',
    NODE_QUORUM: 'polygon:1, base:1',
    TOKEN_ADDRESSES: `polygon:EURC:${devnetToken}, base:USDC:${devnetToken.toUpperCase().replace('0X', '0x')}`,
    WITHDRAWAL_LIMITS: 'polygon:EURC:0.000001:, base:USDT:1:2500.50',
    DEPOSIT_MINIMUMS: 'polygon:USDT:0.5, base:USDC:2',
    RECONCILE_HALT_SHORTFALL: '100.5',
    SCREENING_URL: 'https://screening.example.com/check?key=1',
    ISSUER_URL: 'https://issuer.example.com/cards',
    ISSUER_TOKEN: 'known-to-the-issuer',
    ISSUER_WEBHOOK_SECRETS: `whsec_${newKey()}, whsec_${newKey()}`,
  });
  const [polygon, base] = config.networks;
  assert.deepEqual(
    config.networks.map(({ network }) => network),
    ['polygon', 'base'],
  );
  assert.deepEqual(polygon!.rpcUrls, [rpcUrl, 'http://10.0.0.7:8545']);
  assert.deepEqual(
    config.networks.map(({ quorum }) => quorum),
    [1, 1],
  );
  assert.deepEqual(polygon!.finality, { rule: 12 });
  assert.deepEqual(base!.finality, { rule: 'safe', above: { amount: '500', rule: 'finalized' } });
  assert.deepEqual([polygon!.feeCap, base!.feeCap], [500_000_000n, 2_000_000_000n]);
  const addressOf = (at: number, wanted: string) =>
    config.networks[at]!.tokens.find(({ symbol }) => symbol === wanted)?.address;
  assert.equal(addressOf(0, 'EURC'), devnetToken);
  assert.equal(addressOf(1, 'USDC'), devnetToken);
  assert.equal(addressOf(1, 'EURC'), '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42');
  assert.deepEqual(config.withdrawalLimits, [
    { network: 'polygon', symbol: 'EURC', minimum: '0.000001' },
    { network: 'base', symbol: 'USDT', minimum: '1', maximum: '2500.50' },
  ]);
  assert.deepEqual(
    config.networks.map(({ depositMinimums }) => [...depositMinimums!]),
    [[['USDT', 500_000n]], [['USDC', 2_000_000n]]],
  );
  assert.deepEqual(
    config.networks.map(({ haltShortfall }) => haltShortfall),
    ['100.5', '100.5'],
  );
  assert.equal(config.screeningUrl, 'https://screening.example.com/check?key=1');
  assert.deepEqual(config.issuer, {
    url: 'https://issuer.example.com/cards',
    token: 'known-to-the-issuer',
  });
  assert.equal(config.issuerWebhookSecrets.length, 2);
});

test('HOT_WALLET_KEYS is read by workers only, not even its file by others', () => {
  const key = newPrivateKey();
  const env = { ...complete, POLYGON_RPC_URLS: rpcUrl, HOT_WALLET_KEYS: key };
  const signerOf = (roles: string[]) => readConfig(env, roles).networks[0]!.signerKeys;
  assert.deepEqual(signerOf(['api', 'worker']), [key]);
  assert.equal(signerOf(['api']), undefined);
  assert.equal(signerOf([]), undefined);
  const wrong = { ...complete, POLYGON_RPC_URLS: rpcUrl, HOT_WALLET_KEYS_FILE: '/nowhere' };
  assert.equal(readConfig(wrong, ['api']).networks.length, 1);
  assert.match(faultsOf(() => readConfig(wrong, ['worker']))[0]!, /^HOT_WALLET_KEYS_FILE names \/nowhere,/);
});

test('DEPLOYMENT_ID is needed by workers that pay', () => {
  const env = { ...complete, POLYGON_RPC_URLS: rpcUrl, HOT_WALLET_KEYS: newPrivateKey() };
  const without = { ...env, DEPLOYMENT_ID: undefined };
  const [fault, ...others] = faultsOf(() => readConfig(without, ['worker']));
  assert.match(fault!, /^DEPLOYMENT_ID is missing\. Name of this deployment/);
  assert.deepEqual(others, []);
  assert.equal(readConfig(without, ['api']).deploymentId, '');
  assert.equal(readConfig({ ...without, POLYGON_RPC_URLS: '' }, ['worker']).deploymentId, '');
  assert.deepEqual(
    faultsOf(() => readConfig({ ...env, DEPLOYMENT_ID: 'x'.repeat(201) })),
    ['DEPLOYMENT_ID must have at most 200 characters.'],
  );
});

test('HOT_WALLET_KEYS: one or several keys for all networks, or for each', () => {
  const [one, two] = [newPrivateKey(), newPrivateKey()];
  const env = { ...complete, POLYGON_RPC_URLS: rpcUrl, BASE_RPC_URLS: 'https://base.example.com' };
  const keysOf = (keys: string) =>
    readConfig({ ...env, HOT_WALLET_KEYS: keys }, ['worker']).networks.map(({ signerKeys }) => signerKeys);
  assert.deepEqual(keysOf(one), [[one], [one]]);
  assert.deepEqual(keysOf(one.slice(2).toUpperCase()), [[one], [one]]);
  assert.deepEqual(keysOf(`base:${two}, polygon:${one},`), [[one], [two]]);
  assert.deepEqual(keysOf(`base:${two},polygon:${one},polygon:${two}`), [[one, two], [two]]);
  assert.deepEqual(keysOf(`${two}, ${one}`), [
    [two, one],
    [two, one],
  ]);
  const withoutNode = { ...complete, HOT_WALLET_KEYS: one };
  assert.deepEqual(readConfig(withoutNode, ['worker']).networks, []);
  assert.deepEqual(readConfig(complete, ['worker']).networks, []);
});

const hotWalletFault =
  'HOT_WALLET_KEYS must be private keys, 32 bytes in hexadecimal, or network:key pairs, not both; the networks are polygon, ethereum, base.';
const beyondCurve = `0x${'ff'.repeat(32)}`;

const twice = newPrivateKey();
const tooManyFault = 'HOT_WALLET_KEYS has more than 8 keys for polygon.';
const noKeyFault = 'HOT_WALLET_KEYS has no key for polygon: a worker pays withdrawals with it.';
for (const [what, keys, sentence] of [
  ['nothing', '', noKeyFault],
  ['a key for another network', `base:${newPrivateKey()}`, noKeyFault],
  ['a key that is too short', newPrivateKey().slice(0, -2), hotWalletFault],
  ['a key that is too long', `polygon:${newPrivateKey()}00`, hotWalletFault],
  ['an unknown network', `solana:${newPrivateKey()}`, hotWalletFault],
  ['a key for all beside one for base', `${newPrivateKey()},base:${newPrivateKey()}`, hotWalletFault],
  [
    'a key twice',
    `polygon:${twice},polygon:${twice.slice(2)}`,
    'HOT_WALLET_KEYS has a key twice for polygon.',
  ],
  ['a key twice for all networks', `${twice},${twice}`, 'HOT_WALLET_KEYS has a key twice for polygon.'],
  ['nine keys', Array.from({ length: 9 }, () => `polygon:${newPrivateKey()}`).join(), tooManyFault],
  ['a number beyond the curve', beyondCurve, hotWalletFault],
  ['zero', `0x${'00'.repeat(32)}`, hotWalletFault],
] as const) {
  test(`a worker with a node of polygon and, in HOT_WALLET_KEYS, ${what}: ${sentence}`, () => {
    const env = { ...complete, POLYGON_RPC_URLS: rpcUrl, HOT_WALLET_KEYS: keys };
    assert.deepEqual(
      faultsOf(() => readConfig(env, ['worker'])),
      [sentence],
    );
  });
}
