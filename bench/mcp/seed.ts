import type { Pool } from '#platform/db/db';
import { createToken } from '../../src/features/keys/token.ts';

const cardsEach = 4;

/** In one order: the token of a user's key, its id, the user. */
interface CardUsers {
  tokens: string[];
  keyIds: string[];
  userIds: string[];
}

/** Users with an account, cards and a key each. */
export async function seedCardUsers(db: Pool, users: number): Promise<CardUsers> {
  const keys = Array.from({ length: users }, () => createToken());
  const [partner] = await db.query<{ id: string }>(
    "insert into partners (name, created_at) values ('Bench', now()) returning id",
  );
  const people = await db.query<{ id: string }>(
    `insert into users (email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
     select 'bench-' || n || '@example.com', true, 'B', 'B', 'individual', now(), now() from generate_series(1, ${users}) n
     returning id`,
  );
  const userIds = people.map(({ id }) => id);
  await db.query(
    `insert into api_keys (id, secret_sha256, name, partner_id, user_id, scopes, ip_allowlist, created_at)
     select k.id, k.secret, 'bench', $1, k.user_id, '{mcp}', '{}', now()
     from unnest($2::text[], $3::bytea[], $4::uuid[]) as k (id, secret, user_id)`,
    [partner!.id, keys.map(({ id }) => id), keys.map(({ secretSha256 }) => secretSha256), userIds],
  );
  await db.query(
    `insert into card_issuer_users (id, user_id, collateral_address, created_at)
     select 'account-' || id, id, '0x' || md5(id::text) || '00000000', now() from unnest($1::uuid[]) id`,
    [userIds],
  );
  await db.query(
    `insert into cards (id, card_issuer_user_id, user_id, version, name, nickname, last_four_digits, status, spending_limit,
       spending_interval, created_at, updated_at)
     select 'card-' || n || '-' || a.user_id, a.id, a.user_id, 1, 'B B', 'Card ' || n, '4242', 'active', 100000,
       'monthly', a.created_at, a.created_at
     from card_issuer_users a, generate_series(1, ${cardsEach}) n`,
  );
  for (const table of ['users', 'api_keys', 'card_issuer_users', 'cards'])
    await db.query(`vacuum analyze ${table}`);
  return { tokens: keys.map(({ text }) => text), keyIds: keys.map(({ id }) => id), userIds };
}
