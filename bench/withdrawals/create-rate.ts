import { randomBytes } from 'node:crypto';
import type { World } from './world.ts';

/** Creations a second over HTTP, for all users, to addresses that were never paid. */
export async function createRate(world: World, durationMs: number): Promise<number> {
  const { perSecond } = await world.load({
    kind: 'rate',
    port: world.port,
    token: world.key.token,
    connections: 32,
    durationMs,
    paths: world.userIds.map((userId) => `/api/crypto/${userId}/withdraw`),
    bodies: Array.from({ length: 500 }, () =>
      JSON.stringify({ amount: '1.5', to: `0x${randomBytes(20).toString('hex')}` }),
    ),
    withIdempotencyKey: true,
  });
  return perSecond;
}
