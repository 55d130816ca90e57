import path from 'node:path';
import {
  addressOfKey,
  chains,
  deployTestTokens,
  type Network,
  networks,
  type PrivateKey,
} from '../../evm/index.ts';
import type { Log } from '../../platform/log.ts';
import { reasonOf, StartError } from '../../platform/start-error.ts';
import { prepareFolder } from '../folder-lock.ts';
import { type Anvil, findAnvil, startAnvil } from './anvil.ts';
import { keepBlocksComing } from './block-pace.ts';

export interface DevnetOptions {
  /** The caller holds its lock: a node that is found running on its state is taken for an orphan and ended. */
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
  stop(): Promise<void>;
}

interface Started {
  network: Network;
  facts: DevnetNetwork;
  stop(): Promise<void>;
}

/** Starts the three networks in `<home>/devnet`, with their tokens and a hot wallet that has some of each; all or none. */
export async function startDevnet({ home, keys, log }: DevnetOptions): Promise<Devnet> {
  const command = findAnvil();
  const folder = await prepareFolder(path.join(home, 'devnet'));
  const hotWallet = addressOfKey(keys.hotWalletKey);
  const attempts = await Promise.allSettled(
    networks.map((network) => startNetwork({ command, folder, network, hotWallet, keys, log })),
  );
  const started = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  const stop = async () => {
    await Promise.all(started.map((network) => network.stop()));
  };
  const failed = attempts.find((attempt) => attempt.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const facts = started.map(({ network, facts }) => [network, facts]);
  return { networks: Object.fromEntries(facts) as Devnet['networks'], stop };
}

interface NetworkOptions extends Omit<DevnetOptions, 'home'> {
  command: string;
  folder: string;
  network: Network;
  hotWallet: string;
}

async function startNetwork(options: NetworkOptions): Promise<Started> {
  const { command, folder, network, hotWallet, keys, log } = options;
  const { chainId, tokens: symbols } = chains[network];
  let node: Anvil | undefined;
  try {
    node = await startAnvil({ command, folder, network, chainId, log });
    const { rpcUrl } = node;
    const { issuerKey } = keys;
    const tokens = await deployTestTokens({
      ...{ rpcUrl, chainId, issuerKey, holder: hotWallet, tokens: symbols },
      firstNonce: firstNonceOn(network),
    });
    // Had somebody else taken the port, it was their node that answered.
    if (node.hasExited()) throw new Error('it ended during the start');
    return { network, facts: { rpcUrl, chainId, hotWallet, tokens }, stop: watch(node, network, log) };
  } catch (error) {
    await node?.stop();
    if (error instanceof StartError) throw error;
    throw new StartError(`The ${network} devnet cannot be used: ${reasonOf(error)}.`, { cause: error });
  }
}

/** A token has another address on each network, as the real ones have: who mixes two networks up finds nothing there. */
const firstNonceOn = (network: Network) => 100 * networks.indexOf(network);

function watch(node: Anvil, network: Network, log: Log): () => Promise<void> {
  let isStopping = false;
  const stopMining = keepBlocksComing(node.rpcUrl);
  void node.exited.then((exit) => {
    stopMining();
    if (!isStopping) log.error({ network, ...exit }, 'a devnet went away');
  });
  return async () => {
    isStopping = true;
    stopMining();
    await node.stop();
  };
}
