import type { ChaosOptions } from './chaos.ts';
import { everyFault } from './fault-mix.ts';

export type MutantName =
  | 'fails on a send error'
  | 'completes at the first receipt'
  | 'sends before the commit'
  | 'takes a new nonce on retry'
  | 'believes one node'
  | 'signs on after a promotion'
  | 'leaves the key out of the mark';

export interface Mutant {
  name: MutantName;
  /**
   * What the verdict must say of it. That something is late or stuck would not do: a busy machine is late,
   * too.
   */
  harm: RegExp;
  /**
   * What of the database refuses the wrong step, and is taken out of this world first: the database is a
   * second fence, and this is a test of the test.
   */
  fence: string | undefined;
  conditions: Partial<ChaosOptions>;
}

const noKills = { deadlySteps: [], lifeMs: Number.POSITIVE_INFINITY };
const noReads = { receipt: {}, read: {} };

/** Most bytes are passed on late, so that what is lost in a failover is seen by no node at first. */
const lateSends = { ...everyFault, ...noReads, rate: 0.8, transport: {}, send: { swallowed: 1 } };
const losing = { lossEvery: 6, leastSeconds: 90, mostSeconds: 150, backupSeconds: { least: 20, most: 30 } };

/**
 * The wrong workers, each under the faults that it cannot stand. A wallet that is recovered without fillers
 * is not among them: lost bytes must arrive within the second before their nonce is used again, which five
 * failovers do not show. `npm run model` finds it, and `src/features/payouts/late-bytes.test.ts` has the
 * case.
 *
 * Nor are departures whose harm needs an accident that chaos cannot aim at, or that the database refuses. In
 * `src/features/payouts/`: raised fees without the mark, and recover that does not compare recipient and
 * amount (`after-restore.test.ts`), accept-foreign that takes the payment of another withdrawal
 * (`lost-commit.test.ts`), a lane without its lock or without the limit of idle transactions
 * (`lane-lock.test.ts`). In `src/features/ledger/`: accounts locked in another order (`lock-order.test.ts`).
 */
export const mutants: readonly Mutant[] = [
  {
    name: 'fails on a send error',
    harm: /is failed and was paid/,
    fence: 'drop trigger withdrawals_guard_move on withdrawals',
    conditions: {
      ...noKills,
      faults: {
        ...everyFault,
        ...noReads,
        rate: 0.3,
        transport: { 'reset after': 1, '502 after': 1 },
        send: { underpriced: 1 },
      },
    },
  },
  {
    name: 'completes at the first receipt',
    harm: /is completed and was not paid/,
    fence: undefined,
    conditions: { ...noKills, finalityDepth: 0, reorgEvery: 1.5, faults: { ...everyFault, rate: 0 } },
  },
  {
    name: 'sends before the commit',
    // If its bytes are seen on chain in time, the lane halts automatically: the harm is then that it needs a
    // person.
    harm: new RegExp(
      [
        'no withdrawal says so|was paid by|the chain has \\d+ transactions|the hot wallet has sent \\d+ transactions',
        // Its bytes took a nonce that another withdrawal got after the crash.
        'was used (?:on chain )?by a transaction that is not ours',
      ].join('|'),
    ),
    fence: undefined,
    conditions: { deadlySteps: [], faults: { ...everyFault, rate: 0 } },
  },
  {
    name: 'takes a new nonce on retry',
    harm: /was paid \d+ times/,
    fence: 'alter table payout_slots drop constraint payout_slots_withdrawal_key',
    conditions: {
      ...noKills,
      // Most sends, so that some transaction is lost for longer than the worker waits.
      faults: { ...everyFault, ...noReads, rate: 0.8, transport: {}, send: { swallowed: 1 } },
    },
  },
  {
    name: 'believes one node',
    harm: /is failed and was paid/,
    fence: undefined,
    // The other node must be away or have no receipt now and then: against its word, one is not enough even
    // so.
    conditions: { ...noKills, quorum: 1, lieEvery: 1, faults: { ...everyFault, rate: 0.4 } },
  },
  {
    name: 'signs on after a promotion',
    harm: /was paid \d+ times/,
    fence: `create or replace function database_standbys() returns text language sql as $$ select 'one' $$`,
    conditions: { ...noKills, ...losing, lossOrder: ['promotion'], faults: lateSends },
  },
  {
    name: 'leaves the key out of the mark',
    harm: /was paid \d+ times/,
    fence: undefined,
    conditions: { ...noKills, ...losing, lossOrder: ['files'], faults: { ...everyFault, rate: 0 } },
  },
];
