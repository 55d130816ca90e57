import type { Network } from '#adapters/evm';
import { parseNetworkPairs } from '../network-pairs.ts';
import { isHttpUrl, itemsOf } from '../parsers.ts';
import type { Reading, Setting } from '../setting.ts';

/** The nodes of each network. */
export const nodes = {
  POLYGON_RPC_URLS: {
    meaning:
      'JSON-RPC URLs of Polygon nodes, separated by commas. If empty, nothing is paid there. Use three from different providers: two must agree, and one may be down.',
    default: '',
    example: 'https://one.example.com/v2/key,https://two.example.com,https://three.example.com',
    secret: true,
    parse: parseRpcUrls,
  },
  ETHEREUM_RPC_URLS: {
    meaning: 'The same for Ethereum.',
    default: '',
    example: 'https://ethereum.example.com',
    secret: true,
    parse: parseRpcUrls,
  },
  BASE_RPC_URLS: {
    meaning: 'The same for Base.',
    default: '',
    example: 'https://base.example.com',
    secret: true,
    parse: parseRpcUrls,
  },
  NODE_QUORUM: {
    meaning:
      'How many nodes must agree before a payout is completed or failed or a deposit is posted, `network:number`, separated by commas. Default: 2, or 1 if a network has one URL.',
    default: '',
    example: 'polygon:2,base:1',
    parse: parseQuorums,
  },
} satisfies Record<string, Setting>;

export const rpcSettings = {
  polygon: 'POLYGON_RPC_URLS',
  ethereum: 'ETHEREUM_RPC_URLS',
  base: 'BASE_RPC_URLS',
} as const satisfies Record<Network, keyof typeof nodes>;

function parseRpcUrls({ name, text, fault }: Reading): string[] {
  const urls = itemsOf(text);
  if (!urls.every(isHttpUrl)) fault(`${name} must be http:// or https:// addresses, separated by commas.`);
  // One node under one address would be two votes.
  else if (new Set(urls.map((url) => new URL(url).href)).size < urls.length)
    fault(`${name} has one address more than once.`);
  return urls;
}

function parseQuorums(
  reading: Reading,
  rpcUrls: ReadonlyMap<Network, string[]>,
): ReadonlyMap<Network, number> {
  const quorums = parseNetworkPairs<number>(reading, {
    form: 'network:number pairs, each number from 1 to 99',
    parse: (text) => (/^[1-9]\d?$/.test(text) ? Number(text) : undefined),
  });
  for (const [network, quorum] of quorums) {
    const count = rpcUrls.get(network)!.length;
    if (quorum > count)
      reading.fault(
        `NODE_QUORUM asks for ${quorum} nodes of ${network}, and ${rpcSettings[network]} has ${count}: no payout would ever be settled.`,
      );
  }
  return quorums;
}
