import type { Db } from '#platform/db/db';
import { StartupError } from '#platform/errors/startup-error';
import { selectStandbyNames, selectSynchronousCommit, selectUnsafeSettings } from './queries/deployment.ts';

/** A payout whose signature is lost in a database crash could be paid again. */
export async function requireDurable(db: Db): Promise<void> {
  const unsafe = await selectUnsafeSettings(db);
  if (unsafe.length === 0) return;
  throw new StartupError(
    `The database server has ${unsafe.map((name) => `${name} = off`).join(' and ')}, so a crash loses payouts that were sent: ` +
      'turn it on, or set DATABASE_DURABILITY=relaxed where no real money moves.',
  );
}

/** With the setting, a promotion does not halt the wallets, although it may then have lost payouts. */
export async function requireSynchronous(db: Db): Promise<void> {
  if ((await selectSynchronousCommit(db)) === 'local')
    throw new StartupError(
      'DATABASE_REPLICATION is synchronous, but synchronous_commit is local, so a promotion could lose what was answered: ' +
        'set it to on for the database server, the database and the role.',
    );
  if ((await selectStandbyNames(db)) !== '') return;
  throw new StartupError(
    'DATABASE_REPLICATION is synchronous, but the database server has no synchronous_standby_names, so a promotion could lose ' +
      'payouts that were sent, and they would be paid again: set synchronous_standby_names, or DATABASE_REPLICATION=asynchronous.',
  );
}
