import type { Ctx, PartnerAdmin } from '#context';
import { confirmReplay, waitsForStandby, withStandbys } from '#platform/db/confirm';
import { violates } from '#platform/db/db';
import { DatabaseUnavailable } from '#platform/errors/errors';
import { withdrawalErrors } from './errors.ts';
import { type Former, type Found, type Payee, selectFormerAndOwner } from './queries/idempotency.ts';

export interface Created {
  bulkId: string;
  isReplay: boolean;
}

/** A request to create withdrawals, as far as its idempotency key is concerned. */
interface Keyed {
  idempotencyKey: string | undefined;
  /** Of everything that the request asks for. */
  fingerprint: Buffer;
  /** Its owner is read with the key. */
  payee?: Payee | undefined;
}

/**
 * Runs `create` unless the key was used: the same request gets its first answer, another one is refused.
 * `create` gets the payment that was found for the key after a restore, if there is one, and the owner of
 * `payee`. Without a key, nothing is read.
 */
export const createOnce = (
  ctx: Ctx<PartnerAdmin>,
  request: Keyed,
  create: (found: Partial<Found>) => Promise<string>,
): Promise<Created> => withStandbys(ctx, () => createAlone(ctx, request, create));

/** A request with the same key waits until the one before has its answer. */
async function createAlone(
  ctx: Ctx<PartnerAdmin>,
  request: Keyed,
  create: (found: Partial<Found>) => Promise<string>,
): Promise<Created> {
  const { idempotencyKey } = request;
  if (idempotencyKey === undefined) return { bulkId: await create({}), isReplay: false };
  const name = `${ctx.actor.partnerId} ${idempotencyKey}`;
  await inFlight.get(name)?.catch(() => undefined);
  const own = createOrReplay(ctx, { ...request, idempotencyKey }, create);
  inFlight.set(name, own);
  try {
    return await own;
  } finally {
    if (inFlight.get(name) === own) inFlight.delete(name);
  }
}

/**
 * Requests of this process by idempotency key. A repeated request waits here, so that it does not wait for
 * the database lock with a connection that others need; between processes the database decides.
 */
const inFlight = new Map<string, Promise<Created>>();

async function createOrReplay(
  ctx: Ctx<PartnerAdmin>,
  { idempotencyKey, fingerprint, payee }: Keyed & { idempotencyKey: string },
  create: (found: Partial<Found>) => Promise<string>,
): Promise<Created> {
  const find = () => selectFormerAndOwner(ctx.db, { partnerId: ctx.actor.partnerId, idempotencyKey, payee });
  const found = await find();
  const replay = replayOf(found.former, fingerprint);
  if (replay) {
    await confirmReplay(ctx);
    return replay;
  }
  try {
    return { bulkId: await create(found), isReplay: false };
  } catch (error) {
    if (violates(error, 'withdrawals_idempotency_key')) {
      const winner = replayOf((await find()).former, fingerprint);
      if (winner) {
        await confirmReplay(ctx);
        return winner;
      }
    }
    // Behind a commit that waits for a silent standby, others wait whatever their keys are.
    if (isLockTimeout(error) && !(ctx.isReplicationSynchronous && (await waitsForStandby(ctx.db)))) {
      throw withdrawalErrors.requestInFlight({ headers: { 'retry-after': '1' }, cause: error });
    }
    throw error;
  }
}

function replayOf(former: Former | undefined, fingerprint: Buffer): Created | undefined {
  if (!former || former.bulkId === null) return undefined;
  if (!former.fingerprint.equals(fingerprint)) throw withdrawalErrors.idempotencyKeyReused();
  return { bulkId: former.bulkId, isReplay: true };
}

/**
 * Another request may have the key and did not commit in time. Not if a trigger waited: it runs once the key
 * is ours.
 */
function isLockTimeout(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false;
  const { code, where = '' } = error.cause as { code?: string; where?: string };
  return code === '55P03' && !where.includes('PL/pgSQL');
}
