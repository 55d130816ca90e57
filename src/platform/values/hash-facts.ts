import { hash } from 'node:crypto';

/**
 * SHA-256 of facts in their order: two requests with the same facts are the same, however they were spelled.
 */
export const hashFacts = (facts: readonly unknown[]): Buffer =>
  hash('sha256', JSON.stringify(facts), 'buffer');
