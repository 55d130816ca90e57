import { createHash, randomUUID } from 'node:crypto';
import { recordChange } from '../audit/index.ts';
import { type Ctx, inTransaction } from '../context.ts';
import { selectEmails, userErrors } from '../users/index.ts';
import { ledgerErrors } from './errors.ts';
import { asLedgerRefusal } from './ledger-refusal.ts';
import { type LineType, type NewLine, usualPurposes } from './lines/line.ts';
import { postLines } from './post-lines.ts';
import { selectPostingByKey } from './queries.ts';
import { readInstant } from './read-instant.ts';
import { type LegsInput, readLegs, readOnChain } from './read-legs.ts';
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
  /** The caller's own name for it: posted once. */
  key: string;
  lines: readonly BatchLine[];
}

export interface PostedBatch {
  postingId: string;
  lines: number;
  replayed: boolean;
}

/**
 * Posts lines into users' ledgers, all or none. The same again under the same key changes nothing; other lines under it are
 * refused. A correction is another line: what is posted stays.
 */
export async function postBatch(ctx: Ctx, batch: Batch): Promise<PostedBatch> {
  const fingerprint = createHash('sha256').update(JSON.stringify(batch.lines)).digest();
  const replay = async () => findReplay(ctx, batch, fingerprint);
  const former = await replay();
  if (former) return former;
  const lines = batch.lines.map((line, at) => readLine(ctx, line, `lines.${at}.`));
  await requireUsers(ctx, lines);
  return inTransaction(ctx, async (ctx) => {
    const [postingId] = await postLines(ctx.db, ctx.now, [
      { kind: 'post', operationId: batch.key, description: 'Posted by an operator', fingerprint, lines },
    ]);
    await refuseUnsettled(
      ctx.db,
      batch.lines.map(({ id }, at) => ({ userId: lines[at]!.userId, id, field: `lines.${at}.id` })),
    );
    const posted = { postingId: String(postingId), lines: lines.length, replayed: false };
    await recordChange(ctx, {
      action: 'ledger.post',
      subject: `posting:${posted.postingId}`,
      after: { key: batch.key, lines: lines.length, users: new Set(lines.map(({ userId }) => userId)).size },
    });
    return posted;
  }).catch(async (error) => asLedgerRefusal(error, replay));
}

async function findReplay(
  ctx: Ctx,
  { key, lines }: Batch,
  fingerprint: Buffer,
): Promise<PostedBatch | undefined> {
  const former = await selectPostingByKey(ctx.db, 'post', key);
  if (!former) return undefined;
  if (!former.fingerprint?.equals(fingerprint)) throw ledgerErrors.keyReused();
  return { postingId: String(former.id), lines: lines.length, replayed: true };
}

function readLine(ctx: Ctx, line: BatchLine, where: string): NewLine {
  const { transactionType: type, description, transactionPurpose, userDescription, executedAt } = line;
  return {
    ...readLegs(ctx.evm, type, line, where),
    userId: line.userId.toLowerCase(),
    operationId: line.id ?? randomUUID(),
    ...{ type, description, purpose: transactionPurpose ?? usualPurposes[type] },
    transactionAt: readInstant(ctx, line.transactionDate, `${where}transactionDate`) ?? ctx.now,
    executedAt: readInstant(ctx, executedAt, `${where}executedAt`) ?? null,
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
    details: [{ field: `lines.${at}.userId`, message: 'is not the id of a user' }],
  });
}
