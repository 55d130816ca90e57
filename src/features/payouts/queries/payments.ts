import type { Db, Row } from '#platform/db/db';

export interface PayoutLife {
  address: string;
  nonce: bigint;
  state: string;
  minedHash: string | null;
  openedAt: Date;
  settledAt: Date | null;
  attempts: AttemptLife[];
}

export interface AttemptLife {
  hash: string;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  signedAt: Date;
  sentAt: Date | null;
  sends: number;
  lastAnswer: string | null;
}

const attemptColumns = `hash, max_fee_per_gas as "maxFeePerGas", max_priority_fee_per_gas as "maxPriorityFeePerGas",
  signed_at as "signedAt", sent_at as "sentAt", sends, last_answer as "lastAnswer"`;

/** The nonce of a withdrawal and everything that was signed for it; undefined while it has none. */
export async function showPayout(db: Db, withdrawalId: string): Promise<PayoutLife | undefined> {
  const [slot] = await db.query<Omit<PayoutLife, 'attempts'> & { network: string }>(
    `select network, address, nonce, state, mined_hash as "minedHash", opened_at as "openedAt", settled_at as "settledAt"
     from payout_slots where withdrawal_id = $1`,
    [withdrawalId],
  );
  if (!slot) return undefined;
  const attempts = await db.query<AttemptLife & Row>(
    `select ${attemptColumns} from payout_attempts where network = $1 and address = $2 and nonce = $3 and not is_void order by signed_at, hash`,
    [slot.network, slot.address, slot.nonce],
  );
  return { ...slot, attempts };
}

/** A nonce that a withdrawal had before, and what was signed with it. */
export interface FormerPayout {
  address: string;
  nonce: bigint;
  /** Null if the nonce was given to another withdrawal since. */
  voidedAt: Date | null;
  /** The transaction that used the nonce; null if none did, or it is that of another withdrawal. */
  usedBy: string | null;
  attempts: AttemptLife[];
}

/** The nonces that a withdrawal has lost; another withdrawal may have them now. */
export async function showFormerPayouts(db: Db, withdrawalId: string): Promise<FormerPayout[]> {
  const slots = await db.query<Omit<FormerPayout, 'attempts'> & { network: string }>(
    `select network, address, nonce, case when state = 'void' then settled_at end as "voidedAt",
       case when state = 'void' then mined_hash end as "usedBy"
     from payout_slots where void_of = $1 order by opened_at, nonce`,
    [withdrawalId],
  );
  const attempts = await Promise.all(
    slots.map(({ network, address, nonce }) =>
      // A transfer carries the id of its withdrawal: void attempts of another one may have the same nonce.
      db.query<AttemptLife & Row>(
        `select ${attemptColumns} from payout_attempts
         where network = $1 and address = $2 and nonce = $3 and is_void and position(uuid_send($4) in raw) > 0
         order by signed_at, hash`,
        [network, address, nonce, withdrawalId],
      ),
    ),
  );
  return slots.map(({ network: _network, ...slot }, at) => ({ ...slot, attempts: attempts[at]! }));
}

/** The withdrawal that was ever sent under this hash. */
export async function findPaidByHash(db: Db, hash: string): Promise<string | undefined> {
  const [row] = await db.query<{ withdrawalId: string }>(
    `select s.withdrawal_id as "withdrawalId" from payout_attempts a
     join payout_slots s on s.network = a.network and s.address = a.address and s.nonce = a.nonce
     where a.hash = $1 and not a.is_void`,
    [hash],
  );
  return row?.withdrawalId;
}

export interface OwnPayment {
  recipientUserId: string | null;
}

/**
 * Those of the transactions that were signed to pay a withdrawal: to which user settling posts it; null where
 * it is posted to nobody. A hash is stored before its bytes are sent, so none that is on chain is missing.
 */
export async function selectOwnPayments(
  db: Db,
  network: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, OwnPayment>> {
  const rows = await db.query<OwnPayment & { hash: string } & Row>(
    `select a.hash, w.recipient_user_id as "recipientUserId" from payout_attempts a
     join payout_slots s on s.network = a.network and s.address = a.address and s.nonce = a.nonce
     join withdrawals w on w.id = s.withdrawal_id
     where a.network = $1 and a.hash = any($2::text[]) and not a.is_void`,
    [network, hashes],
  );
  return new Map(rows.map(({ hash, ...payment }) => [hash, payment]));
}
