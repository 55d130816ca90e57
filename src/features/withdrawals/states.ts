export const statuses = ['queued', 'pending', 'processing', 'completed', 'failed'] as const;

export type Status = (typeof statuses)[number];

/**
 * The legal moves, forward only: `pending` holds the funds, `processing` is signed and stored. The database refuses the others,
 * and lets `processing` end only with a transaction that is final on chain. One exception: after an accident, a withdrawal whose nonce
 * is proven void goes back from `processing` to `pending`.
 */
export const moves: Record<Status, readonly Status[]> = {
  queued: ['pending', 'failed'],
  pending: ['processing', 'failed'],
  processing: ['completed', 'failed'],
  completed: [],
  failed: [],
};

export const isFinal = (status: Status) => moves[status].length === 0;
