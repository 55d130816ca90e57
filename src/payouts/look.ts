import {
  type FinalityRule,
  gatherCalls,
  NodeError,
  type Provider,
  type Receipt,
  readBlock,
  readBlockHashes,
  readReceipts,
  readTransactionCount,
} from '../evm/index.ts';
import type { Lane } from './lane.ts';
import type { OpenSlot } from './queries.ts';

export interface FinalBlock {
  number: number;
  /** The wallet's transaction count at that block: lower nonces are decided. */
  count: number;
}

/**
 * The final block by each rule of the network. A node may no longer have the state of that block; then its latest count stands
 * in: what is final is told by receipts all the same, and that nothing of ours is there must be so for a minute.
 */
export async function readFinalBlocks(
  { network, signer }: Lane,
  provider: Provider,
  { head, latest }: { head: number; latest: number },
): Promise<ReadonlyMap<FinalityRule, FinalBlock>> {
  const { rule, above } = network.finality;
  const together = gatherCalls(provider);
  const numberOf = async (each: FinalityRule) =>
    typeof each === 'number' ? head - each : ((await readBlock(together, each))?.number ?? -1);
  const countAt = (number: number) =>
    readTransactionCount(together, signer.address, number).catch((error) => {
      if (error instanceof NodeError && error.isAnswer) return latest;
      throw error;
    });
  const finals = await Promise.all(
    (above ? [rule, above.rule] : [rule]).map(async (each): Promise<[FinalityRule, FinalBlock]> => {
      const number = await numberOf(each);
      return [each, { number, count: number < 0 ? 0 : await countAt(number) }];
    }),
  );
  return new Map(finals);
}

export interface Look {
  slot: OpenSlot;
  /** Of one of our transactions, in a block of the canonical chain. Undefined: there is none. */
  receipt: Receipt | undefined;
  /** Whether the node answered about every transaction of the slot. */
  isComplete: boolean;
}

/** Finds for each slot which of its transactions is in the chain. */
export async function look(provider: Provider, slots: readonly OpenSlot[]): Promise<Look[]> {
  const hashes = slots.flatMap(({ attempts }) => attempts.map(({ hash }) => hash));
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
    return { slot, receipt, isComplete };
  });
}

export const isReceipt = (answer: Receipt | null | NodeError | undefined): answer is Receipt =>
  answer !== null && answer !== undefined && !(answer instanceof NodeError);
