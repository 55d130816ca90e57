export const statuses = ['queued', 'pending', 'processing', 'completed', 'failed'] as const;

export type Status = (typeof statuses)[number];

/**
 * The legal moves: `pending` holds the funds, `processing` is signed and stored. The database refuses the
 * others (`withdrawals_guard_move`), and lets `processing` end only with a transaction that is final on
 * chain. The only move back, from `processing` to `pending`, needs a nonce that is proven void.
 */
export const moves: Record<Status, readonly Status[]> = {
  queued: ['pending', 'failed'],
  pending: ['processing', 'failed'],
  processing: ['completed', 'failed', 'pending'],
  completed: [],
  failed: [],
};

export const isFinal = (status: Status) => moves[status].length === 0;
