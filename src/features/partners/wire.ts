import { type Static, Type } from 'typebox';
import { dateTime, nullable, uuid } from '#platform/http/schemas';
import type { PartnerRow } from './queries.ts';

export const partner = Type.Object({
  id: uuid,
  name: Type.String(),
  createdAt: dateTime,
  suspendedAt: nullable(dateTime),
  suspendedReason: nullable(Type.String()),
});

export type PartnerView = Static<typeof partner>;

export function presentPartner({ createdAt, suspendedAt, ...shown }: PartnerRow): PartnerView {
  return {
    ...shown,
    createdAt: createdAt.toISOString(),
    suspendedAt: suspendedAt?.toISOString() ?? null,
  };
}

/** A user that a partner may act for. */
export const listedUser = Type.Object({ userId: uuid, email: Type.String(), allowedAt: dateTime });

export type ListedUser = Static<typeof listedUser>;
