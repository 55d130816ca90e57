/** A network in the answer of `nodes.show`. */
export interface ShownNetwork {
  network: string;
  quorum: number;
  agreeing: number;
  finality: string;
  nodes: ShownNode[];
  payouts: ShownPayout[];
  deposits: { block: number; trouble: string | null } | null;
}

export interface ShownNode {
  node: number;
  state: string;
  head: ShownBlock | null;
  blocksBehind: number | null;
  final: ShownBlock | null;
  faults: string[];
}

export interface ShownBlock {
  number: number;
  hash: string;
  at: string;
}

/** The first payout of a wallet that is not settled. */
export interface ShownPayout {
  wallet: string;
  nonce: number;
  withdrawalId: string;
  signedAt: string;
  isContradicted: boolean;
  answers: { node: number; outcome: string; block: number | null; transactionCount: number }[];
}

/** The section of the page with the wallets. */
export const nodesAddress = (network: string) => `/console/wallets#nodes-${encodeURIComponent(network)}`;
