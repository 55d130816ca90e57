import type { EvmNetwork } from '#adapters/evm';
import type { Ctx } from '#context';
import { type ReadProgress, showProgress } from '#features/deposits';
import { type FirstInLine, showFirstInLine } from '#features/payouts';
import { type Examination, examineNodes } from './examine-nodes.ts';

export interface ShownNetwork extends Examination {
  network: EvmNetwork;
  firstInLine: FirstInLine[];
  /** Undefined if the network is not watched yet. */
  deposits: ReadProgress | undefined;
}

/** As workers wait for a node: one that takes longer has no vote in a payout. */
const timeoutMs = 3_000;

/**
 * What each node says, and where they differ: before that halts a wallet, which takes half an hour. Nothing
 * is stored, so it is the same in every process.
 */
export function showNodes(ctx: Ctx): Promise<ShownNetwork[]> {
  const startedAt = performance.now();
  const clockMs = () => ctx.now.getTime() + performance.now() - startedAt;
  return Promise.all(
    [...ctx.evm.values()].map(async (network) => {
      const [examination, firstInLine, deposits] = await Promise.all([
        examineNodes(network, { clockMs, timeoutMs }),
        showFirstInLine(ctx, network),
        showProgress(ctx, network),
      ]);
      const { nodes } = examination;
      for (const at of deposits?.otherOn ?? []) {
        const text = `has another block ${deposits!.block} than was read for deposits`;
        nodes[at]!.faults.push({ state: 'contradicts', text });
      }
      return { network, ...examination, firstInLine, deposits };
    }),
  );
}
