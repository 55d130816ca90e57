import { randomUUID } from 'node:crypto';
import type { Ctx } from '#context';
import { Refusal } from '#platform/errors/errors';
import { hashFacts } from '#platform/values/hash-facts';
import { issuerKey } from './ask-issuer.ts';
import { cardErrors } from './errors.ts';
import {
  deleteUnansweredRequest,
  insertRequest,
  selectRequest,
  updateUnansweredRequest,
  upsertAnswer,
} from './queries/requests.ts';

/**
 * A write that its caller may repeat under an idempotency key, and that is then done once. What is asked is
 * stored before the issuer is asked, so a repeated request, also after a crash, asks the issuer the same
 * under the same name. Without a key every call is a separate request, and nothing is stored.
 *
 * Withdrawals and postings need no such row: their key is a column of what they write in one transaction.
 * Here the issuer is asked between two transactions.
 */
export interface KeyedRequest {
  userId: string;
  /** With whoever acts before it. One key is one request, whatever it asks for. */
  idempotencyKey: string | undefined;
  /** What makes two requests the same: what they ask for, with defaults filled in, not how it was spelled. */
  fingerprint: Buffer;
}

export function keyRequest(
  ctx: Ctx,
  { userId, idempotencyKey }: { userId: string; idempotencyKey?: string },
  facts: readonly unknown[],
): KeyedRequest {
  return {
    userId,
    idempotencyKey: idempotencyKey && `${callerOf(ctx)} ${idempotencyKey}`,
    fingerprint: hashFacts(facts),
  };
}

/** Two who act for one user do not know of each other's keys. */
const callerOf = ({ actor }: Ctx) => (actor.kind === 'key' ? actor.partnerId : actor.kind);

/** What a request is called at the issuer. */
export function nameAtIssuer(
  kind: string,
  { userId, idempotencyKey, fingerprint }: KeyedRequest,
  ...facts: readonly string[]
): string {
  return issuerKey(kind, userId, idempotencyKey ?? randomUUID(), fingerprint.toString('hex'), ...facts);
}

/** The same request from before, if there was one: `cardIds` is null while it is not known to be done. */
export async function findRequest<Asked>(
  { db }: Ctx,
  { userId, idempotencyKey, fingerprint }: KeyedRequest,
): Promise<{ cardIds: string[] | null; asked: Asked } | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const former = await selectRequest(db, { userId, idempotencyKey });
  if (!former) return undefined;
  if (!former.fingerprint.equals(fingerprint)) throw cardErrors.idempotencyKeyReused();
  return { cardIds: former.cardIds, asked: former.asked as Asked };
}

/**
 * Notes what the issuer is going to be asked, and gives what it is to be: whoever was first has decided that.
 */
export async function noteRequest<Asked>(ctx: Ctx, request: KeyedRequest, asked: Asked): Promise<Asked> {
  const { userId, idempotencyKey, fingerprint } = request;
  if (idempotencyKey === undefined) return asked;
  await insertRequest(ctx.db, { userId, idempotencyKey, fingerprint, asked, now: ctx.now });
  return (await findRequest<Asked>(ctx, request))?.asked ?? asked;
}

/** The issuer is going to be asked something else than was noted. */
export async function renoteRequest(ctx: Ctx, request: KeyedRequest, asked: unknown): Promise<void> {
  const { idempotencyKey } = request;
  if (idempotencyKey === undefined) return;
  await updateUnansweredRequest(ctx.db, { ...request, idempotencyKey, asked });
}

/** A request that was refused does not use its key up; one whose outcome is not known does. */
export async function forgetRefused(ctx: Ctx, request: KeyedRequest, error: unknown): Promise<void> {
  const { idempotencyKey } = request;
  if (idempotencyKey === undefined || !(error instanceof Refusal) || error.status >= 500) return;
  await deleteUnansweredRequest(ctx.db, { ...request, idempotencyKey });
}

/**
 * Notes that it is done, in the transaction that stores what came of it; false for all but the first who do.
 */
export async function noteAnswer(
  { db, now }: Ctx,
  { userId, idempotencyKey, fingerprint }: KeyedRequest,
  { asked, cardIds }: { asked: unknown; cardIds: string[] },
): Promise<boolean> {
  if (idempotencyKey === undefined) return true;
  const answer = { userId, idempotencyKey, fingerprint, asked, cardIds, now };
  if (await upsertAnswer(db, answer)) return true;
  // Another request, once refused and then repeated, may have taken the key meanwhile: this one was done all
  // the same.
  return !(await selectRequest(db, { userId, idempotencyKey }))?.fingerprint.equals(fingerprint);
}
