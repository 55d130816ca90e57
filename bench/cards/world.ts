import { type Ctx, contextFor, type KeyActor } from '../../src/context.ts';
import { issueKey } from '../../src/keys/index.ts';
import type { Pool } from '../../src/platform/db.ts';
import { createHistoryWorld } from '../history/world.ts';
import { median } from '../measure.ts';
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

const warmUpTurns = 8;
const turns = 25;

/** What each turn of each call took, in milliseconds. */
export async function takeTurns(
  calls: readonly (() => Promise<unknown>)[],
  count = turns,
): Promise<number[][]> {
  const times: number[][] = calls.map(() => []);
  for (let turn = -warmUpTurns; turn < count; turn++) {
    for (const [n, call] of calls.entries()) {
      const startedAt = performance.now();
      await call();
      if (turn >= 0) times[n]!.push(performance.now() - startedAt);
    }
  }
  return times;
}

/** The same over HTTP, asked by a process of its own. */
export async function askOverHttp(
  { load, port, tokens }: CardWorld,
  requests: readonly { userId: string; path: string }[],
): Promise<number[][]> {
  const order = {
    ...{ kind: 'latency' as const, port, token: '' },
    paths: requests.map(({ path }) => path),
    tokens: requests.map(({ userId }) => tokens.get(userId)!),
  };
  await load({ ...order, turns: warmUpTurns });
  return (await load({ ...order, turns })).milliseconds;
}

/** The median of the ratios of the turns: a burst of other work on the machine falls on both sides of a turn. */
export const ratioOf = (times: readonly number[], of: readonly number[]) =>
  median(times.map((ms, turn) => ms / of[turn]!));

/** The highest of many ratios, and how many are above what they should be. */
export function noteWorst(goal: number) {
  const highest: Record<string, { ratio: number; what: string }> = {};
  const missed: Record<string, number> = {};
  return {
    note(kind: string, ratio: number, what: string) {
      if (ratio > (highest[kind]?.ratio ?? 0)) highest[kind] = { ratio, what };
      missed[kind] = (missed[kind] ?? 0) + (ratio > goal ? 1 : 0);
    },
    print(title: string) {
      if (Object.keys(highest).length === 0) throw new Error('nothing was measured');
      for (const [kind, { ratio, what }] of Object.entries(highest)) {
        console.log(
          `${title}, worst (goal: at most ${goal}), ${kind}: ${ratio.toFixed(2)} (${what}); above the goal: ${missed[kind]}`,
        );
      }
    },
  };
}

export type Worst = ReturnType<typeof noteWorst>;
