import type { Ctx } from '#context';
import type { EventFamily, EventRecord } from '#features/events';
import { presentPageLine } from './lines/present-line.ts';
import { selectRecordedLines } from './lines/queries.ts';
import { lineExample } from './reference.ts';
import { ledgerNode, toNode } from './wire.ts';

/**
 * The lines of these records, with the balance that they have now. A record names its line, or the transfer
 * on chain that it is about.
 */
export async function presentRecordedLines(
  { db, evm }: Pick<Ctx, 'db' | 'evm'>,
  records: readonly EventRecord[],
): Promise<(object | null)[]> {
  const wanted = records.map(({ userId, facts }) => ({ user_id: userId, ...facts }));
  const lines = new Map<number, object>();
  for (const { place, ...row } of await selectRecordedLines(db, wanted)) {
    lines.set(Number(place), toNode(presentPageLine(evm, row)));
  }
  return records.map((_record, at) => lines.get(at + 1) ?? null);
}

/** The database records them, in a trigger. */
export const ledgerEvents: EventFamily = {
  audience: ['partner'],
  types: [{ type: 'ledger.line_posted', words: 'A line was added to the ledger of a user' }],
  object: ledgerNode,
  example: lineExample,
  present: presentRecordedLines,
};
