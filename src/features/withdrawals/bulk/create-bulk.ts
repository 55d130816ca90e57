import { randomUUID } from 'node:crypto';
import type { Ctx, PartnerAdmin } from '#context';
import type { Detail } from '#platform/errors/errors';
import { hashFacts } from '#platform/values/hash-facts';
import { fingerprintOf, paidIdOf, toNewWithdrawal } from '../create-withdrawal.ts';
import { describeDenials, isDenied } from '../denial.ts';
import { withdrawalErrors } from '../errors.ts';
import { type Created, createOnce } from '../idempotency.ts';
import { insertWithdrawals, type NewWithdrawal, type Origin } from '../queries/creations.ts';
import { selectFoundByKeys } from '../queries/idempotency.ts';
import { findFaults } from './find-faults.ts';
import type { BulkItem, Faulty } from './item.ts';
import { bulkIdOf, keyOfItem } from './keys.ts';
import { type Resolved, resolveRecipients } from './resolve-recipients.ts';

export interface BulkRequest {
  userId: string;
  items: readonly (BulkItem | Faulty)[];
  idempotencyKey: string | undefined;
  origin?: Origin;
  /** Called before new withdrawals are checked and stored, and not for a replay; may refuse. */
  admit?(): Promise<void>;
  /** Called with what is stored next; may refuse. */
  inspect?(withdrawals: readonly NewWithdrawal[]): Promise<void>;
}

/**
 * Stores queued withdrawals under one bulk id, all or none: a refusal names every item that is at fault. The
 * idempotency key is stored with the first one, and each other gets a key from it, so that payments that are
 * found after a restore are bound again one by one.
 */
export async function createBulk(ctx: Ctx<PartnerAdmin>, request: BulkRequest): Promise<Created> {
  const { userId, idempotencyKey, origin } = request;
  const items = request.items.filter((item) => 'asset' in item);
  if (items.length < request.items.length) throw await refuseFaulty(ctx, request);
  const requests = items.map((item) => ({ ...item, userId, ...(origin && { origin }) }));
  const fingerprint = hashFacts(['bulk', ...requests.map((one) => fingerprintOf(one).toString('hex'))]);
  return createOnce(ctx, { idempotencyKey, fingerprint }, async () => {
    await request.admit?.();
    const { partnerId } = ctx.actor;
    const keys = items.map((_, at) => keyOfItem(idempotencyKey, at));
    const found = await selectFoundByKeys(
      ctx.db,
      partnerId,
      keys.filter((key) => key !== null),
    );
    const formers = keys.map((key) => (key === null ? undefined : found.get(key)));
    const toResolve = requests.map((one, at) => ({ ...one, isPaid: formers[at] !== undefined }));
    const { recipients, faults } = await resolveRecipients(ctx, new Map(toResolve.entries()));
    if (faults.size > 0) throw refuse(faults);
    const bulkId = idempotencyKey === undefined ? randomUUID() : bulkIdOf(partnerId, idempotencyKey);
    const withdrawals = requests.map((one, at): NewWithdrawal => {
      const recipient = recipients.get(at)!;
      const id = paidIdOf(formers[at], one, recipient);
      const key = keys[at]!;
      const ofItem = at === 0 ? fingerprint : fingerprintOf(one);
      return {
        ...toNewWithdrawal(ctx, one, recipient),
        bulkId,
        idempotencyKey: key,
        fingerprint: key === null ? null : ofItem,
        ...(id && { id }),
      };
    });
    await request.inspect?.(withdrawals);
    await insertWithdrawals(ctx.db, withdrawals).catch(refuseDenied);
    return bulkId;
  });
}

/** Names the recipients as well that cannot be paid, so that all can be corrected at once. */
async function refuseFaulty(ctx: Ctx<PartnerAdmin>, { userId, items, admit }: BulkRequest) {
  await admit?.();
  return refuse((await findFaults(ctx, { userId, items })).faults);
}

function refuse(faults: Resolved['faults'] | [number, Detail][]) {
  const details = [...faults].sort(([one], [other]) => one - other).map(([, detail]) => detail);
  return withdrawalErrors.bulkRefused({ details });
}

function refuseDenied(error: unknown): never {
  if (!isDenied(error)) throw error;
  const details = describeDenials(error).map(({ at, message }) => ({ field: `withdrawals.${at}`, message }));
  throw withdrawalErrors.deniedByRule({ details, cause: error });
}
