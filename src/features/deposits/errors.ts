import { defineErrors } from '#platform/errors/errors';

export const depositErrors = defineErrors({
  networkNotWatched: [404, 'Deposits of that network are not watched yet'],
  depositsNotHalted: [409, 'Deposits of that network are not halted'],
  blockNotRead: [409, 'That block was not read yet: deposits are watched from it on anyway'],
  nodeAway: [503, 'The node of that network does not answer'],
});
