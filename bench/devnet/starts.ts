import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { callNode, createSigner, networks, type PrivateKey } from '#adapters/evm';
import { createLog } from '#platform/observe/log';
import type { Devnet } from '../../src/sandbox/devnet/index.ts';
import { startNetworks } from '../../src/sandbox/devnet/start-networks.ts';

const payouts = 5_000;
const sentAtOnce = 50;
/** One every thirty seconds. */
const blocksOfAWeek = 20_160;
const minedAtOnce = 500;
const gwei = 10n ** 9n;
const log = createLog({ level: 'warn' });
const makeKey = () => `0x${randomBytes(32).toString('hex')}` as PrivateKey;

export const makeKeys = () => ({ issuerKey: makeKey(), hotWalletKey: makeKey() });

/** How long the devnets take to start: the first time, after many payouts, and after a week without any. */
export async function measureStarts(folder: string): Promise<void> {
  const keys = makeKeys();
  const home = `${folder}/home`;
  const first = await timeStart(home, keys);
  console.log(`first start: ${seconds(first.milliseconds)}`);
  await payMany(first.devnet, keys.hotWalletKey);
  await waitUntilShort(home, 'polygon');
  await first.devnet.stop();
  const second = await timeStart(home, keys);
  console.log(`start after ${payouts} payouts: ${seconds(second.milliseconds)}`);
  for (const network of networks) await mineMany(second.devnet, network);
  for (const network of networks) await waitUntilShort(home, network);
  await second.devnet.stop();
  const third = await timeStart(home, keys);
  console.log(
    `start after a week of ${blocksOfAWeek} blocks on each network: ${seconds(third.milliseconds)}`,
  );
  await third.devnet.stop();
}

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(2)} s`;

async function timeStart(home: string, keys: Parameters<typeof startNetworks>[0]['keys']) {
  const startedAt = performance.now();
  const devnet = await startNetworks({ home, keys, log });
  return { devnet, milliseconds: performance.now() - startedAt };
}

/** Transfers by the hot wallet, a batch at a time, as the payout engine sends them. */
async function payMany({ networks }: Devnet, key: PrivateKey): Promise<void> {
  const { rpcUrl, chainId, tokens } = networks.polygon;
  const signer = createSigner(key);
  for (let nonce = 0; nonce < payouts; ) {
    for (const end = nonce + sentAtOnce; nonce < end; nonce += 1) {
      const { raw } = await signer.signTransfer({
        chainId,
        nonce,
        gas: 100_000n,
        token: tokens.USDC!,
        amount: 1n,
        reference: crypto.randomUUID(),
        to: `0x${randomBytes(20).toString('hex')}`,
        maxFeePerGas: 500n * gwei,
        maxPriorityFeePerGas: gwei,
      });
      await callNode({
        rpcUrl,
        method: 'eth_sendRawTransaction',
        params: [`0x${raw.toString('hex')}`],
        timeoutMs: 60_000,
      });
    }
  }
}

async function mineMany({ networks }: Devnet, network: keyof Devnet['networks']): Promise<void> {
  const { rpcUrl } = networks[network];
  for (let mined = 0; mined < blocksOfAWeek; mined += minedAtOnce) {
    const params = [`0x${minedAtOnce.toString(16)}`];
    await callNode({ rpcUrl, method: 'hardhat_mine', params, timeoutMs: 60_000 });
  }
}

/** Compacting goes on for a while after the last transaction. */
async function waitUntilShort(home: string, network: string): Promise<void> {
  const countLines = () => readFileSync(`${home}/devnet/${network}.jsonl`, 'utf8').split('\n').length;
  for (
    const deadline = Date.now() + 300_000;
    countLines() > 2_100 || !hasSnapshot(home, network);
    await sleep(500)
  ) {
    if (Date.now() > deadline) throw new Error(`the journal of ${network} stays long`);
  }
}

function hasSnapshot(home: string, network: string): boolean {
  return readFileSync(`${home}/devnet/${network}.jsonl`, 'utf8').slice(0, 200).includes('"snapshot"');
}
