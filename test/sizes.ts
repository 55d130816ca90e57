// How much the tests do that kill, search and generate: small for `npm test`, full for `npm run endurance`.
// The assertions are the same, except for two goals that a small run reaches only by luck: a kill at each
// step of a payout (below), and each MCP tool used (test/mcp/fuzz.test.ts).

/** Whether this is a run of `npm run endurance`. */
export const isEndurance = process.env.CAUSEWAY_ENDURANCE === 'full';

/** For a count that one test has for itself. `npm run endurance` runs each file that imports this one. */
export const sized = <T>(usual: T, full: T): T => (isEndurance ? full : usual);

export const sizes = {
  /** Generated MCP messages, by test/mcp/fuzz.test.ts. */
  mcpMessages: Number(process.env.CAUSEWAY_FUZZ_MESSAGES ?? sized(3_000, 20_000)),
  /** Withdrawals for one account, and how many of them its balance covers, by overspend.test.ts. */
  overspend: sized({ wanted: 1_000, funded: 100 }, { wanted: 20_000, funded: 1_000 }),
  /** Generated bodies, by withdrawals-fuzz.test.ts. */
  withdrawalBodies: sized(1_500, 6_000),
  /** Idempotency keys with 200 requests at once for each, by idempotency.test.ts. */
  idempotencyKeys: sized(5, 50),
  /** How often the workers of a refill are killed at a random moment, by refill-crashes.test.ts. */
  refillKills: sized(2, 8),
  /** By event-chaos.test.ts; `npm run event-chaos` takes any. */
  eventChaos: sized({ events: 200, kills: 2, crashes: 1 }, { events: 2_000, kills: 12, crashes: 2 }),
  /** How often the payout model may raise the fee of a transaction: 80,000 states or 200,000 and more. */
  model: sized({ bumps: 1, statesMin: 80_000 }, { bumps: 2, statesMin: 200_000 }),
  /**
   * What must have happened before payout-chaos.test.ts stops making trouble. Only `npm run chaos --
   * --minutes 15` loses commits.
   */
  chaos: sized(
    {
      leastSeconds: 8,
      goals: { withdrawals: 50, kills: 10, killsEachStep: 0, reorganisations: 2, lies: 1, crashes: 1 },
    },
    {
      leastSeconds: 30,
      goals: { withdrawals: 200, kills: 30, killsEachStep: 1, reorganisations: 5, lies: 3, crashes: 3 },
    },
  ),
};
