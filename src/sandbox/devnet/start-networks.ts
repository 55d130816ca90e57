import { existsSync } from 'node:fs';
import path from 'node:path';
import { addressOfKey, chains, type Network, networks, type PrivateKey } from '#adapters/evm';
import { reasonOf, StartupError } from '#platform/errors/startup-error';
import type { Log } from '#platform/observe/log';
import { prepareFolder } from '../folder-lock.ts';
import { resetHint } from '../reset-hint.ts';
import { unfinishedOn } from '../unfinished-on.ts';
import { deployTestTokens } from './deploy-test-tokens.ts';
import { type DevnetNode, startNode } from './start-node.ts';

export interface DevnetOptions {
  /** The caller holds its lock. */
  home: string;
  keys: { issuerKey: PrivateKey; hotWalletKey: PrivateKey };
  log: Log;
}

export interface DevnetNetwork {
  rpcUrl: string;
  chainId: number;
  hotWallet: string;
  tokens: Record<string, string>;
}

export interface Devnet {
  networks: Record<Network, DevnetNetwork>;
  /** Resolves when a network has stopped answering and could not be restarted. */
  lost: Promise<StartupError>;
  stop(): Promise<void>;
}

interface Started {
  network: Network;
  node: DevnetNode;
  facts: DevnetNetwork;
}

/** Starts the three networks in `<home>/devnet` with their tokens and a funded hot wallet; all or none. */
export async function startNetworks({ home, keys, log }: DevnetOptions): Promise<Devnet> {
  const folder = await prepareFolder(path.join(home, 'devnet'));
  // The database beside it refers to chains in a format that this release cannot read.
  if (existsSync(path.join(folder, 'polygon.json'))) {
    throw new StartupError(`An earlier release made this sandbox. ${resetHint}`);
  }
  const attempts = await Promise.allSettled(
    networks.map((network) => startNetwork({ folder, network, keys, log })),
  );
  const started = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  const stop = async () => {
    await Promise.all(started.map(({ node }) => node.stop()));
  };
  const failed = attempts.find((attempt) => attempt.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const facts = started.map(({ network, facts }) => [network, facts]);
  return {
    networks: Object.fromEntries(facts) as Devnet['networks'],
    lost: Promise.race(started.map(({ node }) => node.lost)),
    stop,
  };
}

interface NetworkOptions extends Omit<DevnetOptions, 'home'> {
  folder: string;
  network: Network;
}

async function startNetwork({ folder, network, keys, log }: NetworkOptions): Promise<Started> {
  const { chainId, tokens: symbols } = chains[network];
  const { issuerKey, hotWalletKey } = keys;
  const hotWallet = addressOfKey(hotWalletKey);
  let node: DevnetNode | undefined;
  try {
    const journalFile = path.join(folder, `${network}.jsonl`);
    node = await startNode({ network, chainId, journalFile, hasSteadyFees: network === unfinishedOn, log });
    const { rpcUrl } = node;
    const tokens = await deployTestTokens({
      rpcUrl,
      chainId,
      issuerKey,
      holder: hotWallet,
      tokens: symbols,
      firstNonce: firstNonceOn(network),
    });
    return { network, node, facts: { rpcUrl, chainId, hotWallet, tokens } };
  } catch (error) {
    await node?.stop();
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The ${network} devnet cannot be used: ${reasonOf(error)}.`, { cause: error });
  }
}

/** Token addresses differ between networks, as real ones do, so that mixing up two networks finds nothing. */
const firstNonceOn = (network: Network) => 100 * networks.indexOf(network);
