import type { Ctx, KeyActor } from '#context';
import type { ResourceKind } from '#platform/commands/resource';
import { parseInstant } from '#platform/values/instant';
import { listMonths } from './list-months.ts';
import { monthLinesMax, readMonth } from './read-month.ts';

const uriOf = (month: string) => `causeway://statements/${month}.csv`;
const uriForm = /^causeway:\/\/statements\/(\d{4}-\d{2})\.csv$/;

/** What hosts can attach: statements of the user that owns the key. */
export const statementResources: ResourceKind<Ctx<KeyActor>>[] = [
  {
    name: 'statement',
    title: 'Account statement of a month',
    description: `Settled transactions of a month, such as 2026-10, newest first; at most ${monthLinesMax} lines.`,
    uriTemplate: uriOf('{month}'),
    mimeType: 'text/csv',
    list: async (ctx) => {
      const months = await listMonths(ctx, ctx.actor);
      return months.map((month) => ({
        uri: uriOf(month),
        name: `statement-${month}.csv`,
        title: `Account statement ${month}`,
      }));
    },
    read: async (ctx, uri) => {
      const month = uriForm.exec(uri)?.[1];
      if (month === undefined || !parseInstant(month, 'start')) return undefined;
      return readMonth(ctx, { userId: ctx.actor.userId, month });
    },
  },
];
