import { type EventFamily, type EventRecord, placeObjects } from '#features/events';
import { selectCardsAsRecorded, selectTransactionsAsRecorded } from './queries/recorded.ts';
import { refillExample, summaryExample, transactionsExample } from './reference.ts';
import { type RefillRow, selectRecordedRefills } from './refills/index.ts';
import { presentRefill, toolRefill } from './tools-wire.ts';
import { cardSnapshot, cardTransaction, presentCard, presentTransaction } from './wire.ts';

const moved = { hasPreviousStatus: true } as const;

const idOf = ({ resource }: EventRecord) => resource.slice(resource.indexOf(':') + 1);
const recorded = (records: readonly EventRecord[]) =>
  records.map((record) => ({ id: idOf(record), facts: record.facts }));

/** The database records all of them, in triggers: events and answers of the issuer write the same rows. */
export const cardEvents: readonly EventFamily[] = [
  {
    audience: ['partner'],
    types: [
      { type: 'card.created', words: 'A user has a new card' },
      {
        type: 'card.updated',
        words: 'Name, status or limit of a card changed; `previousStatus` is present if the status did',
        ...moved,
      },
    ],
    object: cardSnapshot,
    example: summaryExample.userCardsSnapshot[0]!,
    present: async ({ db }, records) =>
      placeObjects(records, await selectCardsAsRecorded(db, recorded(records)), presentCard),
  },
  {
    audience: ['partner'],
    types: [
      { type: 'card_transaction.authorized', words: 'A payment by card was authorized' },
      { type: 'card_transaction.settled', words: 'A payment by card was booked', ...moved },
      { type: 'card_transaction.declined', words: '`declineReason` says why', ...moved },
      { type: 'card_transaction.reversed', words: 'An authorized payment was released', ...moved },
      { type: 'card_transaction.refunded', words: 'A refund was booked', ...moved },
    ],
    object: cardTransaction,
    example: transactionsExample.userCardTransactions[0]!,
    present: async ({ db }, records) =>
      placeObjects(records, await selectTransactionsAsRecorded(db, recorded(records)), presentTransaction),
  },
  {
    audience: ['partner'],
    types: [
      { type: 'card_refill.completed', words: 'A refill of card collateral was paid', ...moved },
      { type: 'card_refill.failed', words: '`failureReason` says why', ...moved },
    ],
    object: toolRefill,
    example: refillExample,
    present: async ({ db }, records) =>
      placeObjects(
        records,
        await selectRecordedRefills(db, records.map(idOf)),
        ({ amount, ...refill }: RefillRow) => presentRefill({ ...refill, amountMinor: amount }),
      ),
  },
];
