export { addressRoutes } from './addresses/own/routes.ts';
export { challengeOf, type Payout } from './approvals/canonical-payout.ts';
export {
  insertApproval,
  type Need,
  selectDecisions,
  selectDecisionsOfEach,
  selectNeeds,
} from './approvals/queries.ts';
export { verifyApprovals } from './approvals/verify-approvals.ts';
export { ruleCommands } from './commands.ts';
export { ruleJobs } from './jobs.ts';
export { hasRules, type Limit, type Limits, readLimits } from './read-limits.ts';
export { ruleDecimals } from './to-columns.ts';
