import type { Db, Row } from '#platform/db/db';
import { type PersonRow, personColumns } from './people.ts';

export interface SessionRow {
  id: string;
  createdAt: Date;
  lastSeenAt: Date;
  assertedAt: Date;
  expiresAt: Date;
}

const columns = `s.id as "sessionId", s.created_at as "sessionCreatedAt", s.last_seen_at as "lastSeenAt",
  s.asserted_at as "assertedAt", s.expires_at as "expiresAt"`;

export async function insertSession(
  db: Db,
  session: { secretSha256: Buffer; personId: string; createdAt: Date; assertedAt: Date; expiresAt: Date },
): Promise<void> {
  await db.query(
    `insert into person_sessions (secret_sha256, person_id, created_at, last_seen_at, asserted_at, expires_at)
     values ($1, $2, $3, $3, $4, $5)`,
    [session.secretSha256, session.personId, session.createdAt, session.assertedAt, session.expiresAt],
  );
}

export interface FoundSession {
  session: SessionRow;
  person: PersonRow;
}

type Joined = PersonRow & {
  sessionId: string;
  sessionCreatedAt: Date;
  lastSeenAt: Date;
  assertedAt: Date;
  expiresAt: Date;
};

/**
 * Never cached: role, removal and end of the session hold from the next request on, in every process. So do
 * the suspension of a partner and the end of an integration, for their staff.
 */
export async function selectSession(
  db: Db,
  secretSha256: Buffer,
  { now, seenAfter }: { now: Date; seenAfter: Date },
): Promise<FoundSession | undefined> {
  const [row] = await db.query<Joined & Row>(
    `select ${personColumns}, ${columns} from person_sessions s join people p on p.id = s.person_id
       left join partners on partners.id = p.partner_id
       left join integrations on integrations.id = p.integration_id
     where s.secret_sha256 = $1 and s.ended_at is null and s.expires_at > $2 and s.last_seen_at > $3
       and p.removed_at is null and partners.suspended_at is null and integrations.revoked_at is null`,
    [secretSha256, now, seenAfter],
  );
  if (!row) return undefined;
  const { sessionId, sessionCreatedAt, lastSeenAt, assertedAt, expiresAt, ...person } = row;
  return {
    session: { id: sessionId, createdAt: sessionCreatedAt, lastSeenAt, assertedAt, expiresAt },
    person,
  };
}

export async function touchSession(db: Db, secretSha256: Buffer, seenAt: Date): Promise<void> {
  await db.query('update person_sessions set last_seen_at = $2 where secret_sha256 = $1', [
    secretSha256,
    seenAt,
  ]);
}

export async function markAsserted(db: Db, secretSha256: Buffer, assertedAt: Date): Promise<void> {
  await db.query('update person_sessions set asserted_at = $2 where secret_sha256 = $1', [
    secretSha256,
    assertedAt,
  ]);
}

/** False if it was over already. */
export async function endSessionRow(db: Db, secretSha256: Buffer, endedAt: Date): Promise<boolean> {
  const rows = await db.query(
    `update person_sessions set ended_at = $2
     where secret_sha256 = $1 and ended_at is null and expires_at > $2 returning 1`,
    [secretSha256, endedAt],
  );
  return rows.length > 0;
}

/** Returns how many were open. `exceptSha256` stays. */
export async function endSessionsOf(
  db: Db,
  personId: string,
  endedAt: Date,
  exceptSha256?: Buffer,
): Promise<number> {
  const rows = await db.query(
    `update person_sessions set ended_at = $2
     where person_id = $1 and ended_at is null and expires_at > $2
       and ($3::bytea is null or secret_sha256 <> $3) returning 1`,
    [personId, endedAt, exceptSha256 ?? null],
  );
  return rows.length;
}

/** Those that are open, newest first. */
export async function selectSessionsOf(
  db: Db,
  personId: string,
  { now, seenAfter }: { now: Date; seenAfter: Date },
): Promise<SessionRow[]> {
  return db.query<SessionRow & Row>(
    `select s.id, s.created_at as "createdAt", s.last_seen_at as "lastSeenAt", s.asserted_at as "assertedAt",
       s.expires_at as "expiresAt"
     from person_sessions s
     where s.person_id = $1 and s.ended_at is null and s.expires_at > $2 and s.last_seen_at > $3
     order by s.created_at desc limit 100`,
    [personId, now, seenAfter],
  );
}

/** What is over, at most `limit` rows of each table; returns how many were deleted. */
export async function deleteEnded(
  db: Db,
  before: { sessions: Date; challenges: Date; invitations: Date },
  limit: number,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `with sessions as (
       delete from person_sessions where secret_sha256 in
         (select secret_sha256 from person_sessions where expires_at < $1 order by expires_at limit $4 for update skip locked)
       returning 1
     ), challenges as (
       delete from person_challenges where challenge_sha256 in
         (select challenge_sha256 from person_challenges where expires_at < $2 order by expires_at limit $4 for update skip locked)
       returning 1
     ), invitations as (
       delete from person_invitations where secret_sha256 in
         (select secret_sha256 from person_invitations where expires_at < $3 limit $4 for update skip locked)
       returning 1
     )
     select ((select count(*) from sessions) + (select count(*) from challenges)
       + (select count(*) from invitations))::integer as count`,
    [before.sessions, before.challenges, before.invitations, limit],
  );
  return row!.count;
}
