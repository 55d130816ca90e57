import type { Db } from '#platform/db/db';
import { StartupError } from '#platform/errors/startup-error';
import { selectUnsafeSettings } from './queries/deployment.ts';

/** A payout whose signature is lost in a database crash could be paid again. */
export async function requireDurable(db: Db): Promise<void> {
  const unsafe = await selectUnsafeSettings(db);
  if (unsafe.length === 0) return;
  throw new StartupError(
    `The database server has ${unsafe.map((name) => `${name} = off`).join(' and ')}, so a crash loses payouts that were sent: ` +
      'turn it on, or set DATABASE_DURABILITY=relaxed where no real money moves.',
  );
}
