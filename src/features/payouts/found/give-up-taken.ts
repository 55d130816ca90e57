import type { SentTransfer } from '#adapters/evm';
import type { Ctx } from '#context';
import { insertAttempts } from '../queries/attempts.ts';
import { lockOpenSlots, type OpenSlot } from '../queries/slots.ts';
import type { Past } from '../read-past.ts';
import { insertFound, updateVoid } from './queries.ts';

/**
 * Handles slots whose nonce was used by a final transaction that is not stored here. If it is the same
 * transfer, signed before the loss, it is stored for the slot. Otherwise the slot is void, and its withdrawal
 * waits for another nonce. Returns those withdrawals.
 */
export async function giveUpTaken(
  { db }: Ctx,
  where: { network: string; address: string; now: Date },
  { taken, transfers, filled }: Pick<Past, 'taken' | 'transfers' | 'filled'>,
): Promise<string[]> {
  const locked = await lockOpenSlots(db, { ...where, nonces: taken.map(({ nonce }) => nonce) });
  const pairs = taken
    .filter(({ nonce }) => locked.has(nonce))
    .flatMap((slot) => {
      const transfer = transfers.find(({ nonce }) => BigInt(nonce) === slot.nonce);
      return transfer ? [{ slot, transfer, nonce: slot.nonce }] : [];
    });
  const own = pairs.filter(({ slot, transfer }) => isOf(slot, transfer));
  const others = pairs.filter((pair) => !own.includes(pair));
  await insertAttempts(
    db,
    { ...where, isSent: true },
    own.map(({ transfer, nonce }) => ({ ...transfer, nonce })),
  );
  await insertFound(
    db,
    where,
    others.map(({ transfer }) => transfer),
  );
  const ofFillers = taken.flatMap(({ nonce }) =>
    locked.has(nonce) && filled.has(nonce) ? [{ nonce, minedHash: filled.get(nonce)! }] : [],
  );
  return updateVoid(db, where, [
    ...others.map(({ nonce, transfer }) => ({ nonce, minedHash: transfer.hash })),
    ...ofFillers,
  ]);
}

const isOf = (slot: OpenSlot, { reference, token, to, amount }: SentTransfer) =>
  slot.withdrawalId === reference &&
  slot.tokenAddress === token &&
  slot.toAddress === to &&
  slot.amount === amount;
