import { shorten } from '#platform/commands/values';
import { formatMinor } from '#platform/values/money';
import type { Texts } from '../texts/index.ts';

/** The answer of `withdrawals.show`, as far as the page reads it. */
export interface Life {
  id: string;
  status: string;
  waitingFor: string | null;
  errorMessage: string | null;
  network: string;
  currency: string;
  amount: string;
  userId: string;
  partnerId: string;
  keyId: string;
  createdAt: string;
  states: { status: string; at: string }[];
  payout: null | {
    hotWallet: string;
    nonce: number;
    openedAt: string;
    settledAt: string | null;
    attempts: Attempt[];
  };
}

interface Attempt {
  hash: string;
  isMined: boolean;
  maxFeePerGas: string;
  maxPriorityFeePerGas: string;
  signedAt: string;
  sentAt: string | null;
  sends: number;
  lastAnswer: string | null;
}

/** A row of `audit.list`. */
export interface Change {
  at: string;
  action: string;
  actorId: string | null;
  after: unknown;
}

export interface Moment {
  at: string;
  what: string;
  detail?: string | undefined;
}

/** Everything that happened to a withdrawal, in order. */
export function timelineOf(words: Texts, life: Life, changes: readonly Change[]): Moment[] {
  const { withdrawal } = words;
  const states = life.states.map(({ status, at }): Moment => ({ at, what: withdrawal.state(status) }));
  const { payout } = life;
  const slot: Moment[] = payout
    ? [
        { at: payout.openedAt, what: withdrawal.slot(payout.nonce), detail: payout.hotWallet },
        ...payout.attempts.flatMap((attempt) => describeAttempt(words, attempt)),
        ...(payout.settledAt ? [{ at: payout.settledAt, what: withdrawal.settled }] : []),
      ]
    : [];
  const decisions = changes.map(
    ({ at, action, actorId }): Moment => ({ at, what: withdrawal.audit(action, actorId ?? '–') }),
  );
  const rank = (moment: Moment) => moment.at;
  return [...states, ...slot, ...decisions].sort((one, other) =>
    rank(one) < rank(other) ? -1 : rank(one) > rank(other) ? 1 : 0,
  );
}

const gweiDecimals = 9;
const gwei = (wei: string) => formatMinor(BigInt(wei), gweiDecimals);

function describeAttempt({ withdrawal }: Texts, attempt: Attempt): Moment[] {
  const { hash, maxFeePerGas, maxPriorityFeePerGas, signedAt, sentAt, sends, lastAnswer, isMined } = attempt;
  const short = shorten(hash);
  const fees = withdrawal.fees(gwei(maxFeePerGas), gwei(maxPriorityFeePerGas));
  const signed = { at: signedAt, what: withdrawal.signed(short), detail: fees };
  const sent = sentAt && {
    at: sentAt,
    what: withdrawal.sent(short),
    // When it was mined is not stored.
    detail: [withdrawal.sends(sends, lastAnswer ?? '–'), ...(isMined ? [withdrawal.mined] : [])].join('; '),
  };
  return sent ? [signed, sent] : [signed];
}
