import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenSymbol } from './chains.ts';
import { type Hex, toQuantity } from './hex.ts';
import { callNode } from './json-rpc.ts';
import type { PrivateKey } from './private-key.ts';
import bytecodes from './test-tokens.json' with { type: 'json' };
import { viem } from './viem.ts';

const abi = [
  {
    type: 'constructor',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'name', type: 'string' },
      { name: 'symbol', type: 'string' },
    ],
  },
  {
    type: 'function',
    name: 'mint',
    stateMutability: 'nonpayable',
    outputs: [],
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
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
  /** Where the issuer's nonces begin. Addresses follow from them, so that two networks with two beginnings share none. */
  firstNonce?: number;
}

/**
 * Puts the tokens onto a devnet and says where they are. The issuer's transactions have a fixed order, each token's creation
 * and then its minting, so the issuer's nonce tells how far an earlier run came, and the rest is done. That makes the tokens'
 * addresses the same for the same issuer.
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
    { to: addressOf(at), data: mintingFor(holder), gas: 200_000n },
  ]);

  const next = Number(await call<Hex>('eth_getTransactionCount', issuer.address, 'latest'));
  if (next < firstNonce) await call('hardhat_setNonce', issuer.address, toQuantity(firstNonce));
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

function mintingFor(holder: Hex): Hex {
  return viem.utils.encodeFunctionData({ abi, functionName: 'mint', args: [holder, mintedUnits] });
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
