import type { Deps } from '#context';
import { Refusal } from '#platform/errors/errors';

/** How somebody tried to show who they are. */
export type SignInWay = 'passkey' | 'step-up' | 'invitation' | 'openid';

/**
 * Counts attempts that are refused. A figure and a line of the log, and no audit row: strangers cause them,
 * and must not make the audit log grow.
 */
export async function countRefusals<T>({ metrics }: Deps, way: SignInWay, attempt: Promise<T>): Promise<T> {
  return attempt.catch((error: unknown) => {
    if (error instanceof Refusal) metrics.countRefusedSignIn(way);
    throw error;
  });
}
