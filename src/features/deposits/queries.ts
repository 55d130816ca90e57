import type { Deposit } from '#features/ledger';
import type { Db, Row } from '#platform/db/db';

/** A deposit and its place on chain. */
export interface FoundDeposit extends Deposit {
  wallet: string;
  blockNumber: number;
}

export type PostedDeposit = Omit<FoundDeposit, 'at' | 'network'>;

const depositColumns = `transaction_hash as "transactionHash", log_index as "logIndex", block_number::double precision as "blockNumber",
  user_id as "userId", wallet, currency, amount`;

/** Posted deposits of these transactions, at any place. */
export async function selectPosted(
  db: Db,
  network: string,
  hashes: readonly string[],
): Promise<PostedDeposit[]> {
  return db.query<PostedDeposit & Row>(
    `select ${depositColumns} from deposits where network = $1 and transaction_hash = any($2::text[])`,
    [network, hashes],
  );
}

/** Posted deposits from a block on, in order. */
export async function selectPostedFrom(
  db: Db,
  { network, fromBlock, limit }: { network: string; fromBlock: number; limit: number },
): Promise<PostedDeposit[]> {
  return db.query<PostedDeposit & Row>(
    `select ${depositColumns} from deposits where network = $1 and block_number >= $2
     order by block_number, log_index limit $3`,
    [network, fromBlock, limit],
  );
}

export async function insertDeposits(
  db: Db,
  network: string,
  deposits: readonly FoundDeposit[],
): Promise<void> {
  await db.query(
    `insert into deposits (network, transaction_hash, log_index, block_number, user_id, wallet, currency, amount)
     select $1, * from unnest($2::text[], $3::integer[], $4::bigint[], $5::uuid[], $6::text[], $7::text[], $8::numeric[])`,
    [
      network,
      deposits.map(({ transactionHash }) => transactionHash),
      deposits.map(({ logIndex }) => logIndex),
      deposits.map(({ blockNumber }) => blockNumber),
      deposits.map(({ userId }) => userId),
      deposits.map(({ wallet }) => wallet),
      deposits.map(({ currency }) => currency),
      deposits.map(({ amount }) => amount),
    ],
  );
}

export interface Cursor {
  network: string;
  /** The first block that is not read yet. */
  nextBlock: number;
  /** Hash of the block before it, as it was read; null if an operator moved the cursor. */
  lastHash: string | null;
  lastBlockAt: Date | null;
  /** Number of posted deposits. */
  posted: number;
  /** Number of transfers below the minimum of their token; a rescan counts them again. */
  ignored: number;
  haltedAt: Date | null;
  haltedReason: string | null;
}

const columns = `network, next_block as "nextBlock", last_hash as "lastHash", last_block_at as "lastBlockAt", posted, ignored,
  halted_at as "haltedAt", halted_reason as "haltedReason"`;

type Counts = 'nextBlock' | 'posted' | 'ignored';
type CursorRow = Omit<Cursor, Counts> & Record<Counts, bigint> & Row;

const read = ({ nextBlock, posted, ignored, ...row }: CursorRow): Cursor => ({
  ...row,
  nextBlock: Number(nextBlock),
  posted: Number(posted),
  ignored: Number(ignored),
});

export async function selectCursor(db: Db, network: string): Promise<Cursor | undefined> {
  const rows = await db.query<CursorRow>(`select ${columns} from deposit_cursors where network = $1`, [
    network,
  ]);
  return rows.map(read)[0];
}

export async function selectCursors(db: Db): Promise<Cursor[]> {
  return (await db.query<CursorRow>(`select ${columns} from deposit_cursors order by network`)).map(read);
}

/** Age of the newest block that was read, for each network. */
export async function selectAges(db: Db): Promise<{ network: string; seconds: number }[]> {
  return db.query<{ network: string; seconds: number }>(
    `select network, greatest(extract(epoch from now() - last_block_at), 0)::double precision as seconds
     from deposit_cursors where last_block_at is not null`,
  );
}

export async function lockCursor(db: Db, network: string): Promise<Cursor | undefined> {
  const rows = await db.query<CursorRow>(
    `select ${columns} from deposit_cursors where network = $1 for update`,
    [network],
  );
  return rows.map(read)[0];
}

/** Returns nothing if another worker was first. */
export async function insertCursor(
  db: Db,
  { network, nextBlock, lastHash, now }: { network: string; nextBlock: number; lastHash: string; now: Date },
): Promise<boolean> {
  const rows = await db.query(
    `insert into deposit_cursors (network, next_block, last_hash, updated_at) values ($1, $2, $3, $4)
     on conflict do nothing returning 1`,
    [network, nextBlock, lastHash, now],
  );
  return rows.length > 0;
}

/**
 * Claims the blocks from a cursor on for `leaveMs`. A claim expires, so nothing must be released if the
 * process dies.
 */
export async function claimCursor(
  db: Db,
  { network, nextBlock, leaveMs }: { network: string; nextBlock: number; leaveMs: number },
): Promise<boolean> {
  const rows = await db.query(
    `update deposit_cursors set claimed_at = now()
     where network = (select network from deposit_cursors
       where network = $1 and next_block = $2 and halted_at is null
         and (claimed_at is null or claimed_at < now() - $3 * interval '1 millisecond')
       for update skip locked)
     returning 1`,
    [network, nextBlock, leaveMs],
  );
  return rows.length > 0;
}

/** Releases the claim if the cursor was not moved, because moving it releases the claim as well. */
export async function releaseCursor(
  db: Db,
  { network, nextBlock }: { network: string; nextBlock: number },
): Promise<void> {
  await db.query('update deposit_cursors set claimed_at = null where network = $1 and next_block = $2', [
    network,
    nextBlock,
  ]);
}

export async function updateRead(
  db: Db,
  read: {
    network: string;
    nextBlock: number;
    lastHash: string;
    lastBlockAt: Date;
    posted: number;
    ignored: number;
    now: Date;
  },
): Promise<void> {
  const { network, nextBlock, lastHash, lastBlockAt, posted, ignored, now } = read;
  await db.query(
    `update deposit_cursors set next_block = $2, last_hash = $3, last_block_at = $4, posted = posted + $5, ignored = ignored + $6,
       claimed_at = null, updated_at = $7
     where network = $1`,
    [network, nextBlock, lastHash, lastBlockAt, posted, ignored, now],
  );
}

/** Deposits were posted, and the same blocks are to be read again. */
export async function updatePosted(
  db: Db,
  { network, posted, now }: { network: string; posted: number; now: Date },
): Promise<void> {
  await db.query(
    'update deposit_cursors set posted = posted + $2, claimed_at = null, updated_at = $3 where network = $1',
    [network, posted, now],
  );
}

/** True if it existed and was not halted before. */
export async function updateHalted(
  db: Db,
  { network, nextBlock, reason, now }: { network: string; nextBlock: number; reason: string; now: Date },
): Promise<boolean> {
  const rows = await db.query(
    `update deposit_cursors set halted_at = $4, halted_reason = $3, updated_at = $4
     where network = $1 and next_block = $2 and halted_at is null returning 1`,
    [network, nextBlock, reason, now],
  );
  return rows.length > 0;
}

/** Accepts the current chain, whatever was read before. */
export async function updateResumed(db: Db, network: string, now: Date): Promise<void> {
  await db.query(
    `update deposit_cursors set halted_at = null, halted_reason = null, last_hash = null, updated_at = $2 where network = $1`,
    [network, now],
  );
}

/** A worker that reads blocks at the old place finds that the cursor has moved. */
export async function updateSetBack(
  db: Db,
  { network, nextBlock, now }: { network: string; nextBlock: number; now: Date },
): Promise<void> {
  await db.query(
    `update deposit_cursors set next_block = $2, last_hash = null, claimed_at = null, updated_at = $3 where network = $1`,
    [network, nextBlock, now],
  );
}
