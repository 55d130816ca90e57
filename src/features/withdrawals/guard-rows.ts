import { withdrawalErrors } from './errors.ts';

/** How a key is refused on routes of withdrawals. */
export const guardRows = {
  missing: withdrawalErrors.unauthorized,
  invalid: withdrawalErrors.unauthorized,
  address: withdrawalErrors.addressNotAllowed,
  offList: withdrawalErrors.userNotAllowed,
};
