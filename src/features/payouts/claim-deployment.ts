import type { Deps } from '#context';
import { StartupError } from '#platform/errors/startup-error';
import { insertDeployment } from './queries/deployment.ts';

/**
 * The first worker writes the id of its deployment. Any other deployment is refused, so that a copy of the
 * database pays nobody.
 */
export async function claimDeployment({ db, clock }: Pick<Deps, 'db' | 'clock'>, id: string): Promise<void> {
  const known = await insertDeployment(db, id, clock());
  if (known === id) return;
  throw new StartupError(
    `This database belongs to the deployment "${known}", and DEPLOYMENT_ID is "${id}": its wallets are not used. ` +
      `Set DATABASE_URL or DEPLOYMENT_ID right. To hand the database over to this deployment, stop the other one and run ` +
      `\`causeway wallets rebind --deployment-id "${id}"\`.`,
  );
}
