import { setTimeout as sleep } from 'node:timers/promises';
import { callNode, type PrivateKey, type TokenSymbol, viem } from '#adapters/evm';
import bytecodes from './test-tokens.json' with { type: 'json' };
import { encodeTokenCall } from './token-calls.ts';

type Hex = `0x${string}`;

const abi = [
  {
    type: 'constructor',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'name', type: 'string' },
      { name: 'symbol', type: 'string' },
    ],
  },
] as const;

const testTokens = {
  USDT: { name: 'Tether USD', contract: 'SilentToken' },
  USDC: { name: 'USD Coin', contract: 'StandardToken' },
  EURC: { name: 'Euro Coin', contract: 'StandardToken' },
} as const;

const decimals = 6;
const mintedUnits = 10_000_000n * 10n ** BigInt(decimals);
const gasMoney = `0x${(1_000n * 10n ** 18n).toString(16)}`;
const gwei = 10n ** 9n;
const callTimeoutMs = 60_000;
const receiptTimeoutMs = 60_000;

export interface TestTokenOptions {
  rpcUrl: string;
  chainId: number;
  issuerKey: PrivateKey;
  /** Who gets 10,000,000 of each token, and the native coin for gas. */
  holder: string;
  tokens: readonly TokenSymbol[];
  /** The issuer's first nonce. Addresses follow from nonces, so it keeps those of two networks apart. */
  firstNonce?: number;
}

/**
 * Deploys the tokens to a devnet and returns their addresses. The issuer's transactions have a fixed order,
 * each token's creation and then its minting, so the issuer's nonce shows how far an earlier run came, and
 * the rest is done. The same issuer always gets the same addresses.
 */
export async function deployTestTokens(options: TestTokenOptions): Promise<Record<string, string>> {
  const { rpcUrl, chainId, issuerKey, tokens, firstNonce = 0 } = options;
  const call = <Result>(method: string, ...params: unknown[]) =>
    callNode<Result>({ rpcUrl, method, params, timeoutMs: callTimeoutMs });
  const issuer = viem.accounts.privateKeyToAccount(issuerKey);
  const holder = options.holder as Hex;
  const addressOf = (at: number) =>
    viem.utils.getContractAddress({ from: issuer.address, nonce: BigInt(firstNonce + 2 * at) });
  const steps = tokens.flatMap((symbol, at) => [
    { to: undefined, data: creationOf(symbol), gas: 2_000_000n },
    { to: addressOf(at), data: encodeTokenCall('mint', holder, mintedUnits), gas: 200_000n },
  ]);

  const next = Number(await call<Hex>('eth_getTransactionCount', issuer.address, 'latest'));
  if (next < firstNonce) await call('hardhat_setNonce', issuer.address, `0x${firstNonce.toString(16)}`);
  const done = Math.max(next - firstNonce, 0);
  if (done < steps.length) {
    for (const address of [issuer.address, holder]) await call('hardhat_setBalance', address, gasMoney);
    const hashes: Hex[] = [];
    for (let step = done; step < steps.length; step++) {
      const transaction = await issuer.signTransaction({
        type: 'eip1559',
        chainId,
        nonce: firstNonce + step,
        ...steps[step]!,
        value: 0n,
        maxFeePerGas: 100n * gwei,
        maxPriorityFeePerGas: gwei,
      });
      hashes.push(await call<Hex>('eth_sendRawTransaction', transaction));
    }
    for (const hash of hashes) await requireSuccess(call, hash);
  }
  return Object.fromEntries(
    await Promise.all(
      tokens.map(async (symbol, at) => {
        const address = addressOf(at);
        const code = await call<Hex>('eth_getCode', address, 'latest');
        if (code === '0x') throw new Error(`there is no ${symbol} at ${address}, where its issuer put it`);
        return [symbol, address];
      }),
    ),
  );
}

function creationOf(symbol: TokenSymbol): Hex {
  const { name, contract } = testTokens[symbol];
  return viem.utils.encodeDeployData({
    abi,
    bytecode: bytecodes[contract] as Hex,
    args: [name, symbol],
  });
}

type Call = <Result>(method: string, ...params: unknown[]) => Promise<Result>;

async function requireSuccess(call: Call, hash: Hex): Promise<void> {
  for (const deadline = Date.now() + receiptTimeoutMs; Date.now() < deadline; await sleep(10)) {
    const receipt = await call<{ status: Hex } | null>('eth_getTransactionReceipt', hash);
    if (receipt === null) continue;
    if (receipt.status !== '0x1') throw new Error(`the transaction ${hash} of the token issuer failed`);
    return;
  }
  throw new Error(`the transaction ${hash} of the token issuer was not mined`);
}
