import { type Issuer, IssuerFault } from './issuer.ts';

const refuse = async (): Promise<never> => {
  throw new IssuerFault('unavailable', 'no card issuer is configured');
};

/** Used if no issuer is configured: every call fails as unavailable. */
export const noIssuer: Issuer = {
  createUser: refuse,
  createCards: refuse,
  updateCard: refuse,
  readCard: refuse,
  readEvents: refuse,
  readRevealKey: refuse,
  reveal: refuse,
  announceDeposit: refuse,
  simulate: refuse,
};
