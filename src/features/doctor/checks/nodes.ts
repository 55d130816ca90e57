import type { Evm, EvmNetwork } from '#adapters/evm';
import { isLoopback } from '#config/parsers';
import { examineNodes } from '#features/nodes';
import { type Check, count, list, ok, problem, skipped, warning } from '../outcome.ts';

const nodeMs = 8_000;

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
  const { quorum, transports } = network.node;
  const { nodes, agreeing } = await examineNodes(network, { clockMs, timeoutMs: nodeMs });
  const plain = transports.flatMap(({ isEncrypted, hostname }, at) =>
    isEncrypted || isLoopback(hostname) ? [] : [`node ${at + 1} is reached without TLS`],
  );
  const faults = [
    ...nodes.flatMap(({ name, faults }) => faults.map(({ text }) => `${name} ${text}`)),
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
