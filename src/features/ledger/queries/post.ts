import type { Db } from '#platform/db/db';
import { writeInstant } from '#platform/values/write-instant';
import type { NewLine, OnChain, Posting } from '../lines/line.ts';
import { type Asset, assetColumns } from './accounts.ts';

/** A user's asset, by its place among those of the call. */
export interface OwnerCall {
  userId: string;
  asset: number;
}

/** The parts of a call of `ledger_post_lines`, in `database/functions/ledger/`. */
interface PostLinesCall {
  postedAt: Date;
  users: readonly string[];
  assets: readonly Asset[];
  owners: readonly OwnerCall[];
  /** By owner; empty where nothing was held. */
  spent: readonly bigint[];
  postings: readonly object[];
  lines: readonly object[];
  /** Rows for the audit log, one a posting, as JSON. */
  changes?: string | undefined;
}

const postLines =
  'select ledger_post_lines($1, $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::integer[], $7::numeric[], $8::json, $9::json)::text[] as ids';
const postLinesAudited = `with posted as materialized (${postLines})
  select ids, audit_append($10::json, array(select 'posting:' || id from unnest(ids) id)) from posted`;

/** Also the audit log's rows, by the same statement. */
export async function callPostLines(db: Db, call: PostLinesCall): Promise<bigint[]> {
  const { postedAt, users, assets, owners, spent, postings, lines, changes } = call;
  const [row] = await db.query<{ ids: string[] }>(changes ? postLinesAudited : postLines, [
    postedAt,
    users,
    ...assetColumns(assets),
    owners.map(({ userId }) => userId),
    owners.map(({ asset }) => asset),
    spent,
    JSON.stringify(postings),
    JSON.stringify(lines),
    ...(changes ? [changes] : []),
  ]);
  return row!.ids.map(BigInt);
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

const postSingle = 'select ledger_post_single($1, $2, $3, $4, $5, $6, $7::json, $8::json) as id';
const postSingleAudited = `with posted as materialized (${postSingle})
  select id, audit_append($9::json, array['posting:' || id]) from posted where id is not null`;

/** The same for less. Undefined, and nothing done, where the user has no such account yet. */
export async function callPostSingle(
  db: Db,
  postedAt: Date,
  { posting, line, network, currency, amount, spent }: Single,
  changes: string | undefined,
): Promise<bigint | undefined> {
  const [row] = await db.query<{ id: bigint | null }>(changes ? postSingleAudited : postSingle, [
    postedAt,
    line.userId,
    network,
    currency,
    amount,
    spent,
    JSON.stringify(toPostingColumns(posting)),
    JSON.stringify(toLineColumns(line)),
    ...(changes ? [changes] : []),
  ]);
  return row?.id ?? undefined;
}

/** By the columns of `ledger_postings`, as the functions that post take it. */
export const toPostingColumns = ({
  kind,
  operationId,
  description,
  onChain,
  fingerprint,
}: Omit<Posting, 'lines'>) => ({
  kind,
  operation_id: operationId,
  description,
  transaction_hash: onChain?.transactionHash,
  log_index: onChain?.logIndex,
  fingerprint: fingerprint && `\\x${fingerprint.toString('hex')}`,
});

/**
 * By the columns of `ledger_lines`: what comes with a line; one that is left out is null. SQL adds what
 * follows from its place.
 */
export const toLineColumns = (line: NewLine) => ({
  type: line.type,
  transaction_at: writeInstant(line.transactionAt.getTime()),
  operation_id: line.operationId,
  unique_hash_id: line.onChain ? keyOf(line.onChain) : undefined,
  description: line.description,
  purpose: line.purpose,
  user_description: line.userDescription ?? undefined,
  executed_at: line.executedAt ? writeInstant(line.executedAt.getTime()) : undefined,
});

/** How a line is known by its place on chain. */
export const keyOf = ({ transactionHash, logIndex }: OnChain) => `${transactionHash}:${logIndex}`;
