import { batchLoader } from '#platform/db/batch-loader';
import type { Db } from '#platform/db/db';
import { localPartKey } from '../email.ts';
import { isSpellingOf, mayHaveEmail } from './emails.ts';
import type { Custody } from './wallets.ts';

export interface RecipientRow {
  address: string;
  /** The user whose verified wallet it is, if any. */
  userId: string | null;
  custody: Custody | null;
  isBlocked: boolean;
}

/** A blocked address, or the wallet of a suspended user. */
const isBlocked = (address: string) =>
  `exists (select from blocked_addresses b where b.address = ${address}) or exists (
     select from users s where s.id = w.user_id and s.suspended_at is not null) as "isBlocked"`;

/** The address to pay a user on a network, by verified email or id; or the owner of an address. */
export async function selectRecipient(
  db: Db,
  network: string,
  { email, userId, address }: { email?: string; userId?: string; address?: string },
): Promise<RecipientRow | undefined> {
  if (address !== undefined) return selectOwnerOfAddress(db, { network, address });
  if (email !== undefined) return selectRecipientByEmail(db, network, email);
  const [row] = await db.query<RecipientRow & Record<string, unknown>>(
    `select w.address, w.user_id as "userId", w.custody, ${isBlocked('w.address')}
     from user_wallets w where w.network = $1 and w.user_id = $2`,
    [network, userId],
  );
  return row;
}

/** If several users have verified the email, it names nobody: also where only one of them has a wallet. */
async function selectRecipientByEmail(
  db: Db,
  network: string,
  normal: string,
): Promise<RecipientRow | undefined> {
  const rows = await db.query<RecipientRow & { email: string } & Record<string, unknown>>(
    `select u.email, w.address, w.user_id as "userId", w.custody, ${isBlocked('w.address')}
     from users u left join user_wallets w on w.user_id = u.id and w.network = $3
     where ${mayHaveEmail} and u.email_verified`,
    [normal, localPartKey(normal), network],
  );
  const [only, ...others] = rows.filter(isSpellingOf(normal));
  if (!only?.userId || others.length > 0) return undefined;
  const { email: _email, ...recipient } = only;
  return recipient;
}

/** SQL that finds the owner of `g.address` on `g.network`: the columns of a `RecipientRow` and the join. */
export const ownerOfAddress = {
  columns: `g.address, w.user_id as "userId", w.custody, ${isBlocked('g.address')}`,
  join: 'left join user_wallets w on w.network = g.network and w.address = g.address',
};

/** The arrays are in subselects: if the planner sees their length, it makes a new plan for each call. */
const selectOwnerOfAddress = batchLoader(
  (db: Db, asked: { network: string; address: string }[]): Promise<RecipientRow[]> =>
    db.query<RecipientRow & Record<string, unknown>>(
      `select ${ownerOfAddress.columns}
       from unnest((select $1::text[]), (select $2::text[])) with ordinality as g (network, address, place)
       ${ownerOfAddress.join} order by g.place`,
      [asked.map(({ network }) => network), asked.map(({ address }) => address)],
    ),
);
