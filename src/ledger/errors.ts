import { defineErrors } from '../platform/errors.ts';

export const ledgerErrors = defineErrors({
  unknownNetwork: [400, 'network is not one that is paid on'],
  unknownCurrency: [400, 'currency is not one of this network'],
  invalidAmount: [400, 'amount must be a decimal above 0'],
  // As an Idempotency-Key that comes again with another body.
  referenceReused: [422, 'This reference was used for other funds'],
});
