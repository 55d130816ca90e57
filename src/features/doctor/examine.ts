import type { Ctx } from '#context';
import { describeCause } from '#platform/errors/describe-cause';
import { DatabaseUnavailable } from '#platform/errors/errors';
import { TooSlow, withinMs } from '#platform/worker/within-ms';
import { databaseChecks } from './checks/databases.ts';
import { emailCheck } from './checks/emails.ts';
import { nodeChecks } from './checks/nodes.ts';
import { queueChecks } from './checks/queues.ts';
import { replicationChecks } from './checks/replication.ts';
import { secretChecks } from './checks/secrets.ts';
import { serverCheck, serverChecks } from './checks/server.ts';
import { storageChecks } from './checks/storage.ts';
import { type AppSources, type Check, type Outcome, problem, type Sources, skipped } from './outcome.ts';

export interface Finding extends Outcome {
  check: string;
  /** The check ended with an error. */
  hasFailed?: true;
}

const checkMs = 10_000;
/** A node is called twice, one call after another. */
const nodesMs = 20_000;
/** For all checks of the database together: an operator waits for them. */
const databaseMs = 60_000;

/** Everything that can be checked. A check that fails is a finding, and never stops the others. */
export async function examine(ctx: Ctx, app: AppSources): Promise<Finding[]> {
  const startedAt = performance.now();
  const sources = { ...app, clockMs: () => ctx.now.getTime() + performance.now() - startedAt };
  const run = (check: Check, ms = checkMs) => runCheck(ctx, sources, check, ms);
  // Nodes are asked while the database answers. Its checks follow each other: they need one connection.
  const ofNodes = Promise.all(nodeChecks(ctx.evm).map((check) => run(check, nodesMs)));
  const ofDatabase = await examineDatabase(run, databaseChecks(ctx.installation));
  const ofSecrets = await Promise.all(secretChecks.map((check) => run(check)));
  return [...ofDatabase, ...(await ofNodes), ...ofSecrets];
}

type Run = (check: Check, ms?: number) => Promise<Finding>;

async function examineDatabase(run: Run, others: readonly Check[]): Promise<Finding[]> {
  const deadline = performance.now() + databaseMs;
  const first = await run(serverCheck);
  const isAway = first.hasFailed;
  const findings = [first];
  const following = [...serverChecks, ...replicationChecks, ...storageChecks, ...queueChecks, emailCheck];
  for (const check of [...following, ...others]) {
    const leftMs = deadline - performance.now();
    findings.push(
      isAway || leftMs <= 0
        ? { check: check.name, ...skipped(isAway ? awayWords : 'The database is too slow') }
        : await run(check, Math.min(checkMs, leftMs)),
    );
  }
  return findings;
}

const awayWords = 'The database does not answer';

async function runCheck(ctx: Ctx, sources: Sources, check: Check, ms: number): Promise<Finding> {
  try {
    return { check: check.name, ...(await withinMs(ms, check.run(ctx, sources))) };
  } catch (error) {
    ctx.log.warn({ err: error, check: check.name }, 'a check of doctor failed');
    return { check: check.name, ...describeFailure(error), hasFailed: true };
  }
}

/**
 * What could not be read may hide anything, so it is a problem. The driver's reason names the server's
 * address at most, and never the password. Messages of other errors may hold anything, so they are only in
 * the log.
 */
function describeFailure(error: unknown): Outcome {
  if (error instanceof DatabaseUnavailable && error.isConnectionLost)
    return problem(
      `${awayWords}: ${describeCause(error)}`,
      'Start PostgreSQL, or correct DATABASE_URL and the network between.',
    );
  if (error instanceof TooSlow || error instanceof DatabaseUnavailable)
    return problem(
      `Not checked: ${error instanceof TooSlow ? error.message : describeCause(error)}`,
      'Run causeway doctor again, and look for what keeps the database or the node busy.',
    );
  if (isRefusal(error))
    return problem(
      `${awayWords}: ${error.message}`,
      'Correct the role, the password or the database in DATABASE_URL, or the rights of the role.',
    );
  return problem('Not checked: an internal error', 'Look for "a check of doctor failed" in the log.');
}

/** PostgreSQL refused the login: class 28, or a database that does not exist. */
const isRefusal = (error: unknown): error is Error => {
  const { code = '' } = error as { code?: string };
  return error instanceof Error && (code.startsWith('28') || code === '3D000');
};
