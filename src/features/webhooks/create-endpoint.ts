import { inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { openStreams } from '#features/events';
import { isAllowedUser } from '#features/partners';
import { userErrors, userExists } from '#features/users';
import { invalidField } from '#platform/errors/errors';
import { sealKeys } from './delivery/seal-keys.ts';
import { createKeys, writePublicKey, writeSecret } from './delivery/sign.ts';
import { keyIn, type ManagerCtx, type Owner, ownerOf } from './endpoint.ts';
import { webhookErrors } from './errors.ts';
import { findEndpoint, requireReceiver } from './find-endpoint.ts';
import {
  countEndpoints,
  insertEndpoint,
  lockStream,
  newEndpointId,
  selectStream,
} from './queries/endpoints.ts';
import { type EndpointView, presentEndpoint } from './wire.ts';

export interface EndpointTerms {
  url: string;
  /** Default: all types. */
  types?: readonly string[] | null;
  ordered?: boolean;
  description?: string;
}

/** By an operator, with the subscriber; others create their own. */
export interface NewEndpoint extends EndpointTerms {
  partnerId?: string;
  integrationId?: string;
  userId?: string;
  allUsers?: boolean;
}

/** The secret is in this answer only. */
export type CreatedEndpoint = EndpointView & { secret: string };

const endpointsMax = 20;

/**
 * Registers an address for events. An endpoint of a key receives what the key can read: the partner's events,
 * and those of the account of its user. People choose another user, or all of them.
 */
export function createEndpoint(ctx: ManagerCtx, input: NewEndpoint): Promise<CreatedEndpoint> {
  return inTransaction(ctx, async (ctx) => {
    const { url, types = null, ordered = false, description = '' } = input;
    requireReceiver(ctx.actor);
    requireCallable(ctx, url);
    const owner = await ownerFor(ctx, input);
    if (owner.userId !== undefined && !(await userExists(ctx.db, owner.userId)))
      throw userErrors.userNotFound();
    const { partnerId, integrationId } = owner;
    await openStreams(ctx.db, {
      ...(partnerId && { partnerIds: [partnerId] }),
      ...(integrationId && { integrationIds: [integrationId] }),
    });
    const streamId = await selectStream(ctx.db, owner);
    if (streamId === undefined) throw webhookErrors.subscriberNotFound();
    await lockStream(ctx.db, streamId);
    if ((await countEndpoints(ctx.db, streamId)) >= endpointsMax) throw webhookErrors.tooManyEndpoints();
    const id = await newEndpointId(ctx.db);
    const keys = createKeys();
    await insertEndpoint(ctx.db, {
      id,
      streamId,
      userId: owner.userId?.toLowerCase() ?? null,
      isForAllUsers: input.allUsers === true,
      url,
      types,
      isOrdered: ordered,
      description,
      secret: sealKeys(ctx.sealer, id, keys),
      publicKey: writePublicKey(keys),
      setByKey: keyIn(ctx.actor),
      now: ctx.now,
    });
    const shown = presentEndpoint(await findEndpoint(ctx, id), ctx.now);
    await recordChange(ctx, { action: 'webhooks.create', subject: `webhook:${id}`, after: shown });
    return { ...shown, secret: writeSecret(keys) };
  });
}

/** Whose endpoint it is, and about which user's account it receives events. */
async function ownerFor({ db, actor }: ManagerCtx, input: NewEndpoint): Promise<Owner> {
  const own = ownerOf(actor);
  if (!own) return input;
  const userId = input.userId?.toLowerCase();
  if (actor.kind === 'person' && 'partnerId' in actor) {
    if (userId !== undefined && !(await isAllowedUser(db, actor.partnerId, userId)))
      throw webhookErrors.notYourUser();
    return { ...own, ...(userId !== undefined && { userId }) };
  }
  const usual = actor.kind === 'key' ? actor.userId : undefined;
  if (input.allUsers || (userId !== undefined && userId !== usual)) throw webhookErrors.adminsChoose();
  return { ...own, ...(usual !== undefined && { userId: usual }) };
}

export function requireCallable({ outgoing }: Pick<ManagerCtx, 'outgoing'>, url: string): void {
  const fault = outgoing.refusal(url);
  if (fault !== undefined) throw invalidField('url', `cannot be called: ${fault}`);
}
