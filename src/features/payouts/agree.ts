import { type EvmNetwork, type Receipt, ruleFor } from '#adapters/evm';
import type { PaidSlot } from './queries/slots.ts';
import { leadBlocks } from './timing.ts';
import type { ChainAnswer, NodeView } from './view-chain.ts';

/** One node's answer about one nonce. */
export interface NodeAnswer extends ChainAnswer {
  view: NodeView;
}

/** The combined answer of a network's nodes about one nonce. */
export interface Agreement<Slot extends PaidSlot = PaidSlot> {
  slot: Slot;
  answers: readonly NodeAnswer[];
  /** The receipt that a quorum of nodes has in the same final block. */
  final: Receipt | undefined;
  /** In a block that a quorum is near: one node shows it, and no node at that height lacks it. */
  seen: Receipt | undefined;
  /** A quorum of nodes has nothing of ours at this nonce, and they outnumber those that have something. */
  isGone: boolean;
}

/**
 * A node that is down, fails or has no receipt has no vote. A single node could complete or fail any payout,
 * so one vote is enough only if the network has one node or the operator set a quorum of one.
 */
export function agree<Slot extends PaidSlot>(
  { node: { quorum }, finality }: Pick<EvmNetwork, 'node' | 'finality'>,
  slot: Slot,
  answers: readonly NodeAnswer[],
): Agreement<Slot> {
  const rule = ruleFor(finality, slot.amount, slot.decimals);
  const isFinalOn = ({ view, receipt }: NodeAnswer) => {
    const final = view.finals.get(rule)!;
    return receipt && receipt.blockNumber <= final.number && slot.nonce < BigInt(final.count);
  };
  const votes = Map.groupBy(answers.filter(isFinalOn), ({ receipt }) => JSON.stringify(receipt));
  const [first, second] = [...votes.values()].toSorted((one, other) => other.length - one.length);
  const isAgreed = first && first.length >= quorum && first.length > (second?.length ?? 0);
  const empty = answers.filter(({ receipt, isComplete }) => receipt === undefined && isComplete);
  const showing = answers.flatMap(({ receipt }) => receipt ?? []);
  // With fewer answers than the quorum, as far as those have come.
  const height = reachedBy(
    Math.min(quorum, answers.length),
    answers.map(({ view }) => view.head),
  );
  const shown = showing.find(({ blockNumber }) => blockNumber <= height + leadBlocks);
  return {
    slot,
    answers,
    final: isAgreed ? first[0]!.receipt : undefined,
    seen: shown && empty.every(({ view }) => view.head < shown.blockNumber) ? shown : undefined,
    isGone: empty.length >= quorum && empty.length > showing.length,
  };
}

/** The highest value that a quorum of nodes has reached. */
export function reachedBy(quorum: number, values: readonly number[]): number {
  return values.toSorted((one, other) => other - one)[quorum - 1] ?? 0;
}

/** One node has it in a block that another has passed without it, or has it with another outcome. */
export function isContradicted({ answers }: Pick<Agreement, 'answers'>): boolean {
  const shown = answers.flatMap(({ receipt }) => receipt ?? []);
  const isDenied = answers.some(
    ({ view, receipt, isComplete }) =>
      !receipt && isComplete && shown.some(({ blockNumber }) => blockNumber <= view.head),
  );
  return isDenied || new Set(shown.map((receipt) => JSON.stringify(receipt))).size > 1;
}

/** For log messages: which node says what. */
export const describeAnswers = (answers: readonly NodeAnswer[]): string =>
  answers.map((answer) => `${answer.view.name} ${describeAnswer(answer)}`).join(', ');

function describeAnswer({ receipt, isComplete }: NodeAnswer): string {
  if (!receipt) return isComplete ? 'has no transaction of ours' : 'does not answer';
  return `has it ${receipt.isSuccess ? 'as a success' : 'as reverted'} in block ${receipt.blockNumber}`;
}
