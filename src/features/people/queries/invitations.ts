import type { Db, Row } from '#platform/db/db';
import { type PersonRow, personColumns } from './people.ts';

export interface InvitationRow {
  secretSha256: Buffer;
  personId: string;
  createdAt: Date;
  expiresAt: Date;
}

export type OpenedInvitation = PersonRow & { expiresAt: Date; usedAt: Date | null; voidedAt: Date | null };

export async function insertInvitation(db: Db, invitation: InvitationRow): Promise<void> {
  await db.query(
    `insert into person_invitations (secret_sha256, person_id, created_at, expires_at) values ($1, $2, $3, $4)`,
    [invitation.secretSha256, invitation.personId, invitation.createdAt, invitation.expiresAt],
  );
}

const opened = `select ${personColumns}, i.expires_at as "expiresAt", i.used_at as "usedAt", i.voided_at as "voidedAt"
  from person_invitations i join people p on p.id = i.person_id where i.secret_sha256 = $1`;

/** With the person that it is for. */
export async function selectInvitation(db: Db, secretSha256: Buffer): Promise<OpenedInvitation | undefined> {
  const [row] = await db.query<OpenedInvitation & Row>(opened, [secretSha256]);
  return row;
}

/** Locks the person, as every change of a person does. A second request with the link finds it used. */
export async function lockInvitation(db: Db, secretSha256: Buffer): Promise<OpenedInvitation | undefined> {
  await db.query(
    `select 1 from people where id = (select person_id from person_invitations where secret_sha256 = $1)
     for update`,
    [secretSha256],
  );
  return selectInvitation(db, secretSha256);
}

export async function markInvitationUsed(db: Db, secretSha256: Buffer, usedAt: Date): Promise<void> {
  await db.query('update person_invitations set used_at = $2 where secret_sha256 = $1', [
    secretSha256,
    usedAt,
  ]);
}

export async function voidInvitations(db: Db, personId: string, voidedAt: Date): Promise<void> {
  await db.query(
    `update person_invitations set voided_at = $2
     where person_id = $1 and used_at is null and voided_at is null`,
    [personId, voidedAt],
  );
}

/** When the open invitation of a person ends; undefined if there is no open one. */
export async function selectOpenInvitation(db: Db, personId: string, now: Date): Promise<Date | undefined> {
  const [row] = await db.query<{ expiresAt: Date }>(
    `select max(expires_at) as "expiresAt" from person_invitations
     where person_id = $1 and used_at is null and voided_at is null and expires_at > $2`,
    [personId, now],
  );
  return row?.expiresAt ?? undefined;
}
