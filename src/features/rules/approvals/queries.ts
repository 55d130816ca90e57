import type { Db, Row } from '#platform/db/db';
import type { Payout } from './canonical-payout.ts';

/** People of a role who must approve. */
export interface Need {
  rule: string;
  count: number;
  role: string;
}

export interface ApprovedPayout extends Payout {
  ruling: string | null;
  needs: Need[];
  approvers: Approver[];
}

export interface Approver {
  personId: string;
  roles: string[];
  credentialId: string;
  publicKey: string;
  clientData: string;
  authenticatorData: string;
  signature: string;
}

/** What is paid, read from the withdrawal itself, with the approvals that count now; bytes in base64. */
export async function selectApproved(db: Db, ids: readonly string[]): Promise<ApprovedPayout[]> {
  return db.query<ApprovedPayout & Row>(
    `select w.id, w.network, w.token_address as "tokenAddress", w.to_address as "toAddress", w.amount, r.ruling, r.revision,
       coalesce(r.needs, '[]') as needs,
       (select coalesce(jsonb_agg(jsonb_build_object('personId', a.person_id, 'roles', a.roles,
          'credentialId', encode(a.credential_id, 'base64'), 'publicKey', encode(a.public_key, 'base64'),
          'clientData', encode(a.client_data, 'base64'), 'authenticatorData', encode(a.authenticator_data, 'base64'),
          'signature', encode(a.signature, 'base64'))), '[]') from rules_approvers(w.id, r.revision) a) as approvers
     from withdrawals w cross join lateral rules_ruling(w.id) r where w.id = any($1::uuid[])`,
    [ids],
  );
}

export interface NewApproval {
  withdrawalId: string;
  revision: number;
  personId: string;
  decision: 'approve' | 'refuse';
  comment: string | null;
  credentialId: Buffer;
  clientData: Buffer;
  authenticatorData: Buffer;
  signature: Buffer;
  now: Date;
}

/** False if this person decided already, by a passkey that they still have. */
export async function insertApproval(db: Db, approval: NewApproval): Promise<boolean> {
  const rows = await db.query(
    `insert into rule_approvals (withdrawal_id, revision, person_id, decision, comment, credential_id, client_data,
       authenticator_data, signature, decided_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (withdrawal_id, revision, person_id) do update set decision = excluded.decision, comment = excluded.comment,
       credential_id = excluded.credential_id, client_data = excluded.client_data,
       authenticator_data = excluded.authenticator_data, signature = excluded.signature, decided_at = excluded.decided_at
       where not exists (select from person_passkeys k where k.credential_id = rule_approvals.credential_id)
     returning 1`,
    [
      approval.withdrawalId,
      approval.revision,
      approval.personId,
      approval.decision,
      approval.comment,
      approval.credentialId,
      approval.clientData,
      approval.authenticatorData,
      approval.signature,
      approval.now,
    ],
  );
  return rows.length > 0;
}

export interface Decision {
  personId: string;
  name: string;
  decision: 'approve' | 'refuse';
  comment: string | null;
  revision: number;
  decidedAt: Date;
}

/** What people decided about a payment, in order. */
export async function selectDecisions(db: Db, withdrawalId: string): Promise<Decision[]> {
  return db.query<Decision & Row>(
    `select a.person_id as "personId", p.name, a.decision, a.comment, a.revision, a.decided_at as "decidedAt"
     from rule_approvals a join people p on p.id = a.person_id where a.withdrawal_id = $1 order by a.decided_at`,
    [withdrawalId],
  );
}

/** The same of several payments. */
export async function selectDecisionsOfEach(
  db: Db,
  withdrawalIds: readonly string[],
): Promise<(Decision & { withdrawalId: string })[]> {
  return db.query<Decision & { withdrawalId: string } & Row>(
    `select a.withdrawal_id as "withdrawalId", a.person_id as "personId", p.name, a.decision, a.comment, a.revision,
       a.decided_at as "decidedAt"
     from rule_approvals a join people p on p.id = a.person_id where a.withdrawal_id = any($1::uuid[]) order by a.decided_at`,
    [withdrawalIds],
  );
}

/** The approvals that rules asked for when the withdrawal was created. */
export async function selectNeeds(db: Db, withdrawalId: string): Promise<Need[]> {
  const [row] = await db.query<{ needs: Need[] }>(
    'select needs from rule_verdicts where withdrawal_id = $1',
    [withdrawalId],
  );
  return row?.needs ?? [];
}
