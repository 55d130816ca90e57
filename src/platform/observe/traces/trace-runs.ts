import type { Traces } from './traces.ts';

interface Entry {
  name: string;
  run(ctx: never, input: never): Promise<unknown>;
}

/** The same entries, each run in a span; without traces, the entries themselves. */
export function traceRuns<E extends Entry>(
  entries: readonly E[],
  kind: 'command' | 'tool',
  traces: Traces | undefined,
): readonly E[] {
  if (!traces) return entries;
  return entries.map((entry) => ({
    ...entry,
    run: (ctx: never, input: never) =>
      traces.inSpan(`${kind} ${entry.name}`, {}, () => entry.run(ctx, input)),
  }));
}

/** The same jobs, each turn in a new trace; without traces, the jobs themselves. */
export function traceJobs<J extends { name: string; run(deps: never): Promise<unknown> }>(
  jobs: readonly J[],
  traces: Traces | undefined,
): readonly J[] {
  if (!traces) return jobs;
  return jobs.map((job) => ({
    ...job,
    run: (deps: never) => traces.inNewTrace(`job ${job.name}`, {}, () => job.run(deps)),
  }));
}
