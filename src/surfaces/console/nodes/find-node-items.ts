import { answerAddress } from '../links.ts';
import type { Item, Sources } from '../overview/attention.ts';
import { nodesAddress, type ShownNetwork } from './shown-network.ts';

/**
 * Nodes that are away, lag or contradict each other, before that halts a wallet. One of several can wait;
 * with fewer than the quorum, payouts and deposits do not go on.
 */
export async function findNodeItems({ figures, nodes: networks, words }: Sources): Promise<Item[]> {
  const { noNode, unread } = words.overview.items;
  if (!networks)
    return [{ text: unread(words.nodes.title), address: answerAddress('doctor'), isGrave: true }];
  const ups = await figures('causeway_node_up');
  return networks.flatMap((one): Item[] => {
    const { network, nodes } = one;
    const silent = ups.filter(({ labels, value }) => labels.network === network && value === 0);
    // A node that takes longer than workers wait answered its last call and is away nevertheless.
    const isAway = ({ node, state }: ShownNetwork['nodes'][number]) =>
      state === 'away' || silent.some(({ labels }) => labels.place === String(node));
    if (nodes.every(isAway))
      return [{ text: noNode(network), address: nodesAddress(network), isGrave: true }];
    return itemsOf(words, one, isAway);
  });
}

function itemsOf(
  words: Sources['words'],
  { network, nodes, agreeing, quorum, payouts, deposits }: ShownNetwork,
  isAway: (node: ShownNetwork['nodes'][number]) => boolean,
): Item[] {
  const { items } = words.nodes;
  const address = nodesAddress(network);
  const grave = (text: string): Item => ({ text, address, isGrave: true });
  return [
    ...(agreeing < quorum ? [grave(items.tooFew(network, agreeing, quorum))] : []),
    ...payouts
      .filter(({ isContradicted }) => isContradicted)
      .map(({ nonce }) => grave(items.payout(network, nonce))),
    ...(deposits?.trouble ? [grave(items.deposits(network))] : []),
    ...nodes.flatMap((one): Item[] => {
      const state = isAway(one) ? 'away' : one.state;
      const says = items.states[state];
      return says === undefined
        ? []
        : [{ text: items.node(network, one.node, says), address, isGrave: false }];
    }),
  ];
}
