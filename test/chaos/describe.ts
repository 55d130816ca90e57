import type { Outcome } from './chaos.ts';

const list = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`;

/** The figures of a run, a line each. */
export function describeOutcome(outcome: Outcome): string[] {
  const { withdrawals, statuses, reasons, kills, killsByStep, freezes, reorganisations, crashes } = outcome;
  const { deepReorganisations, lies, haltsEnded, commands, failovers, restores, repeated } = outcome;
  const { transfers, calls, faulted, byFault, passedOnLate, activeSeconds, finalSeconds } = outcome;
  const final = finalSeconds === undefined ? 'not all final' : `all final after ${finalSeconds.toFixed(1)} s`;
  return [
    `${withdrawals} withdrawals in ${activeSeconds.toFixed(0)} s (${list(statuses)}); faults over, ${final}`,
    `transfers on chain of each hot wallet: ${transfers.join(', ')}`,
    `failed: ${list(reasons)}`,
    `${kills} workers killed (at ${list(killsByStep)}, the others at any moment), ${freezes} frozen`,
    `reorganisations: ${list(reorganisations)} of their transactions kept; ${crashes} crashes of PostgreSQL`,
    `${deepReorganisations} reorganisations below finality, ${lies} times a node lied`,
    `${failovers} failovers that lost commits, restores: ${list(restores)}; ${repeated} requests repeated after them`,
    `halts ended by an operator: ${list(haltsEnded) || 'none'}`,
    `by ${list(commands) || 'no command'}`,
    `${faulted} of ${calls} RPC calls faulted, ${percent(faulted, calls)}: ${list(byFault as Record<string, number>)}; ${passedOnLate} transactions passed on late`,
  ];
}
