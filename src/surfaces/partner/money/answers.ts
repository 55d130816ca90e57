/** Answers of the API, as far as these pages read them. */
export interface Withdrawal {
  id: string;
  bulkId: string;
  userId: string;
  status: string;
  amountToPayToken: string;
  outCurrencyIsoCode: string;
  network: string;
  toAddress: string;
  externalId: string | null;
  transactionHash: string | null;
  errorMessage: string | null;
  needsApproval: boolean;
  requestedBy: string;
  createdAt: string;
  updatedAt: string;
}

export interface Life extends Withdrawal {
  requestedByName: string | null;
  states: { status: string; at: string }[];
}

export interface Total {
  currency: string;
  network: string;
  amount: string;
}

export interface Summary {
  waiting: number;
  needApproval: number;
  completed: number;
  failed: number;
  paid: Total[];
}

export interface Bulk {
  bulkId: string;
  userId: string;
  requestedBy: string;
  requestedByName: string | null;
  createdAt: string;
  count: number;
  byStatus: Record<string, number>;
  needApproval: number;
  totals: Total[];
}

export interface Limit {
  rule: string;
  beyond: string;
  currency: string;
  network: string | null;
  window: string;
  limit: string;
  used: string | null;
  remaining: string | null;
  growsAt: string | null;
}

export interface Preview {
  id: string;
  userId: string;
  rows: {
    row: number;
    to: string;
    amount: string;
    currency: string;
    network: string;
    externalId: string | null;
  }[];
  faults: { row: number; field: string; message: string }[];
  totals: (Total & { count: number; available: string })[];
  verdicts: { needApproval: number | null; denied: { row: number; message: string }[] } | null;
  paid: { bulkId: string; createdAt: string }[];
  repeats: { row: number; likeRow: number | null; like: { id: string; createdAt: string } | null }[];
}
