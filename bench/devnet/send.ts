// Keeps a chain busy: sends transactions at a steady rate, and after each makes the reads that a payout
// makes.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { privateKeyToAccount } from 'viem/accounts';
import { callNode } from '#adapters/evm';

interface SendOrder {
  rpcUrl: string;
  seconds: number;
  perSecond: number;
}

const gwei = 10n ** 9n;

process.on('message', async ({ rpcUrl, seconds, perSecond }: SendOrder) => {
  const call = <Result>(method: string, ...params: unknown[]) =>
    callNode<Result>({ rpcUrl, method, params, timeoutMs: 10_000 });
  const account = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`);
  await call('hardhat_setBalance', account.address, `0x${(10n ** 21n).toString(16)}`);
  const startedAt = Date.now();
  for (let nonce = 0; nonce < seconds * perSecond; nonce += 1) {
    await sleep(Math.max(startedAt + (nonce * 1_000) / perSecond - Date.now(), 0));
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: 137,
      nonce,
      to: account.address,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 500n * gwei,
      maxPriorityFeePerGas: gwei,
    });
    const hash = await call<string>('eth_sendRawTransaction', raw);
    await call('eth_getTransactionCount', account.address, 'pending');
    await call('eth_getBlockByNumber', 'latest', false);
    await call('eth_getTransactionReceipt', hash);
    await call('eth_getLogs', { fromBlock: 'latest', toBlock: 'latest' });
  }
  process.send!('done');
});
process.send!('ready');
