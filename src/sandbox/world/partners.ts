import type { Ctx } from '#context';
import { allowUser, createPartner, partnerExists } from '#features/partners';
import { demoUsers } from './people.ts';

export const partnerIds = {
  main: '0198a0de-0000-7000-8000-0000000000aa',
  other: '0198a0de-0000-7000-8000-0000000000bb',
} as const;

const terms = {
  main: { name: 'Demo Partner', users: ['owner', 'friend', 'blocked', 'business'] },
  other: { name: 'Brisa Pagamentos', users: ['owner', 'friend'] },
} as const satisfies Record<keyof typeof partnerIds, { name: string; users: (keyof typeof demoUsers)[] }>;

/** What exists is left as it is. */
export async function createPartners(ctx: Ctx): Promise<void> {
  for (const [name, id] of Object.entries(partnerIds) as [keyof typeof terms, string][]) {
    if (await partnerExists(ctx.db, id)) continue;
    await createPartner(ctx, { id, name: terms[name].name });
    for (const user of terms[name].users) {
      await allowUser(ctx, { partnerId: id, userId: demoUsers[user].id });
    }
  }
}
