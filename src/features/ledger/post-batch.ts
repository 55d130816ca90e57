import { randomUUID } from 'node:crypto';
import type { Ctx } from '#context';
import { changesToAppend, recordChanges } from '#features/audit';
import { selectEmails, userErrors } from '#features/users';
import { batchLoader } from '#platform/db/batch-loader';
import { confirmReplay, withStandbys } from '#platform/db/confirm';
import { type Db, violates } from '#platform/db/db';
import { DatabaseUnavailable, Refusal } from '#platform/errors/errors';
import { hashFacts } from '#platform/values/hash-facts';
import { ledgerErrors } from './errors.ts';
import { asLedgerRefusal } from './ledger-refusal.ts';
import { type LineType, type NewLine, type Posting, usualPurposes } from './lines/line.ts';
import { nameRefusedLine } from './name-refused-line.ts';
import { postLines } from './post-lines.ts';
import { selectPostingByKey } from './queries/postings.ts';
import { type LegsInput, readLegs, readOnChain } from './read-legs.ts';
import { readLineDate } from './read-line-date.ts';
import { refuseUnsettled } from './refuse-unsettled.ts';

/** A line as an operator posts it. */
export interface BatchLine extends LegsInput {
  userId: string;
  id?: string;
  transactionType: LineType;
  transactionDate?: string;
  executedAt?: string;
  description: string;
  transactionPurpose?: string;
  userDescription?: string;
  transactionHash?: string;
  logIndex?: number;
}

export interface Batch {
  /** Idempotency key. */
  key: string;
  lines: readonly BatchLine[];
}

export interface PostedBatch {
  postingId: string;
  lines: number;
  replayed: boolean;
}

/**
 * Posts lines into users' ledgers, all or none. Repeating the same lines under a key has no effect; other
 * lines are refused. Posted lines never change: a correction is another line.
 */
export async function postBatch(ctx: Ctx, batch: Batch): Promise<PostedBatch> {
  const fingerprint = hashFacts(batch.lines);
  const call = { ctx, batch, fingerprint };
  const isSmall = batch.lines.length <= togetherMax;
  return withStandbys(
    ctx,
    async () => (isSmall ? await postSoon(ctx.db, call) : undefined) ?? postAlone(call),
  );
}

interface Call {
  ctx: Ctx;
  batch: Batch;
  fingerprint: Buffer;
}

interface ReadCall extends Call {
  lines: NewLine[];
}

/** Larger batches gain nothing, and small ones would wait for them. */
const togetherMax = 10;

/**
 * Concurrent small batches share a transaction, because starting, committing and waiting for the audit log's
 * lock is most of the cost of a line. Nothing is looked up first: if the shared transaction fails, each batch
 * is posted alone and gets its own error or its replay.
 */
const postSoon = batchLoader(async (db: Db, calls: Call[]): Promise<(PostedBatch | undefined)[]> => {
  const group = groupOf(calls);
  const posted = await postTogether(db, [...group.values()]).catch(noneUnlessLost);
  const byPlace = new Map([...group.keys()].map((place, at) => [place, posted[at]]));
  return calls.map((_, place) => byPlace.get(place));
});

/** In one statement if possible, because each round trip is a tenth of the cost of a line. */
async function postTogether(db: Db, group: readonly ReadCall[]): Promise<PostedBatch[]> {
  if (group.length === 0) return [];
  const canBeOne = group.flatMap(givenIds).every(({ id }) => id === undefined);
  const ids = canBeOne
    ? await postLines(db, group.at(-1)!.ctx.now, group.map(toPosting), changesToAppend(group.map(toChange)))
    : undefined;
  return ids ? group.map(toAnswer(ids)) : db.transaction((db) => writeCalls(db, group));
}

/**
 * After a lost connection, the outcome of the commit is unknown; repeating the request under its key shows
 * it.
 */
function noneUnlessLost(error: unknown): PostedBatch[] {
  if (error instanceof DatabaseUnavailable && error.isConnectionLost) throw error;
  return [];
}

/**
 * The batches that can share a transaction, by index. Left out are those with an invalid line, and those with
 * a user of an earlier batch: in a shared posting, a later batch's income could pay for an earlier one.
 */
function groupOf(calls: readonly Call[]): Map<number, ReadCall> {
  const group = new Map<number, ReadCall>();
  const users = new Set<string>();
  for (const [place, call] of calls.entries()) {
    const read = tryReading(call);
    if (!read || read.lines.some(({ userId }) => users.has(userId))) continue;
    for (const { userId } of read.lines) users.add(userId);
    group.set(place, read);
  }
  return group;
}

function tryReading(call: Call): ReadCall | undefined {
  try {
    return readCall(call);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function postAlone(call: Call): Promise<PostedBatch> {
  const { ctx } = call;
  const former = await findReplay(call);
  if (former) return former;
  const read = readCall(call);
  return ctx.db
    .transaction(async (db) => (await writeCalls(db, [read]))[0]!)
    .catch(async (error) => {
      // The database checks the user only when it creates a ledger, and its error does not name the line.
      if (violates(error, 'ledger_lists_user_id_fkey')) await requireUsers(ctx, read.lines);
      const refusal = await nameRefusedLine(ctx, read.lines, error);
      if (refusal) throw refusal;
      return asLedgerRefusal(error, () => findReplay(call));
    });
}

/** The caller opens the transaction. */
async function writeCalls(db: Db, calls: readonly ReadCall[]): Promise<PostedBatch[]> {
  const postingIds = await postLines(db, calls.at(-1)!.ctx.now, calls.map(toPosting));
  await refuseUnsettled(db, calls.flatMap(givenIds));
  await recordChanges(
    db,
    calls.map((call, at) => ({ ...toChange(call), subject: `posting:${postingIds[at]}` })),
  );
  return calls.map(toAnswer(postingIds));
}

const toChange = ({ ctx, batch: { key }, lines }: ReadCall) => ({
  ctx,
  action: 'ledger.post',
  after: { key, lines: lines.length, users: new Set(lines.map(({ userId }) => userId)).size },
});

const toAnswer = (postingIds: readonly bigint[]) => (call: ReadCall, at: number) => ({
  postingId: String(postingIds[at]),
  lines: call.lines.length,
  replayed: false,
});

const toPosting = ({ batch, fingerprint, lines }: ReadCall): Posting => ({
  kind: 'post',
  operationId: batch.key,
  description: 'Posted by an operator',
  fingerprint,
  lines,
});

const givenIds = ({ batch, lines }: ReadCall) =>
  batch.lines.map(({ id }, at) => ({
    userId: lines[at]!.userId,
    id,
    field: `lines.${at}.id`,
    where: `lines[${at}]: `,
  }));

async function findReplay({
  ctx,
  batch: { key, lines },
  fingerprint,
}: Call): Promise<PostedBatch | undefined> {
  const former = await selectPostingByKey(ctx.db, 'post', key);
  if (!former) return undefined;
  if (!former.fingerprint?.equals(fingerprint)) throw ledgerErrors.keyReused();
  await confirmReplay(ctx);
  return { postingId: String(former.id), lines: lines.length, replayed: true };
}

const readCall = (call: Call): ReadCall => ({
  ...call,
  lines: call.batch.lines.map((line, at) => readLine(call.ctx, line, `lines.${at}.`)),
});

function readLine(ctx: Ctx, line: BatchLine, where: string): NewLine {
  const { transactionType: type, description, transactionPurpose, userDescription, executedAt } = line;
  return {
    ...readLegs(ctx.evm, type, line, where),
    userId: line.userId.toLowerCase(),
    operationId: line.id ?? randomUUID(),
    type,
    description,
    purpose: transactionPurpose ?? usualPurposes[type],
    transactionAt: readLineDate(ctx, line.transactionDate, `${where}transactionDate`) ?? ctx.now,
    executedAt: readLineDate(ctx, executedAt, `${where}executedAt`) ?? null,
    userDescription: userDescription ?? null,
    onChain: readOnChain(line, where),
  };
}

async function requireUsers({ db }: Ctx, lines: readonly NewLine[]): Promise<void> {
  const userIds = [...new Set(lines.map(({ userId }) => userId))];
  const known = await selectEmails(db, userIds);
  const at = lines.findIndex(({ userId }) => !known.has(userId));
  if (at < 0) return;
  throw userErrors.userNotFound({
    message: `lines[${at}]: User not found`,
    details: [{ field: `lines.${at}.userId`, message: 'is not the id of a user' }],
  });
}
