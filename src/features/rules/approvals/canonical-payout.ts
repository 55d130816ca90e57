import { hashFacts } from '#platform/values/hash-facts';

/** What an approval is bound to. */
export interface Payout {
  id: string;
  /** Of the rules that ask for the approval. */
  revision: number;
  network: string;
  tokenAddress: string;
  toAddress: string;
  amount: bigint;
}

/** What a passkey signs to decide about a payout: a payout that differs in anything has another challenge. */
export function challengeOf(payout: Payout, decision: 'approve' | 'refuse'): string {
  const { id, revision, network, tokenAddress, toAddress, amount } = payout;
  const facts = ['causeway payout', decision, id, revision, network, tokenAddress, toAddress, String(amount)];
  return hashFacts(facts).toString('base64url');
}
