import type { Actor, Ctx, IntegrationActor, KeyActor, OperatorActor } from '#context';

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
}

/** gone: the endpoint answered 410. failing: every attempt of five days failed. */
export const disabledReasons = ['owner', 'operator', 'gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const deliveryStatuses = ['due', 'delivered', 'failed', 'canceled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Who manages endpoints. Operators manage those of everybody. */
export type Manager = KeyActor | IntegrationActor | OperatorActor;
export type ManagerCtx = Ctx<Manager>;

/** Whose endpoints an actor sees; undefined: everybody's. */
export interface Owner {
  partnerId?: string;
  /** A key sees endpoints of its user, and those without a user. */
  userId?: string;
  integrationId?: string;
}

export function ownerOf(actor: Actor): Owner | undefined {
  if (actor.kind === 'key') return { partnerId: actor.partnerId, userId: actor.userId };
  if (actor.kind === 'integration') return { integrationId: actor.integrationId };
  if (actor.kind === 'operator') return undefined;
  throw new Error(`a ${actor.kind} has no endpoints`);
}
