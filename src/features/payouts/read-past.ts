import {
  type EvmNetwork,
  NodeError,
  type Provider,
  type Receipt,
  readKnown,
  readReceipts,
  readSentTransfers,
  readTransactionCount,
  type SentTransfer,
} from '#adapters/evm';
import { payoutErrors } from './errors.ts';
import { readFinalHeight } from './final-height.ts';
import type { OpenSlot } from './queries/slots.ts';
import { readFinal } from './read-final.ts';

/** What a wallet has done on chain since a block. */
export interface Past {
  /** The outcome of nonces below it is final. */
  used: number;
  /** In order of their nonces. */
  transfers: SentTransfer[];
  /** Open slots below `used` that none of our transactions has used. */
  taken: OpenSlot[];
  /** Nonces that one of our fillers has used, with its hash. */
  filled: ReadonlyMap<bigint, string>;
}

/**
 * Refuses while a transaction that is not ours is in no final block yet, because it could not be found, and
 * while the nodes that have come as far as the quorum differ.
 */
export async function readPast(
  network: EvmNetwork,
  { wallet, fromBlock, open }: { wallet: string; fromBlock: number; open: readonly OpenSlot[] },
): Promise<Past> {
  const { node, tokens } = network;
  const final = await readFinalHeight(network);
  if (!final) throw payoutErrors.nodeAway();
  const range = {
    from: wallet,
    tokens: [...tokens.values()].map(({ address }) => address),
    fromBlock,
    toBlock: final.height,
  };
  // A payment that one node hides, or explains by another transaction, would be made again.
  const [first, ...others] = await Promise.all(
    final.providers.map(async (each) => {
      const used = await readTransactionCount(each, wallet, final.height);
      const transfers = (await readSentTransfers(each, range)).sort((a, b) => a.nonce - b.nonce);
      return { used, transfers, taken: await findTaken(each, open, used) };
    }),
  );
  if (others.some((other) => describe(other) !== describe(first!))) throw payoutErrors.nodesDiffer();
  const { used, transfers, taken } = first!;
  for (const each of node.providers) {
    const sent = await readTransactionCount(each, wallet, 'pending');
    if (sent < used || !(await knowsOurs(each, open, used, sent))) throw payoutErrors.walletBusy();
  }
  for (const { nonce } of taken) {
    const other = transfers.find((transfer) => BigInt(transfer.nonce) === nonce);
    if (other) await readFinal(network, other.hash);
  }
  const isFiller = ({ to, amount }: SentTransfer) => to === wallet && amount === 0n;
  return {
    used,
    taken,
    transfers: transfers.filter((each) => !isFiller(each)),
    filled: new Map(transfers.filter(isFiller).map(({ nonce, hash }) => [BigInt(nonce), hash])),
  };
}

/** What a node says, to compare. A hash stands for all that its transaction says. */
const describe = ({ used, transfers, taken }: Pick<Past, 'used' | 'transfers' | 'taken'>) =>
  JSON.stringify([used, transfers.map(({ hash }) => hash), taken.map(({ nonce }) => Number(nonce))]);

/**
 * Payments with our mark in final blocks after the last settled one. Every node is asked, because one could
 * hide a payment. Undefined if no node has the last settled one.
 */
export async function readMarked(
  { node }: EvmNetwork,
  { wallet, since, toBlock }: { wallet: string; since: string; toBlock: number },
): Promise<SentTransfer[] | undefined> {
  const receipts = (await Promise.all(node.providers.map((each) => readReceipts(each, [since])))).flat();
  const failure = receipts.find((receipt) => receipt instanceof NodeError);
  if (failure) throw failure;
  const blocks = receipts.flatMap((receipt) => (isReceipt(receipt) ? [receipt.blockNumber] : []));
  if (blocks.length === 0) return undefined;
  // A payment in a token that was removed from the settings counts too, so no token is named.
  const range = { from: wallet, fromBlock: Math.min(...blocks), toBlock };
  const sent = await Promise.all(node.providers.map((each) => readSentTransfers(each, range)));
  return sent.flat().filter(({ reference }) => reference !== undefined);
}

const isReceipt = (answer: Receipt | null | NodeError): answer is Receipt =>
  answer !== null && !(answer instanceof NodeError);

/** A node keeps one transaction for each nonce: if it has ours, no other is pending there. */
async function knowsOurs(
  provider: Provider,
  open: readonly OpenSlot[],
  from: number,
  below: number,
): Promise<boolean> {
  const onTheWay = open.filter(({ nonce }) => nonce >= BigInt(from) && nonce < BigInt(below));
  if (onTheWay.length < below - from) return false;
  const hashes = onTheWay.flatMap(({ attempts }) => attempts.map(({ hash }) => hash));
  const known = new Set(await readKnown(provider, hashes));
  return onTheWay.every(({ attempts }) => attempts.some(({ hash }) => known.has(hash)));
}

/** Open slots below the final count that none of their transactions has used. */
export async function findTaken(
  provider: Provider,
  open: readonly OpenSlot[],
  used: number,
): Promise<OpenSlot[]> {
  const decided = open.filter(({ nonce }) => nonce < BigInt(used));
  const hashes = decided.flatMap(({ attempts }) => attempts.map(({ hash }) => hash));
  const receipts = await readReceipts(provider, hashes);
  const failure = receipts.find((receipt) => receipt instanceof NodeError);
  if (failure) throw failure;
  const mined = new Set(hashes.filter((_, at) => receipts[at] !== null));
  return decided.filter(({ attempts }) => !attempts.some(({ hash }) => mined.has(hash)));
}
