import { defineErrors } from '#platform/errors/errors';

export const ledgerErrors = defineErrors({
  unknownNetwork: [400, 'network is not one that is paid on'],
  unknownCurrency: [400, 'currency is not one of this network'],
  invalidAmount: [400, 'amount must be a decimal above 0'],
  // As an Idempotency-Key that comes again with another body.
  referenceReused: [422, 'This reference was used for other funds'],
  invalidLine: [400, 'A line does not fit together'],
  keyReused: [422, 'This key was used for other lines'],
  insufficientBalance: [409, 'A line takes more than its account has available'],
  alreadyInLedger: [409, 'This is in the ledger already'],
  stillUnsettled: [409, 'An unsettled record has this id: settle it instead'],
  idOfDeposit: [400, 'id has the form that deposits found on chain have'],
  unsettledNotFound: [404, 'Unsettled record not found'],
  unsettledDiffers: [409, 'An unsettled record with this id says something else'],
  unsettledIsWithdrawal: [409, 'A withdrawal moves by its payment'],
  transactionNotFound: [
    404,
    'No settled transaction of this user has this hash. One that was just sent is here once it is settled: look again later, or call getAccountHistory without filterByHash for what is settled',
  ],
  illegalMove: [409, 'The record does not move there'],
});
