import { type Ctx, contextFor, type KeyActor } from '#context';
import { issueKey } from '#features/keys';
import { allowUser } from '#features/partners';
import type { Pool } from '#platform/db/db';
import { createHistoryWorld } from '../history/world.ts';
import { turns, warmUpTurns } from '../measure.ts';
import { operatorContext, type World } from '../withdrawals/world.ts';

export interface CardWorld extends World {
  /** A million transactions. */
  bigUser: string;
  /** A hundred, as everybody else. */
  smallUser: string;
  tokens: ReadonlyMap<string, string>;
}

export async function createCardWorld(given: { db: Pool; databaseUrl: string }): Promise<CardWorld> {
  const world = await createHistoryWorld(given);
  const { deps, partnerId, key } = world;
  const [bigUser, smallUser] = [world.userIds[0]!, await makeSmallUser(world)];
  await allowUser(operatorContext(deps), { partnerId, userId: smallUser });
  const small = await issueKey(operatorContext(deps), { name: 'small', partnerId, userId: smallUser });
  const tokens = new Map([
    [bigUser, key.token],
    [smallUser, small.token],
  ]);
  return { ...world, bigUser, smallUser, tokens };
}

async function makeSmallUser({ db }: World): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into users (email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
     values ('small@example.com', true, 'S', 'S', 'individual', now(), now()) returning id`,
  );
  return row!.id;
}

export function keyContext(world: CardWorld, userId: string): Ctx<KeyActor> {
  const { deps, key, partnerId } = world;
  const actor: KeyActor = { kind: 'key', keyId: key.id, partnerId, userId, scopes: [] };
  return contextFor(deps, actor, deps.log);
}

/** Time of each kind of request over HTTP, sent by a separate process. */
export async function askOverHttp(
  { load, port, tokens }: CardWorld,
  requests: readonly { userId: string; path: string }[],
): Promise<number[][]> {
  const order = {
    kind: 'latency' as const,
    port,
    token: '',
    paths: requests.map(({ path }) => path),
    tokens: requests.map(({ userId }) => tokens.get(userId)!),
  };
  await load({ ...order, turns: warmUpTurns });
  return (await load({ ...order, turns })).milliseconds;
}
