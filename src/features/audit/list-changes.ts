import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  nameList,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { readPeriod } from '#platform/values/instant';
import { type AuditRow, type AuditSearch, selectAuditRows } from './queries.ts';

export interface ListChanges extends CursorInput {
  actor?: string;
  action?: string;
  subject?: string;
  startDate?: string;
  endDate?: string;
}

/** Rows that are not in the chain because another table is their record, newest first. */
export interface RecordedElsewhere {
  action: string;
  list(ctx: Ctx, search: AuditSearch): Promise<AuditRow[]>;
  /** By the id of the record. */
  find(ctx: Ctx, id: string): Promise<AuditRow | undefined>;
}

/** The audit log, newest first. */
export async function listChanges(
  ctx: Ctx,
  { limit = 50, cursor, startDate, endDate, ...plain }: ListChanges,
  elsewhere?: RecordedElsewhere,
): Promise<CursorPage<AuditRow>> {
  const filters = { ...plain, ...readPeriod(['startDate', startDate], ['endDate', endDate]) };
  const name = nameList('audit.list', filters);
  const from = readPlace(decodeCursor(name, cursor, placeForm));
  const { actor, action, subject } = filters;
  // Without one of these filters, requests of partners would bury what operators did.
  const areNamed = action === undefined ? (actor ?? subject) !== undefined : action === elsewhere?.action;
  const search = { ...filters, limit: limit + 1 };
  const [chain, others] = await Promise.all([
    selectAuditRows(ctx.db, { ...search, before: from?.chain }),
    areNamed && elsewhere ? elsewhere.list(ctx, { ...search, before: from?.others }) : [],
  ]);
  const start = from ?? {
    chain: aboveNumber(chain[0]),
    others: areNamed ? aboveUuid(others[0]) : undefined,
  };
  const { items, nextCursor } = toCursorPage(name, merge(chain, others, start), limit, placeText);
  return { items: items.map(({ row }) => row), nextCursor };
}

/** How far each of the two lists was read: what follows is below. */
interface Place {
  chain: string;
  others: string | undefined;
}

const placeForm = /^\d{1,18}(?:\/[0-9a-f]{32})?$/;

function readPlace(text: string | undefined): Place | undefined {
  if (text === undefined) return undefined;
  const [chain = '', others] = text.split('/');
  return { chain, others };
}

const placeText = ({ place: { chain, others } }: { place: Place }) =>
  others === undefined ? chain : `${chain}/${others.replaceAll('-', '')}`;

/**
 * By time, each list in its own order, and what the page ends with says how far each was read: so no row
 * comes twice, and none that was committed before the first page is missed, however clocks differ. A row
 * takes its number before its commit, so that later pages, or a list read again, may show it below rows that
 * were listed before. To hide rows above an open change would hide from operators what they just did.
 */
function merge(chain: readonly AuditRow[], others: readonly AuditRow[], start: Place) {
  const placed: { row: AuditRow; place: Place }[] = [];
  let place = start;
  let [nextOfChain, nextOfOthers] = [0, 0];
  for (;;) {
    const [mine, other] = [chain[nextOfChain], others[nextOfOthers]];
    const row = !other || (mine && mine.at >= other.at) ? mine : other;
    if (!row) return placed;
    if (row === mine) nextOfChain++;
    else nextOfOthers++;
    place = row === mine ? { ...place, chain: row.id } : { ...place, others: row.id };
    placed.push({ row, place });
  }
}

/** The place before the newest row, so that rows with higher numbers are not on the second page. */
const aboveNumber = (newest: AuditRow | undefined) => String(BigInt(newest?.id ?? 0) + 1n);

const aboveUuid = (newest: AuditRow | undefined) =>
  newest
    ? (BigInt(`0x${newest.id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0')
    : '0'.repeat(32);
