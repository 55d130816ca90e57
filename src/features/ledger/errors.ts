import { defineErrors } from '#platform/errors/errors';

export const ledgerErrors = defineErrors({
  unknownNetwork: [400, 'network is not supported'],
  unknownCurrency: [400, 'currency is not supported on this network'],
  invalidAmount: [400, 'amount must be a decimal above 0'],
  // As an Idempotency-Key that comes again with another body.
  referenceReused: [422, 'This reference was used for other funds'],
  invalidLine: [400, 'A line is invalid: correct the field that details names'],
  keyReused: [422, 'This key was used for other lines'],
  insufficientBalance: [409, 'A line takes more than the available balance of its account'],
  alreadyInLedger: [409, 'This operation is in the ledger already'],
  stillUnsettled: [409, 'An unsettled record has this id: settle it instead'],
  idOfDeposit: [400, 'id has the form that is reserved for on-chain deposits'],
  unsettledNotFound: [404, 'Unsettled record not found'],
  unsettledDiffers: [409, 'Another unsettled record has this id: choose a new id, or update that record'],
  unsettledIsWithdrawal: [409, 'This record is a withdrawal: only its payment changes it'],
  transactionNotFound: [
    404,
    'No settled transaction of this user has this hash. A recent transaction appears once it is settled: try again later, or call getAccountHistory without filterByHash to list settled transactions',
  ],
  monthTooLong: [422, 'The month has too many lines for one statement: request a shorter period'],
  statementNotFound: [404, 'No statement has this code'],
  illegalMove: [409, 'The record cannot change from its status to that one'],
});
