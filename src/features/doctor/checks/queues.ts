import { verifyNewest } from '#features/audit';
import { showDuration } from '#platform/values/duration';
import { findStalledJobs } from '#platform/worker/stalled-jobs';
import { type Check, count, list, ok, problem, warning } from '../outcome.ts';

/** A figure of `/metrics` with the limit that the alerts of docs/alerts.yml have. */
interface FigureLimit {
  check: string;
  figure: string;
  max: number;
  /** What one row above the limit means. */
  describe(labels: Record<string, string>, value: number): string;
  fine: string;
  state: 'warning' | 'problem';
  advice: string;
}

const figureLimits: readonly FigureLimit[] = [
  {
    check: 'wallets',
    figure: 'causeway_payouts_halted',
    max: 0,
    describe: ({ network }) => `The hot wallet of ${network} is halted`,
    fine: 'None is halted',
    state: 'problem',
    advice: 'Run causeway wallets show for the reason, and see "When a wallet halts" in docs/operating.md.',
  },
  {
    check: 'pauses',
    figure: 'causeway_payouts_paused',
    max: 0,
    describe: ({ kind }, value) => `${count(value, 'pause')} of ${kind}`,
    fine: 'No payouts are paused',
    state: 'warning',
    advice: 'Run causeway payouts list-pauses for the reasons.',
  },
  {
    check: 'withdrawals',
    figure: 'causeway_withdrawals_oldest_age_seconds',
    max: 3_600,
    describe: ({ network, status }, value) => `${status} on ${network} for ${showDuration(value)}`,
    fine: 'None has been open for over an hour, except where people decided it',
    state: 'warning',
    advice: 'Run causeway withdrawals list --older-than-seconds 3600: it says what each waits for.',
  },
  {
    check: 'deposits',
    figure: 'causeway_deposits_halted',
    max: 0,
    describe: ({ network }) => `${network} is halted`,
    fine: 'No network is halted',
    state: 'problem',
    advice: 'Run causeway deposits show for the reason.',
  },
  {
    check: 'deposit lag',
    figure: 'causeway_deposits_last_block_age_seconds',
    max: 3_600,
    describe: ({ network }, value) => `${network} is ${showDuration(value)} behind`,
    fine: 'No network is over an hour behind',
    state: 'warning',
    advice: 'See whether a worker runs and its nodes answer; the log says why "deposits wait".',
  },
  {
    check: 'treasury',
    figure: 'causeway_treasury_shortfall',
    max: 0,
    describe: ({ network, currency }, value) => `${value} ${currency} missing on ${network}`,
    fine: 'No shortfall',
    state: 'problem',
    advice: 'Run causeway treasury reconcile, and see "The treasury does not match" in docs/operating.md.',
  },
  {
    check: 'events',
    figure: 'causeway_events_oldest_age_seconds',
    max: 60,
    describe: (_, value) => `The oldest has waited ${showDuration(value)} for its number`,
    fine: 'None waits for its number',
    state: 'warning',
    advice: 'See whether a worker runs, and look for events.number in its log.',
  },
  {
    check: 'parked events',
    figure: 'causeway_events_parked',
    max: 0,
    describe: (_, value) => `${count(value, 'event')} that subscribers do not have`,
    fine: 'None',
    state: 'problem',
    advice: 'Look for "event" in the log of the worker: these could not be presented.',
  },
  {
    check: 'webhooks',
    figure: 'causeway_webhook_oldest_age_seconds',
    max: 3_600,
    describe: (_, value) => `The oldest delivery has waited ${showDuration(value)}`,
    fine: 'No delivery is over an hour old',
    state: 'warning',
    advice: 'Run causeway webhooks list: receivers that fail are retried for days.',
  },
  {
    check: 'card events',
    figure: 'causeway_cards_events_blocked_sequence',
    max: 0,
    describe: (_, value) => `Event ${value} of the issuer blocks the feed`,
    fine: 'Nothing blocks the feed of the issuer',
    state: 'problem',
    advice: 'Run causeway cards catch-up, and see "cards skip-event" in docs/operating.md.',
  },
];

const figureCheck = ({ check, figure, max, fine, ...limit }: FigureLimit): Check => ({
  name: check,
  run: async ({ db, evm, now }, { gauges }) => {
    const gauge = gauges.find(({ name }) => name === figure);
    if (!gauge) throw new Error(`no figure is named ${figure}`);
    const rows = await gauge.read({ db, evm, clock: () => now });
    const above = rows.filter(({ value }) => value > max);
    if (above.length === 0) return ok(fine);
    const seen = list(above.map(({ labels, value }) => limit.describe(labels, value)));
    return limit.state === 'problem' ? problem(seen, limit.advice) : warning(seen, limit.advice);
  },
});

const auditRows = 1_000;

export const queueChecks: readonly Check[] = [
  {
    name: 'workers',
    run: async ({ db }, { jobs }) => {
      const { newestSeconds: newest, isSilent, stuck } = await findStalledJobs(db, jobs);
      const advice = 'Start a process with causeway serve --roles worker.';
      if (newest === undefined) return problem('No worker has run yet', advice);
      if (isSilent) return problem(`No worker has run a job for ${showDuration(newest)}`, advice);
      if (stuck.length > 0)
        return warning(
          `No recent turn: ${list(stuck.map(({ name, ageSeconds }) => `${name} (${showDuration(ageSeconds)})`))}`,
          'Look for the names of these jobs in the logs of the workers.',
        );
      return ok(`The last turn of a job was ${newest < 1 ? 'just now' : `${showDuration(newest)} ago`}`);
    },
  },
  ...figureLimits.map(figureCheck),
  {
    name: 'audit log',
    run: async (ctx) => {
      const { rows, intact, broken } = await verifyNewest(ctx, auditRows);
      if (!intact)
        return problem(
          `Not intact: ${list(broken)}`,
          'Keep the database as it is, take a copy, and run causeway audit verify.',
        );
      return ok(`The newest ${count(rows, 'row')} are intact; causeway audit verify checks all`);
    },
  },
];
