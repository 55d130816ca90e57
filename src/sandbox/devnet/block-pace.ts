import { callNode } from '../../evm/index.ts';

const beatMs = 1_000;
const idleMs = 30_000;
const blocksAfterTransaction = 64;
const callTimeoutMs = 5_000;

/**
 * Mines a block a second until every transaction has confirmations in plenty, and then one in thirty seconds. Anvil's own
 * block time never rests, and it keeps every block: its state file, written whole each time, would grow by 100 MB a day.
 * Whoever wants to hold transactions back turns mining off with `evm_setAutomine`, and this waits along.
 */
export function keepBlocksComing(rpcUrl: string): () => void {
  const call = <Result>(method: string) => callNode<Result>({ rpcUrl, method, timeoutMs: callTimeoutMs });
  let expectedNumber = -1;
  let quickUntil = 0;
  let minedAt = 0;

  const beat = async () => {
    if (!(await call<boolean>('anvil_getAutomine'))) return;
    const number = Number(await call<string>('eth_blockNumber'));
    // A block that is not from here was mined for a transaction.
    if (number !== expectedNumber) quickUntil = number + blocksAfterTransaction;
    expectedNumber = number;
    if (number >= quickUntil && Date.now() - minedAt < idleMs) return;
    await call('evm_mine');
    expectedNumber = number + 1;
    minedAt = Date.now();
  };

  let isBusy = false;
  const timer = setInterval(async () => {
    if (isBusy) return;
    isBusy = true;
    // A node that went away is reported by who started it.
    await beat().catch(() => {});
    isBusy = false;
  }, beatMs).unref();
  return () => clearInterval(timer);
}
