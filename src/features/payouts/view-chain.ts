import {
  batchCalls,
  type EvmNetwork,
  type FinalityRule,
  NodeError,
  type Provider,
  type Receipt,
  readBlock,
  readBlockHashes,
  readReceipts,
  readTransactionCount,
} from '#adapters/evm';
import type { PaidSlot } from './queries/slots.ts';
import { viewTimeoutMs } from './timing.ts';

export interface FinalBlock {
  number: number;
  /** The wallet's transaction count at that block: the outcome of lower nonces is final. */
  count: number;
}

/** One node's view of the chain and of a wallet. */
export interface NodeView {
  provider: Provider;
  /** Its index among the network's URLs. URLs contain keys, so they are never shown. */
  name: string;
  head: number;
  baseFeePerGas: bigint;
  /** The wallet's transaction count at the head. */
  latest: number;
  finals: ReadonlyMap<FinalityRule, FinalBlock>;
}

/** A wallet on a network. */
export interface Watched {
  network: EvmNetwork;
  address: string;
}

/** Asks every node; those that do not answer are omitted. Throws a `NodeError` if none answers. */
export async function viewChain({ network, address }: Watched): Promise<NodeView[]> {
  const answers = await Promise.all(
    network.node.providers.map((provider, at) =>
      viewFrom({ network, address }, provider, `node ${at + 1}`).catch((error) => {
        if (error instanceof NodeError) return error;
        throw error;
      }),
    ),
  );
  const views = answers.flatMap((answer) => (answer instanceof NodeError ? [] : [answer]));
  if (views.length === 0) throw answers[0];
  return views;
}

async function viewFrom({ network, address }: Watched, provider: Provider, name: string): Promise<NodeView> {
  const { rule, above } = network.finality;
  const rules = above ? [rule, above.rule] : [rule];
  const together = batchCalls(provider, viewTimeoutMs);
  const [block, latest, ...tagged] = await Promise.all([
    readBlock(together, 'latest'),
    readTransactionCount(together, address, 'latest'),
    ...rules.map((each) => (typeof each === 'number' ? undefined : readBlock(together, each))),
  ]);
  const head = block?.number ?? 0;
  const finals = await Promise.all(
    rules.map(async (each, at): Promise<[FinalityRule, FinalBlock]> => {
      const number = typeof each === 'number' ? head - each : (tagged[at]?.number ?? -1);
      const count = number < 0 ? 0 : await countAt(together, { address, number, latest });
      return [each, { number, count }];
    }),
  );
  const baseFeePerGas = block?.baseFeePerGas ?? 0n;
  return { provider, name, head, baseFeePerGas, latest, finals: new Map(finals) };
}

/**
 * A node may have pruned the state of the final block; then its latest count is used. Receipts still decide
 * what is final, and the absence of our transactions must last a minute.
 */
function countAt(
  provider: Provider,
  { address, number, latest }: { address: string; number: number; latest: number },
): Promise<number> {
  return readTransactionCount(provider, address, number).catch((error) => {
    if (error instanceof NodeError && error.isAnswer) return latest;
    throw error;
  });
}

export interface ChainAnswer {
  /** Receipt of one of our transactions in a canonical block; undefined if the node has none. */
  receipt: Receipt | undefined;
  /** Whether the node answered about every transaction of the slot. */
  isComplete: boolean;
}

/**
 * Finds which transaction of each slot is in the chain of one node: one batch for receipts, one for blocks.
 */
export async function findInChain(provider: Provider, slots: readonly PaidSlot[]): Promise<ChainAnswer[]> {
  const hashes = slots.flatMap(({ attempts }) => attempts.map(({ hash }) => hash));
  if (hashes.length === 0) return slots.map(() => ({ receipt: undefined, isComplete: true }));
  const receipts = new Map(
    (await readReceipts(provider, hashes)).map((receipt, at) => [hashes[at]!, receipt]),
  );
  const numbers = [
    ...new Set(
      [...receipts.values()].flatMap((receipt) => (isReceipt(receipt) ? [receipt.blockNumber] : [])),
    ),
  ];
  const blockHashes = await readBlockHashes(provider, numbers);
  const canonical = new Map(numbers.map((number, at) => [number, blockHashes[at]]));
  return slots.map((slot) => {
    const ours = slot.attempts.map(({ hash }) => receipts.get(hash));
    const receipt = ours
      .filter(isReceipt)
      .find(({ blockNumber, blockHash }) => canonical.get(blockNumber) === blockHash);
    const isComplete = ours.every((answer) =>
      isReceipt(answer) ? !(canonical.get(answer.blockNumber) instanceof NodeError) : answer === null,
    );
    return { receipt, isComplete };
  });
}

const isReceipt = (answer: Receipt | null | NodeError | undefined): answer is Receipt =>
  answer !== null && answer !== undefined && !(answer instanceof NodeError);
