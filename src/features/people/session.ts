import { type Ctx, contextFor, type Deps, type PersonActor } from '#context';
import { recordChange } from '#features/audit';
import type { Db } from '#platform/db/db';
import { defineSessionCookie } from '#platform/pages/session-cookie';
import { createSecret, hashSecret } from '#platform/secrets/secret';
import { hourMs } from '#platform/values/duration';
import type { PersonRow } from './queries/people.ts';
import {
  endSessionRow,
  insertSession,
  type SessionRow,
  selectSession,
  touchSession,
} from './queries/sessions.ts';

/** A session ends after this long without a request, and in any case after the second. */
const idleMs = 15 * 60_000;
export const sessionLifetimeMs = 8 * hourMs;
/** How long a passkey assertion counts as fresh. */
export const freshMs = 5 * 60_000;
/** The time of the last request is written this often at most. */
const touchEveryMs = 60_000;

export const personCookie = defineSessionCookie('causeway_person', sessionLifetimeMs);

export interface PersonSession {
  secret: string;
  secretSha256: Buffer;
  person: PersonRow;
  session: SessionRow;
  /** A passkey was used within the last five minutes. */
  isFresh: boolean;
}

export const openAt = (now: Date) => ({ now, seenAfter: new Date(now.getTime() - idleMs) });

/**
 * The session of a cookie; undefined if it is unknown, over or idle, or its person is removed. A refresh by a
 * script does not keep it from becoming idle.
 */
export async function findPersonSession(
  { db, now }: { db: Db; now: Date },
  secret: string | undefined,
  { isRefresh = false } = {},
): Promise<PersonSession | undefined> {
  const secretSha256 = secret === undefined ? undefined : hashSecret(secret);
  if (secret === undefined || !secretSha256) return undefined;
  const found = await selectSession(db, secretSha256, openAt(now));
  if (!found) return undefined;
  const { person, session } = found;
  const isTouchDue = now.getTime() - session.lastSeenAt.getTime() > touchEveryMs;
  if (isTouchDue && !isRefresh) await touchSession(db, secretSha256, now);
  const isFresh = now.getTime() - session.assertedAt.getTime() < freshMs;
  return { secret, secretSha256, person, session, isFresh };
}

/** The context in which a person acts. */
export const contextOf = (deps: Deps, personId: string, log: Ctx['log']): Ctx<PersonActor> =>
  contextFor(deps, { kind: 'person', personId }, log);

/**
 * Begins a session in the caller's transaction. The one that the browser had before is ended, because
 * somebody else may have put it there.
 */
export async function beginSession(
  ctx: Ctx<PersonActor>,
  formerSecret: string | undefined,
  assertedAt: Date = ctx.now,
): Promise<{ sessionSecret: string }> {
  const formerSha256 = formerSecret === undefined ? undefined : hashSecret(formerSecret);
  if (formerSha256) await endSessionRow(ctx.db, formerSha256, ctx.now);
  const sessionSecret = createSecret();
  const expiresAt = new Date(ctx.now.getTime() + sessionLifetimeMs);
  const { personId } = ctx.actor;
  const session = {
    secretSha256: hashSecret(sessionSecret)!,
    personId,
    createdAt: ctx.now,
    assertedAt,
    expiresAt,
  };
  await insertSession(ctx.db, session);
  return { sessionSecret };
}

/** What people do themselves; what others do to them is recorded under the name of the command. */
export async function recordOwn(ctx: Ctx<PersonActor>, action: string, after: object = {}): Promise<void> {
  await recordChange(ctx, { action, subject: `person:${ctx.actor.personId}`, after });
}
