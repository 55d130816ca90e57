import { valueOrError } from './blocks.ts';
import { readHex, readNumber, readQuantity, toQuantity, toWord } from './hex.ts';
import { NodeError } from './json-rpc.ts';
import type { Provider } from './node.ts';
import { reasonOfRevert } from './reverts.ts';
import type { Token } from './tokens.ts';
import { encodeTransfer, type Transfer } from './transfers.ts';

const selectors = {
  decimals: '0x313ce567',
  balanceOf: '0x70a08231',
  isBlackListed: '0xe47d6060',
  isBlacklisted: '0xfe575a87',
} as const;

const method = 'eth_call';

/** Balance of the native coin, in wei, at a block; default: the latest. */
export async function readGasBalance(provider: Provider, address: string, block?: number): Promise<bigint> {
  return readQuantity('eth_getBalance', await provider.call('eth_getBalance', [address, tagOf(block)]));
}

export async function readTokenBalance(provider: Provider, token: string, address: string): Promise<bigint> {
  const data = `${selectors.balanceOf}${toWord(address)}`;
  return BigInt(readHex(method, await provider.call(method, paramsOf({ to: token, data })), 32));
}

/**
 * Balances at a block; default: the latest. A node may have pruned those of an old block. Throws a
 * `NodeError`.
 */
export async function readTokenBalances(
  provider: Provider,
  wanted: readonly { token: string; address: string }[],
  block?: number,
): Promise<bigint[]> {
  const answers = await provider.batch(
    wanted.map(({ token, address }) => ({
      method,
      params: [{ to: token, data: `${selectors.balanceOf}${toWord(address)}` }, tagOf(block)],
    })),
  );
  return answers.map((answer) => {
    if (answer instanceof NodeError) throw answer;
    return BigInt(readHex(method, answer, 32));
  });
}

const tagOf = (block: number | undefined) => (block === undefined ? 'latest' : toQuantity(block));

export async function readDecimals(provider: Provider, token: string): Promise<number> {
  const answer = await provider.call(method, paramsOf({ to: token, data: selectors.decimals }));
  return readNumber(method, readHex(method, answer, 32));
}

/** Whether the token's issuer froze each address. A contract without such a function freezes nobody. */
export async function readFrozen(
  provider: Provider,
  { address: to, freezeFunction }: Token,
  addresses: readonly string[],
  timeoutMs?: number,
): Promise<(boolean | NodeError)[]> {
  const calls = addresses.map((address) => ({
    method,
    params: paramsOf({ to, data: `${selectors[freezeFunction]}${toWord(address)}` }),
  }));
  const answers = await provider.batch(calls, timeoutMs);
  return answers.map((answer) => {
    if (answer instanceof NodeError) return reasonOfRevert(answer) === undefined ? answer : false;
    if (answer === '0x') return false;
    return valueOrError(() => BigInt(readHex(method, answer, 32)) !== 0n);
  });
}

export type Simulation = 'ok' | { reverted: string };

/** Simulates the exact calldata of each transfer on the latest state. */
export async function simulateTransfers(
  provider: Provider,
  from: string,
  transfers: readonly Transfer[],
): Promise<(Simulation | NodeError)[]> {
  const answers = await provider.batch(
    transfers.map((transfer) => ({
      method,
      params: paramsOf({ from, to: transfer.token, data: encodeTransfer(transfer) }),
    })),
  );
  return answers.map((answer) => {
    if (!(answer instanceof NodeError)) return valueOrError(() => outcomeOf(readHex(method, answer)));
    const reverted = reasonOfRevert(answer);
    return reverted === undefined ? answer : { reverted };
  });
}

/** USDT returns nothing; only an explicit `false` is a refusal. */
function outcomeOf(returned: string): Simulation {
  return /^0x0{64}$/.test(returned) ? { reverted: 'the token returned false' } : 'ok';
}

const paramsOf = (call: { from?: string; to: string; data: string }) => [call, 'latest'];
