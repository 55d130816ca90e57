import type { Ctx } from '#context';
import { type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import { selectSets } from './queries/sets.ts';
import { presentSet, type RuleSetView } from './wire.ts';

/** Drafts and published sets, newest first. */
export const listRules = ({ db }: Ctx, input: CursorInput): Promise<CursorPage<RuleSetView>> =>
  readCursorPage(
    { name: 'rules.list', keyForm: /^[1-9][0-9]{0,8}$/, keyOf: ({ revision }) => String(revision) },
    input,
    async ({ after, limit }) =>
      (await selectSets(db, { before: after === undefined ? undefined : Number(after), limit })).map(
        presentSet,
      ),
  );
