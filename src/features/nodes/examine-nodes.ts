import {
  type Block,
  type EvmNetwork,
  NodeError,
  type Provider,
  readBlock,
  readBlockHashes,
  readChainId,
  readFinalBlock,
  readGasBalance,
  readReceipts,
  strictestRule,
} from '#adapters/evm';
import { showDuration } from '#platform/values/duration';
import { withinMs } from '#platform/worker/within-ms';

/** Worst first. `incomplete`: it lacks data that payouts or deposits need. */
export const nodeStates = [
  'away',
  'wrong chain',
  'contradicts',
  'ahead',
  'behind',
  'incomplete',
  'ok',
] as const;

export type NodeState = (typeof nodeStates)[number];

export interface Fault {
  state: NodeState;
  /** Follows the name of the node: `is 40 blocks behind`. */
  text: string;
}

/** What one node answered. Nodes are named by their place in the setting, because a URL may have a key. */
export interface ExaminedNode {
  /** `node 2`. */
  name: string;
  provider: Provider;
  head: Block | undefined;
  final: Block | undefined;
  /** Behind the newest block of the others, or 0; undefined if it is not comparable. */
  blocksBehind: number | undefined;
  faults: Fault[];
}

export interface Examination {
  nodes: ExaminedNode[];
  /** How many have the same block at the lowest of their final heights. */
  agreeing: number;
}

/** Our networks have a block at least every 12 seconds. */
const headAgeMaxSeconds = 120;
const aheadMaxSeconds = 30;
/** Nodes normally differ by seconds. */
const apartMaxSeconds = 60;
/** No network of ours has more blocks in a minute. */
const aheadMaxBlocks = 100;
/** Final blocks of some networks come every few minutes, and of nodes not at once. */
const finalApartMaxSeconds = 900;
const [nobody, noTransaction] = [`0x${'0'.repeat(40)}`, `0x${'0'.repeat(64)}`];

/** The worst of what is wrong with a node. */
export const stateOf = ({ faults }: Pick<ExaminedNode, 'faults'>): NodeState =>
  nodeStates.find((state) => faults.some((fault) => fault.state === state)) ?? 'ok';

/** Asks every node of a network what payouts and deposits need of it, and compares the answers. */
export async function examineNodes(
  network: EvmNetwork,
  { clockMs, timeoutMs }: { clockMs: () => number; timeoutMs: number },
): Promise<Examination> {
  const nodes = await Promise.all(
    network.node.providers.map(async (provider, at) => {
      const nothing = { head: undefined, final: undefined, blocksBehind: undefined };
      const node: ExaminedNode = { name: `node ${at + 1}`, provider, ...nothing, faults: [] };
      await withinMs(timeoutMs, examineNode(node, network, clockMs)).catch((error) =>
        node.faults.push({ state: 'away', text: describeError(error, timeoutMs) }),
      );
      return node;
    }),
  );
  compareHeights(nodes, network.node.quorum);
  return { nodes, agreeing: await countAgreeing(nodes, timeoutMs) };
}

/** Collects what payouts and deposits need of a node: chain, a fresh head, final state, receipts. */
async function examineNode(node: ExaminedNode, network: EvmNetwork, clockMs: () => number): Promise<void> {
  const { provider, faults } = node;
  const [chainId, head, final, receipts] = await Promise.all([
    readChainId(provider),
    readBlock(provider, 'latest'),
    readFinalBlock(provider, strictestRule(network.finality)),
    readReceipts(provider, [noTransaction]),
  ]);
  if (chainId !== network.chainId) {
    faults.push({ state: 'wrong chain', text: `is on chain ${chainId}, not ${network.chainId}` });
    return;
  }
  node.head = head;
  faults.push(
    ...(head ? faultsOfHead(head, clockMs()) : [{ state: 'behind', text: 'has no blocks' } as const]),
  );
  if (receipts.some((receipt) => receipt instanceof NodeError))
    faults.push({ state: 'incomplete', text: 'answers no receipts' });
  if (!final) {
    faults.push({ state: 'behind', text: 'has no final block' });
    return;
  }
  await readGasBalance(provider, nobody, final.number).then(
    () => {
      node.final = final;
    },
    () => faults.push({ state: 'incomplete', text: 'has no state of the final block' }),
  );
}

function faultsOfHead({ timestamp }: Block, nowMs: number): Fault[] {
  const ageSeconds = (nowMs - timestamp.getTime()) / 1_000;
  if (ageSeconds > headAgeMaxSeconds)
    return [{ state: 'behind', text: `has no block for ${showDuration(ageSeconds)}` }];
  if (ageSeconds < -aheadMaxSeconds)
    return [{ state: 'ahead', text: `has a block ${showDuration(-ageSeconds)} in the future by our clock` }];
  return [];
}

/** By the time of blocks, because a height means nothing without the time between blocks. */
function compareHeights(nodes: readonly ExaminedNode[], quorum: number): void {
  for (const node of nodes) node.faults.push(...faultsOfHeight(node, nodes, quorum));
  const credible = nodes.filter(({ faults }) => !faults.some(({ state }) => state === 'ahead'));
  const head = newestOf(credible.flatMap(({ head }) => head ?? []));
  const final = newestOf(credible.flatMap(({ final }) => final ?? []));
  for (const node of credible) {
    if (head && node.head) {
      node.blocksBehind = Math.max(head.number - node.head.number, 0);
      node.faults.push(...faultsOfDistance('is', secondsBetween(node.head, head), apartMaxSeconds));
    }
    if (final && node.final)
      node.faults.push(
        ...faultsOfDistance('has a final block', secondsBetween(node.final, final), finalApartMaxSeconds),
      );
  }
}

/** A node may invent a height. In the same time, the others cannot have missed that many blocks. */
function faultsOfHeight(
  { head, final }: ExaminedNode,
  nodes: readonly ExaminedNode[],
  quorum: number,
): Fault[] {
  if (!head) return [];
  if (final && final.number > head.number)
    return [{ state: 'ahead', text: `has a final block above its newest block ${head.number}` }];
  const heads = nodes.flatMap((node) => node.head ?? []).sort((one, other) => other.number - one.number);
  const reached = heads[Math.min(quorum, heads.length) - 1]!;
  const blocks = head.number - reached.number;
  if (blocks <= aheadMaxBlocks || secondsBetween(reached, head) > apartMaxSeconds) return [];
  return [{ state: 'ahead', text: `has block ${head.number}, which is ${blocks} blocks above the others` }];
}

const newestOf = (blocks: readonly Block[]): Block | undefined =>
  blocks.toSorted((one, other) => other.timestamp.getTime() - one.timestamp.getTime())[0];

const secondsBetween = (early: Block, late: Block) =>
  (late.timestamp.getTime() - early.timestamp.getTime()) / 1_000;

const faultsOfDistance = (what: string, seconds: number, max: number): Fault[] =>
  seconds > max ? [{ state: 'behind', text: `${what} ${showDuration(seconds)} behind the others` }] : [];

/** How many nodes have the same block at the lowest of their final heights. Marks those that do not. */
async function countAgreeing(nodes: readonly ExaminedNode[], timeoutMs: number): Promise<number> {
  const able = nodes.flatMap((node) => (node.final ? [{ ...node, final: node.final }] : []));
  if (able.length === 0) return 0;
  const height = Math.min(...able.map(({ final }) => final.number));
  const hashes = await Promise.all(
    able.map(({ provider }) =>
      withinMs(timeoutMs, readBlockHashes(provider, [height])).then(
        ([hash]) => (typeof hash === 'string' ? hash : null),
        () => undefined,
      ),
    ),
  );
  const answered = [...able.keys()].filter((at) => hashes[at] !== undefined);
  const groups = Map.groupBy(
    answered.filter((at) => hashes[at] !== null),
    (at) => hashes[at],
  );
  const [largest = [], second = []] = [...groups.values()].sort((one, other) => other.length - one.length);
  // As many say one thing as another: it is not known which of them is wrong.
  const isTie = largest.length > 0 && second.length === largest.length;
  for (const [at, { faults }] of able.entries()) {
    if (!answered.includes(at)) faults.push({ state: 'away', text: `does not answer for block ${height}` });
    else if (isTie || !largest.includes(at))
      faults.push({ state: 'contradicts', text: textOf(height, isTie) });
  }
  return largest.length;
}

const textOf = (height: number, isTie: boolean) =>
  isTie
    ? `has another block ${height} than as many others, or none`
    : `has another block ${height} than most, or none`;

/** The message of a `NodeError` never has the URL. */
const describeError = (error: unknown, timeoutMs: number) =>
  error instanceof NodeError
    ? `does not answer (${error.message})`
    : `does not answer within ${showDuration(timeoutMs / 1_000)}`;
