import type { Deposit } from '#features/ledger';
import type { Db, Row } from '#platform/db/db';

/** A deposit, and where it stands on chain. */
export interface FoundDeposit extends Deposit {
  wallet: string;
  blockNumber: number;
}

export type PostedDeposit = Omit<FoundDeposit, 'at' | 'network'>;

const depositColumns = `transaction_hash as "transactionHash", log_index as "logIndex", block_number::double precision as "blockNumber",
  user_id as "userId", wallet, currency, amount`;

/** What was posted of these transactions, wherever they stood. */
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

/** What was posted from a block on, in order. */
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
  /** Of the block before it, as it was read; null where an operator has put the cursor there. */
  lastHash: string | null;
  lastBlockAt: Date | null;
  /** How many deposits were posted. */
  posted: number;
  /** How many were below the minimum of their token; those in blocks that are read again count again. */
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

/** How long ago the newest block that was read was made, for each network. */
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

/** Nothing if another worker was first. */
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

/** Takes the blocks from a cursor on to read, which other workers leave alone for `leaveMs`: nothing to give back if we die. */
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

/** Where it was not moved, which releases it as well. */
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

/** Posted, and the same blocks are to be read again. */
export async function updatePosted(
  db: Db,
  { network, posted, now }: { network: string; posted: number; now: Date },
): Promise<void> {
  await db.query(
    'update deposit_cursors set posted = posted + $2, claimed_at = null, updated_at = $3 where network = $1',
    [network, posted, now],
  );
}

/** True if it was there and not halted before. */
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

/** What the chain has now is taken for right, whatever it was. */
export async function updateResumed(db: Db, network: string, now: Date): Promise<void> {
  await db.query(
    `update deposit_cursors set halted_at = null, halted_reason = null, last_hash = null, updated_at = $2 where network = $1`,
    [network, now],
  );
}

/** Whoever reads the blocks at the old place finds that it has moved. */
export async function updateSetBack(
  db: Db,
  { network, nextBlock, now }: { network: string; nextBlock: number; now: Date },
): Promise<void> {
  await db.query(
    `update deposit_cursors set next_block = $2, last_hash = null, claimed_at = null, updated_at = $3 where network = $1`,
    [network, nextBlock, now],
  );
}
