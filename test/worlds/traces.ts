import { makeAddress } from '#test/data/factories';
import type { Harness } from '#test/harness';

// What workers leave in the database, for tests of commands that read it.

/** As a worker that called the endpoint would. */
export const noteAttempt = ({ deps }: Harness, deliveryId: string) =>
  deps.db.query(
    `insert into webhook_attempts (delivery_id, number, url, started_at, duration_ms, status, error, answer)
     values ($1, 1, 'https://hooks.example.com/in', now(), 31, 503, 'The endpoint answered 503.', 'busy')`,
    [deliveryId],
  );

/** A halted wallet, and a deposit with the position of its watcher. */
export async function makeTraces(
  { deps }: Harness,
  { userId, transactionHash }: { userId: string; transactionHash: string },
): Promise<void> {
  await deps.db.query(
    `insert into payout_signers (network, address, next_nonce, halted_at, halted_reason, created_at)
     values ('base', $1, 17, now(), 'Maintenance', now())`,
    [makeAddress()],
  );
  await deps.db.query(
    `insert into deposit_cursors (network, next_block, updated_at) values ('base', 41000000, now())`,
  );
  await deps.db.query(
    `insert into deposits (network, transaction_hash, log_index, block_number, user_id, wallet, currency, amount)
     values ('base', $1, 2, 41000000, $2, $3, 'USDC', 7500000)`,
    [transactionHash, userId, makeAddress().toLowerCase()],
  );
}
