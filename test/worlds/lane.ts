import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { PrivateKey } from '#adapters/evm';
import { type Chain, makeWallet } from '#test/outside/chain';
import { letTimePass, makeWorld, type WorkerOptions, type World } from './payout.ts';

/** A world with two hot wallets, and how much of each token they have. */
export async function makeLanes(
  t: TestContext,
  chain: Chain,
  has: [bigint, bigint] = [1_000n, 1_000n],
  options: WorkerOptions = {},
) {
  const signerKeys: PrivateKey[] = [];
  for (const tokens of has) signerKeys.push(await makeWallet(chain, tokens));
  return makeWorld(t, chain, { ...options, signerKeys });
}

export const withdrawMany = async (world: World, count: number) => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await world.withdraw());
  return ids;
};

export const payTurns = async (world: World, turns = 2) => {
  for (let turn = 0; turn < turns; turn++) {
    await letTimePass(world);
    await world.pay();
  }
};

/** Which wallet was given each withdrawal: its place, or undefined. */
export const placesOf = async ({ db, wallets }: World, ids: readonly string[]) => {
  const rows = await db.query<{ id: string; address: string | null; owner: string | null }>(
    `select w.id, s.address, w.hot_wallet as owner from withdrawals w left join payout_slots s on s.withdrawal_id = w.id
     where w.id = any($1::uuid[])`,
    [ids],
  );
  return ids.map((id) => {
    const { address, owner } = rows.find((row) => row.id === id)!;
    if (address !== null) assert.equal(owner, address, 'the withdrawal names the wallet that signed it');
    return owner === null ? undefined : wallets.indexOf(owner);
  });
};

export const walletOf = ({ wallets }: World, place: number) => ({
  network: 'polygon',
  address: wallets[place]!,
});

export const signersOf = ({ db, wallets }: World) =>
  Promise.all(
    wallets.map(async (address) => {
      const [row] = await db.query<{ next: bigint; reason: string | null; isInDoubt: boolean }>(
        'select next_nonce as next, halted_reason as reason, is_in_doubt as "isInDoubt" from payout_signers where address = $1',
        [address],
      );
      return row!;
    }),
  );
