import { defineErrors } from '#platform/errors/errors';

export const depositErrors = defineErrors({
  networkNotWatched: [404, 'Deposits are not watched on that network yet'],
  depositsNotHalted: [409, 'Deposits of that network are not halted'],
  blockNotRead: [409, 'That block is not read yet: no rescan is needed'],
  nodeAway: [503, 'No node of that network answers'],
});
