import { type Issuer, IssuerFault } from './issuer.ts';

const refuse = async (): Promise<never> => {
  throw new IssuerFault('unavailable', 'no card issuer is configured');
};

/** Where none is configured: whoever asks it learns that nobody answers. */
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
