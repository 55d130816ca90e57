import type { Chain, Mined } from './chain.ts';
import { RpcError } from './engine.ts';
import type { Sent } from './pool.ts';

/**
 * Replaces the last blocks by as many others. They contain only `kept`, by block, counted from the first. A
 * journal is cut at `position`, where it was before them.
 */
export async function reorganise(
  chain: Chain,
  depth: number,
  kept: readonly [sent: Sent, block: number][] = [],
  position?: number,
): Promise<void> {
  const { head, undo, pool } = chain;
  const id = undo[head.number - depth];
  if (id === undefined || depth < 1) throw new RpcError(-32602, `cannot replace ${depth} blocks`);
  const waiting = pool.all().map(({ sent }) => sent);
  const { time } = head;
  if (!(await chain.ask('evm_revert', id))) throw new RpcError(-32603, 'the engine lost its snapshot');
  head.number -= depth;
  if (position !== undefined) chain.journal.rewind(position);
  chain.collector.forgetAfter(head.number);
  undo.length = head.number;
  head.time = Number((await chain.ask<Mined>('eth_getBlockByNumber', 'latest', false)).timestamp);
  // The engine has restored what was waiting at that time.
  await chain.dropAll();
  for (let at = 0; at < depth; at += 1) {
    for (const [sent, block] of kept) if (block === at) await chain.send(sent);
    await chain.mine(time + 1 + at);
  }
  await chain.sendAgain(waiting);
}

/**
 * The next block; before it, if a replacement is due, another one in the place of the newest. One block only:
 * what is final to the product must not go away.
 */
export async function mineNext(chain: Chain, time?: number): Promise<void> {
  const { replacement } = chain;
  if (typeof replacement === 'object') {
    chain.replacement = undefined;
    await reorganise(chain, 1, [], replacement.position);
  }
  await chain.mine(time);
}
