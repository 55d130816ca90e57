import { checkEmails } from '#features/users';
import { type Check, count, list, ok, problem, warning } from '../outcome.ts';

const partUsers = 1_000;
/** The oldest users: they may have emails of older releases. Comparing them takes about a second. */
const usersReadMax = 50_000;

/** Emails that releases before emails were normalized stored in other spellings. */
export const emailCheck: Check = {
  name: 'user emails',
  run: async (ctx) => {
    const items: Awaited<ReturnType<typeof checkEmails>>['items'] = [];
    let cursor: string | null | undefined;
    for (let read = 0; read < usersReadMax && cursor !== null; read += partUsers) {
      const part = await checkEmails(ctx, { limit: partUsers, cursor });
      items.push(...part.items);
      cursor = part.nextCursor;
    }
    const shared = items.filter(({ fault }) => fault === 'shared');
    if (shared.length > 0)
      return problem(
        `${count(shared.length, 'user')} with an email that is shared: ${list(shared.map(({ userId }) => userId))}`,
        'Run causeway users check-emails, and give all but one of those who share an email another one.',
      );
    if (items.length > 0)
      return warning(
        `${count(items.length, 'email')} of an older release: ${list(items.map(({ userId }) => userId))}`,
        'Run causeway users normalize-emails.',
      );
    if (cursor === null) return ok('Each is in its normal form');
    return ok(
      `Those of the ${count(usersReadMax, 'oldest user')} are in their normal form; causeway users check-emails reads all`,
    );
  },
};
