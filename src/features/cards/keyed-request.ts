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
  /** Prefixed with the caller. One key is one request, whatever it asks for. */
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

/** Callers that act for the same user must not share idempotency keys. */
const callerOf = ({ actor }: Ctx) => (actor.kind === 'key' ? actor.partnerId : actor.kind);

/** The idempotency key of a request at the issuer; a random one if the caller gave none. */
export function nameAtIssuer(
  kind: string,
  { userId, idempotencyKey, fingerprint }: KeyedRequest,
  ...facts: readonly string[]
): string {
  return issuerKey(kind, userId, idempotencyKey ?? randomUUID(), fingerprint.toString('hex'), ...facts);
}

/** The stored request under this key, if any; `cardIds` is null until its answer is stored. */
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
 * Stores what the issuer will be asked. Returns what is stored: of concurrent requests under one key, the
 * first decides.
 */
export async function noteRequest<Asked>(ctx: Ctx, request: KeyedRequest, asked: Asked): Promise<Asked> {
  const { userId, idempotencyKey, fingerprint } = request;
  if (idempotencyKey === undefined) return asked;
  await insertRequest(ctx.db, { userId, idempotencyKey, fingerprint, asked, now: ctx.now });
  return (await findRequest<Asked>(ctx, request))?.asked ?? asked;
}

/** Replaces what the issuer will be asked. */
export async function replaceRequest(ctx: Ctx, request: KeyedRequest, asked: unknown): Promise<void> {
  const { idempotencyKey } = request;
  if (idempotencyKey === undefined) return;
  await updateUnansweredRequest(ctx.db, { ...request, idempotencyKey, asked });
}

/** Deletes a refused request, so that its key can be used again. If the outcome is unknown, it stays. */
export async function forgetRefused(ctx: Ctx, request: KeyedRequest, error: unknown): Promise<void> {
  const { idempotencyKey } = request;
  if (idempotencyKey === undefined || !(error instanceof Refusal) || error.status >= 500) return;
  await deleteUnansweredRequest(ctx.db, { ...request, idempotencyKey });
}

/**
 * Stores that the request is done, in the transaction that stores its result. True for the first caller, and
 * for every call without a key.
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
