import { defineErrors } from '#platform/errors/errors';

export const treasuryErrors = defineErrors({
  unknownNetwork: [404, 'No RPC URL is configured for that network'],
  notCompared: [404, 'That asset is not compared yet: run causeway treasury reconcile'],
  nodesAway: [503, 'Too few nodes of that network answer or agree: nothing was compared'],
  blockGone: [
    409,
    'The chain changed below what counts as final: run causeway deposits check, then causeway treasury reopen',
  ],
  tokensChanged: [409, 'The tokens of that network have changed: run causeway treasury reopen'],
  otherAmount: [409, 'amount is not the shortfall'],
  comparedElsewhere: [409, 'Another comparison of that network has just finished: run the command again'],
});
