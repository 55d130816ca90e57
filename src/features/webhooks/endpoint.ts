import type { Ctx, IntegrationActor, IntegrationStaffActor, OperatorActor, PartnerAdmin } from '#context';

export interface Endpoint {
  id: string;
  streamId: bigint;
  partnerId: string | null;
  integrationId: string | null;
  userId: string | null;
  isForAllUsers: boolean;
  url: string;
  types: string[] | null;
  isOrdered: boolean;
  description: string;
  publicKey: string;
  formerPublicKey: string | null;
  formerEndsAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  failingSince: Date | null;
  disabledAt: Date | null;
  disabledReason: DisabledReason | null;
  resumeAfter: bigint | null;
  /** The key that created it, or last changed its address or enabled it; null: no key did. */
  setByKey: string | null;
}

/**
 * gone: the endpoint answered 410. failing: every attempt of five days failed. key: `setByKey` was revoked or
 * suspended.
 */
export const disabledReasons = ['owner', 'operator', 'gone', 'failing', 'key'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** failing: no success since a failure. */
export const endpointStates = ['working', 'failing', 'disabled'] as const;
export type EndpointState = (typeof endpointStates)[number];

export const deliveryStatuses = ['due', 'delivered', 'failed', 'canceled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Who manages endpoints. Operators manage those of everybody. */
export type Manager = PartnerAdmin | IntegrationActor | IntegrationStaffActor | OperatorActor;
export type ManagerCtx = Ctx<Manager>;

/** Whose endpoints an actor sees; undefined: everybody's. */
export interface Owner {
  partnerId?: string;
  /** A key without `partner:admin` sees endpoints of its user, and those without a user. */
  userId?: string;
  integrationId?: string;
}

/** Who sees and stops all endpoints of a partner; undefined: others. */
export function adminIn(actor: Manager): PartnerAdmin | undefined {
  if (actor.kind === 'person') return 'partnerId' in actor ? actor : undefined;
  return actor.kind === 'key' && actor.scopes.includes('partner:admin') ? actor : undefined;
}

export function ownerOf(actor: Manager): Owner | undefined {
  const admin = adminIn(actor);
  if (admin) return { partnerId: admin.partnerId };
  if (actor.kind === 'key') return { partnerId: actor.partnerId, userId: actor.userId };
  if ('integrationId' in actor) return { integrationId: actor.integrationId };
  return undefined;
}

/** Whose events an actor reads in deliveries; undefined: everybody's. A key reads those of its user only. */
export const readerOf = (actor: Manager): string | undefined =>
  actor.kind === 'key' ? actor.userId : undefined;

export const keyIn = (actor: Manager): string | null => (actor.kind === 'key' ? actor.keyId : null);
