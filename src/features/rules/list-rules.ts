import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { selectSets } from './queries/sets.ts';
import { presentSet, type RuleSetView } from './wire.ts';

/** Drafts and published sets, newest first. */
export async function listRules(
  { db }: Ctx,
  { cursor, limit = 50 }: CursorInput,
): Promise<CursorPage<RuleSetView>> {
  const before = decodeCursor('rules.list', cursor, /^[1-9][0-9]{0,8}$/);
  const rows = await selectSets(db, {
    before: before === undefined ? undefined : Number(before),
    limit: limit + 1,
  });
  return toCursorPage('rules.list', rows.map(presentSet), limit, ({ revision }) => String(revision));
}
