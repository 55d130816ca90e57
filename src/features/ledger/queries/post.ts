import type { Db } from '#platform/db/db';
import { writeInstant } from '#platform/values/write-instant';
import type { NewLine, OnChain, Posting } from '../lines/line.ts';
import { type Asset, assetColumns } from './accounts.ts';

/** A user's asset, by its place among those of the call. */
export interface OwnerCall {
  userId: string;
  asset: number;
}

/** The parts of a call of `ledger_post`, in `database/functions/ledger/`. */
interface LedgerPostCall {
  postedAt: Date;
  users: readonly string[];
  assets: readonly Asset[];
  owners: readonly OwnerCall[];
  /** By owner; empty where nothing was held. */
  spent: readonly bigint[];
  postings: readonly object[];
  lines: readonly object[];
}

export async function callLedgerPost(db: Db, call: LedgerPostCall): Promise<bigint[]> {
  const { postedAt, users, assets, owners, spent, postings, lines } = call;
  const rows = await db.query<{ id: bigint }>(
    `select unnest(ledger_post($1, $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::integer[], $7::numeric[], $8::json, $9::json)) as id`,
    [
      postedAt,
      users,
      ...assetColumns(assets),
      owners.map(({ userId }) => userId),
      owners.map(({ asset }) => asset),
      spent,
      JSON.stringify(postings),
      JSON.stringify(lines),
    ],
  );
  return rows.map(({ id }) => id);
}

/** A posting of one line that moves one account. */
export interface Single extends Asset {
  posting: Omit<Posting, 'lines'>;
  line: NewLine;
  /** Below zero where it sends. */
  amount: bigint;
  /** What of it was held. */
  spent: bigint;
}

/**
 * `ledger_post_one`, and in the same statement the audit log's row of it, where there is one. Undefined, and
 * nothing done, where the user has no such account yet.
 */
export async function callLedgerPostOne(
  db: Db,
  postedAt: Date,
  { posting, line, network, currency, amount, spent }: Single,
  change: string | undefined,
): Promise<bigint | undefined> {
  const { kind, operationId, description, onChain, fingerprint } = posting;
  const [row] = await db.query<{ id: bigint }>(
    `with posted as materialized (
       select ledger_post_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) as id)
     select id, case when $21::json is not null then audit_append($21::json, array['posting:' || id]) end
     from posted where id is not null`,
    [
      postedAt,
      line.userId,
      network,
      currency,
      amount,
      spent,
      kind,
      operationId,
      description,
      onChain?.transactionHash,
      onChain?.logIndex,
      fingerprint,
      line.type,
      line.transactionAt,
      line.operationId,
      line.onChain && keyOf(line.onChain),
      line.description,
      line.purpose,
      line.userDescription,
      line.executedAt,
      change,
    ],
  );
  return row?.id;
}

/** The same for several users, who must differ; `ledger_post_each`. */
export async function callLedgerPostEach(
  db: Db,
  postedAt: Date,
  singles: readonly Single[],
  changes: string | undefined,
): Promise<bigint[] | undefined> {
  const [row] = await db.query<{ ids: string[] }>(
    `with posted as materialized (select ledger_post_each($1, $2::uuid[], $3::text[], $4::text[], $5::json) as ids)
     select ids::text[], case when $6::json is not null then audit_append($6::json, array(select 'posting:' || id from unnest(ids) id)) end
     from posted where ids is not null`,
    [
      postedAt,
      singles.map(({ line }) => line.userId),
      ...assetColumns(singles),
      JSON.stringify(singles.map(toPostingOfOne)),
      changes,
    ],
  );
  return row?.ids.map(BigInt);
}

const toPostingOfOne = ({ posting, line, amount, spent }: Single) => ({
  ...toPostingCall(posting),
  amount: String(amount),
  spent: String(spent),
  type: line.type,
  lineAt: writeInstant(line.transactionAt.getTime()),
  lineOperation: line.operationId,
  ...(line.onChain && { key: keyOf(line.onChain) }),
  lineDescription: line.description,
  purpose: line.purpose,
  userDescription: line.userDescription,
  executedAt: line.executedAt && writeInstant(line.executedAt.getTime()),
});

/** A posting as the database's functions take it. */
export const toPostingCall = ({
  kind,
  operationId,
  description,
  onChain,
  fingerprint,
}: Omit<Posting, 'lines'>) => ({
  kind,
  operation: operationId,
  description,
  fingerprint: fingerprint?.toString('hex'),
  hash: onChain?.transactionHash,
  logIndex: onChain?.logIndex,
});

/** How a line is known by its place on chain. */
export const keyOf = ({ transactionHash, logIndex }: OnChain) => `${transactionHash}:${logIndex}`;
