import type { Ctx } from '#context';
import { type EventFamily, type EventRecord, placeObjects } from '#features/events';
import { presentPageLine } from './lines/present-line.ts';
import { selectRecordedLines } from './lines/queries/lookups.ts';
import { lineExample } from './reference.ts';
import { ledgerNode, toNode } from './wire.ts';

/**
 * The lines of these records, with the balance that they have now. A record names its line, or the transfer
 * on chain that it is about.
 */
const selectLines = (db: Ctx['db'], records: readonly EventRecord[]) =>
  selectRecordedLines(
    db,
    records.map(({ userId, facts }) => ({ user_id: userId, ...facts })),
  );

type Presenter = NonNullable<EventFamily['present']>;

const presentLines: Presenter = async ({ db, evm }, records) =>
  placeObjects(records, await selectLines(db, records), (row) => toNode(presentPageLine(evm, row)));

/** A transfer that another posting had credited already has no line. */
export const presentDepositLines: Presenter = async ({ db, evm }, records) => {
  const rows = await selectLines(db, records);
  const byPlace = new Map(rows.map((row) => [Number(row.place), toNode(presentPageLine(evm, row))]));
  return records.map((_record, at) => byPlace.get(at + 1) ?? null);
};

/** The database records them, in a trigger. */
export const ledgerEvents: EventFamily = {
  audience: ['partner'],
  types: [{ type: 'ledger.line_posted', words: 'A line was added to the ledger of a user' }],
  object: ledgerNode,
  example: lineExample,
  present: presentLines,
};
