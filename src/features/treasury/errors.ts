import { defineErrors } from '#platform/errors/errors';

export const treasuryErrors = defineErrors({
  unknownNetwork: [404, 'No node is configured for that network'],
  notCompared: [404, 'That asset was not compared yet: run causeway treasury reconcile'],
  nodesAway: [503, 'Too few nodes of that network answer or agree: nothing was compared'],
  blockGone: [
    409,
    'The chain changed below what counts as final: run causeway deposits check, then causeway treasury reopen',
  ],
  tokensChanged: [409, 'The tokens of that network are others than before: run causeway treasury reopen'],
  otherAmount: [409, 'That is not the shortfall'],
  comparedElsewhere: [409, 'Another comparison of that network has just ended: repeat the command'],
});
