import { defineErrors } from '#platform/errors/errors';

export const ruleErrors = defineErrors({
  setNotFound: [404, 'No set of rules has this revision'],
  alreadyPublished: [409, 'This set was published before: draft it again to return to it'],
  isOutdated: [409, 'Another set was published since this draft was made: draft it again'],
  sameOperator: [409, 'Somebody else must publish what you drafted'],
  drafterGone: [409, 'Who drafted it was removed or has another role now: draft it again'],
  addressNotFound: [404, 'The address book has no such entry'],
  addressKnown: [409, 'The address book has this address already'],
});
