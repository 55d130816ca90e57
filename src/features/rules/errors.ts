import { defineErrors } from '#platform/errors/errors';

export const ruleErrors = defineErrors({
  unauthorized: [401, 'Unauthorized'],
  addressNotAllowed: [403, 'Forbidden: caller address is not on the allowlist of the key'],
  rateLimitExceeded: [429, 'Rate limit exceeded'],
  setNotFound: [404, 'No set of rules has this revision'],
  alreadyPublished: [409, 'This set was published before: draft it again to return to it'],
  isOutdated: [409, 'Another set was published since this draft was made: draft it again'],
  sameOperator: [409, 'You drafted these rules: another operator must publish them'],
  drafterGone: [409, 'Who drafted it was removed or has another role now: draft it again'],
  addressNotFound: [404, 'The address book has no such entry'],
  ownProposal: [403, 'You proposed this address: another person must confirm it'],
  proposerGone: [409, 'Who proposed this address may no longer do so: remove it, and propose it again'],
  addedByOperator: [403, 'The operator added this address: ask the operator to remove it'],
  tooManyProposals: [409, '100 addresses wait for a confirmation: confirm or remove some first'],
  addressKnown: [409, 'The address book has this address already'],
});
