import type { Detail } from '#platform/errors/errors';
import type { WithdrawalRequest } from '../create-withdrawal.ts';

export type BulkItem = Pick<WithdrawalRequest, 'asset' | 'amount' | 'to' | 'externalId'>;

/** An item that could not be read. */
export interface Faulty {
  faults: readonly Detail[];
}
