import type { EventFamily } from '#features/events';
import { depositExample, ledgerNode, presentDepositLines } from '#features/ledger';

/** The database records them, in a trigger. The object is the line that the deposit became. */
export const depositEvents: EventFamily = {
  audience: ['partner'],
  types: [{ type: 'deposit.posted', words: 'A deposit on chain was added to the ledger of a user' }],
  object: ledgerNode,
  example: depositExample,
  present: presentDepositLines,
};
