import {
  type Block,
  type Evm,
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
import { isLoopback } from '#config/parsers';
import { showDuration } from '#platform/values/duration';
import { type Check, count, list, ok, problem, skipped, warning } from '../outcome.ts';
import { withinMs } from '../within-ms.ts';

/** Our networks have a block at least every 12 seconds. */
const headAgeMaxSeconds = 120;
const aheadMaxSeconds = 30;
const nodeMs = 8_000;
const [nobody, noTransaction] = [`0x${'0'.repeat(40)}`, `0x${'0'.repeat(64)}`];

/** What one node answered. Nodes are named by their place in the setting, because a URL may have a key. */
interface Examined {
  place: string;
  provider: Provider;
  faults: string[];
  final?: { number: number; hash: string };
}

/** One check for each network. */
export function nodeChecks(evm: Evm): Check[] {
  if (evm.size === 0)
    return [{ name: 'nodes', run: async () => skipped('No network has RPC URLs, so nothing is paid') }];
  return [...evm.values()].map((network) => ({
    name: `nodes of ${network.name}`,
    run: (_, { clockMs }) => examineNetwork(network, clockMs),
  }));
}

async function examineNetwork(network: EvmNetwork, clockMs: () => number) {
  const { providers, quorum, transports } = network.node;
  const nodes = await Promise.all(
    providers.map(async (provider, at) => {
      const node: Examined = { place: `node ${at + 1}`, provider, faults: [] };
      const reading = withinMs(nodeMs, examineNode(node, network, clockMs));
      await reading.catch((error) => node.faults.push(describeError(error)));
      return node;
    }),
  );
  const agreeing = await countAgreeing(nodes);
  const plain = transports.flatMap(({ isEncrypted, hostname }, at) =>
    isEncrypted || isLoopback(hostname) ? [] : [`node ${at + 1} is reached without TLS`],
  );
  const faults = [
    ...nodes.flatMap(({ place, faults }) => faults.map((fault) => `${place} ${fault}`)),
    ...plain,
  ];
  const seen = [
    `${agreeing} of ${count(nodes.length, 'node')} agree, ${quorum} must`,
    ...(faults.length > 0 ? [list(faults)] : []),
  ].join('; ');
  const setting = `${network.name.toUpperCase()}_RPC_URLS`;
  if (agreeing < quorum)
    return problem(seen, `Correct or replace the nodes in ${setting}: until then no payout is settled.`);
  if (faults.length > 0) return warning(seen, `Correct or replace the nodes in ${setting}.`);
  if (nodes.length < 3 || quorum < 2)
    return warning(
      seen,
      `Give three nodes of different providers in ${setting}: then one may be away, and none is trusted alone.`,
    );
  return ok(seen);
}

/** Collects what payouts and deposits need of a node: chain, a fresh head, final state, receipts. */
async function examineNode(node: Examined, network: EvmNetwork, clockMs: () => number): Promise<void> {
  const { provider, faults } = node;
  const [chainId, latest, final, receipts] = await Promise.all([
    readChainId(provider),
    readBlock(provider, 'latest'),
    readFinalBlock(provider, strictestRule(network.finality)),
    readReceipts(provider, [noTransaction]),
  ]);
  if (chainId !== network.chainId) {
    faults.push(`is on chain ${chainId}, not ${network.chainId}`);
    return;
  }
  faults.push(...(latest ? faultsOfHead(latest, clockMs()) : ['has no blocks']));
  if (receipts.some((receipt) => receipt instanceof NodeError)) faults.push('answers no receipts');
  if (!final) {
    faults.push('has no final block');
    return;
  }
  await readGasBalance(provider, nobody, final.number).then(
    () => {
      node.final = final;
    },
    () => faults.push('has no state of the final block'),
  );
}

function faultsOfHead({ timestamp }: Block, nowMs: number): string[] {
  const ageSeconds = (nowMs - timestamp.getTime()) / 1_000;
  if (ageSeconds > headAgeMaxSeconds) return [`has no block for ${showDuration(ageSeconds)}`];
  if (ageSeconds < -aheadMaxSeconds)
    return [`has a block ${showDuration(-ageSeconds)} in the future by our clock`];
  return [];
}

/** How many nodes have the same block at the lowest of their final heights. Marks those that do not. */
async function countAgreeing(nodes: readonly Examined[]): Promise<number> {
  const able = nodes.flatMap((node) => (node.final ? [{ ...node, final: node.final }] : []));
  if (able.length === 0) return 0;
  const height = Math.min(...able.map(({ final }) => final.number));
  const hashes = await Promise.all(
    able.map(({ provider }) =>
      withinMs(nodeMs, readBlockHashes(provider, [height])).then(
        ([hash]) => (typeof hash === 'string' ? hash : undefined),
        () => undefined,
      ),
    ),
  );
  const groups = Map.groupBy(able.keys(), (at) => hashes[at]);
  groups.delete(undefined);
  const [largest = []] = [...groups.values()].sort((one, other) => other.length - one.length);
  for (const [at, node] of able.entries())
    if (!largest.includes(at)) node.faults.push(`has another block ${height} than most, or none`);
  return largest.length;
}

/** The message of a `NodeError` never has the URL. */
const describeError = (error: unknown) =>
  error instanceof NodeError
    ? `does not answer (${error.message})`
    : `does not answer within ${showDuration(nodeMs / 1_000)}`;
