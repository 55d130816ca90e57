import { type EventFamily, type EventRecord, placeObjects } from '#features/events';
import { selectAsRecorded } from './queries/withdrawals.ts';
import { paidExample } from './reference.ts';
import { presentWithdrawal, withdrawalEntry } from './wire.ts';

const moved = { hasPreviousStatus: true } as const;

/** The database records them, in triggers: payouts, operators and recovery all move withdrawals. */
export const withdrawalEvents: EventFamily = {
  audience: ['partner'],
  types: [
    { type: 'withdrawal.queued', words: 'A withdrawal was created' },
    {
      type: 'withdrawal.pending',
      words: 'Its amount is held; or its transaction was proven void, and it is paid again',
      ...moved,
    },
    { type: 'withdrawal.approval_requested', words: 'It waits until people approve it' },
    { type: 'withdrawal.processing', words: 'Its transaction is signed', ...moved },
    { type: 'withdrawal.completed', words: 'It is paid, and final on chain', ...moved },
    { type: 'withdrawal.failed', words: 'It is not paid; `errorMessage` says why', ...moved },
  ],
  object: withdrawalEntry,
  example: paidExample,
  async present({ db }, records) {
    const recorded = records.map((record) => ({
      id: record.resource.slice('withdrawal:'.length),
      facts: record.type === 'withdrawal.queued' ? factsAtFirst(record) : record.facts,
    }));
    return placeObjects(records, await selectAsRecorded(db, recorded), presentWithdrawal);
  },
};

/** What every creation would have to record. */
const factsAtFirst = ({ recordedAt }: EventRecord) => ({
  status: 'queued',
  transfer_status: null,
  transaction_hash: null,
  error_message: null,
  updated_at: recordedAt,
});
