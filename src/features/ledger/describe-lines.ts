import type { Ctx, KeyActor } from '#context';
import type { Filter, Sorting } from './find/filter.ts';
import { findLineFacts } from './find/find-line-facts.ts';
import type { FoundLine } from './find/find-lines.ts';
import { type Group, groupLegs } from './find/group-legs.ts';
import { presentTransaction, type ToolTransaction } from './tools-wire.ts';

interface Description {
  includeIds: boolean;
  /** The filter that found the lines, if bridges are to be in one row. */
  group?: Filter & { sort: Sorting };
}

/** With who is on the other side, and bridges in one row if the caller wants that. */
export async function describeLines(
  ctx: Ctx<KeyActor>,
  lines: readonly FoundLine[],
  { includeIds, group }: Description,
): Promise<ToolTransaction[]> {
  const { userId } = ctx.actor;
  const known = await findLineFacts(ctx, userId, lines);
  const groups: Group[] = group
    ? await groupLegs(ctx, lines, { userId, ...group })
    : lines.map((line) => ({ line }));
  return groups.map(({ line, networkSent }) => ({
    ...presentTransaction(line, { includeIds, known: known.get(line.number) }),
    ...(networkSent !== undefined && { kind: 'bridge' as const, networkSent }),
  }));
}
