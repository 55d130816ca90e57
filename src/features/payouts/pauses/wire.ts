import { type Static, Type } from 'typebox';
import { dateTime, nullable } from '#platform/http/schemas';
import type { PauseRow } from './queries.ts';

export const pauseView = Type.Object({
  scope: Type.String({
    description: 'everything, or network:, partner: or user: and the name or id',
  }),
  isPaused: Type.Boolean(),
  reason: nullable(Type.String()),
  pausedAt: nullable(dateTime),
  pausedBy: nullable(Type.String(), { description: 'Name of the operator' }),
});

export type PauseView = Static<typeof pauseView>;

export function presentPause(scope: string, row: PauseRow | undefined): PauseView {
  const { reason = null, pausedAt, pausedBy = null } = row ?? {};
  return {
    scope,
    isPaused: row !== undefined,
    reason,
    pausedAt: pausedAt?.toISOString() ?? null,
    pausedBy,
  };
}
