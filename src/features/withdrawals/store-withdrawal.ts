import { shareCommits } from '#platform/db/share-commits';
import { insertWithdrawals, type NewWithdrawal } from './queries/creations.ts';

/**
 * Stores a withdrawal, committed on return, and resolves to its bulk id. Those of one partner that arrive
 * together share a statement and a commit: the disk is waited for once, and so are the counters of its
 * limits. Not across partners, so that one whose requests are refused slows down only itself.
 */
export const storeWithdrawal = shareCommits(insertWithdrawals, ({ partnerId }: NewWithdrawal) => partnerId);
