/** A row of `deposits.list`. */
export interface Deposit {
  network: string;
  transactionHash: string;
  logIndex: number;
  blockNumber: number;
  confirmations: number;
  userId: string;
  wallet: string;
  currency: string;
  amount: string;
  creditedBy: string;
  at: string | null;
  postedAt: string | null;
  postingId: string | null;
  lineNumber: number | null;
  lineKey: string | null;
  description: string | null;
}

/** How far a network is read, by the figures of `/metrics`. */
export interface WatchedNetwork {
  network: string;
  block: number;
  ageSeconds: number | undefined;
  isHalted: boolean;
}
