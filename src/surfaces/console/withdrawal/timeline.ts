import { shorten } from '#platform/commands/values';
import { formatMinor } from '#platform/values/money';
import { wordOfStatus } from '#surfaces/frame';
import { searchAddress } from '../links.ts';
import type { Texts } from '../texts/index.ts';
import type { Visit } from '../visit.ts';

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
  formerPayouts: {
    hotWallet: string;
    nonce: number;
    voidedAt: string | null;
    usedBy: string | null;
    attempts: Attempt[];
  }[];
}

interface Attempt {
  hash: string;
  isMined?: boolean;
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

/** A row of `webhooks.trace`. */
export interface Delivery {
  id: string;
  endpointId: string;
  url: string;
  type: string;
  status: string;
  attempts: number;
  createdAt: string;
  endedAt: string | null;
  lastAttemptAt: string | null;
  lastStatus: number | null;
  lastError: string | null;
  lastDurationMs: number | null;
}

/** The answer of `approvals.payment`. */
export interface Decisions {
  needs: { rule: string; count: number; role: string }[];
  items: { name: string; decision: 'approve' | 'refuse'; comment: string | null; decidedAt: string }[];
}

export interface Happened {
  life: Life;
  changes: readonly Change[];
  deliveries: readonly Delivery[];
  decisions: Decisions;
}

export interface Moment {
  at: string;
  what: string;
  detail?: string | undefined;
  /** What `what` has in short, such as a hash. */
  whole?: string;
  /** The page about it. */
  address?: string;
}

/** Everything that happened to a withdrawal, in order. */
export function timelineOf(visit: Visit, { life, changes, deliveries, decisions }: Happened): Moment[] {
  const { words } = visit;
  const { withdrawal } = words;
  const states = life.states.map(
    ({ status, at }): Moment => ({
      at,
      what: withdrawal.state(wordOfStatus(visit, status)),
    }),
  );
  const { payout } = life;
  const slot: Moment[] = payout
    ? [
        { at: payout.openedAt, what: withdrawal.slot(payout.nonce), detail: payout.hotWallet },
        ...payout.attempts.flatMap((attempt) => describeAttempt(words, attempt)),
        ...(payout.settledAt ? [{ at: payout.settledAt, what: withdrawal.settled }] : []),
      ]
    : [];
  const audited = changes.map(
    ({ at, action, actorId }): Moment => ({ at, what: withdrawal.audit(action, actorId ?? '–') }),
  );
  const moments = [
    ...states,
    ...describeDecisions(words, life, decisions),
    ...slot,
    ...life.formerPayouts.flatMap((former) => describeFormer(words, former)),
    ...audited,
    ...deliveries.map((delivery) => describeDelivery(words, delivery)),
  ];
  return moments.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
}

/** A nonce that was given up, and what was signed with it. */
function describeFormer(words: Texts, former: Life['formerPayouts'][number]): Moment[] {
  const { nonce, hotWallet, voidedAt, usedBy, attempts } = former;
  const { withdrawal } = words;
  const ended = voidedAt && {
    at: voidedAt,
    what: withdrawal.givenUp(nonce),
    detail: usedBy === null ? hotWallet : `${hotWallet}; ${withdrawal.usedBy(usedBy)}`,
    ...(usedBy !== null && { address: searchAddress(usedBy) }),
  };
  const signed = attempts.flatMap((attempt) => describeAttempt(words, attempt));
  return [
    ...signed.map((one) => ({ ...one, detail: `${withdrawal.ofGivenUp(nonce)}; ${one.detail}` })),
    ...(ended ? [ended] : []),
  ];
}

/** What the rules asked for, and who decided what. */
function describeDecisions({ approvals, withdrawal }: Texts, life: Life, decisions: Decisions): Moment[] {
  const { needs, items } = decisions;
  return [
    ...needs.map(({ count, role, rule }) => ({
      at: life.createdAt,
      what: withdrawal.asked,
      detail: approvals.needs(count, role, rule),
    })),
    ...items.map(({ name, decision, comment, decidedAt }) => ({
      at: decidedAt,
      what: withdrawal.decided[decision](name),
      detail: comment ?? undefined,
    })),
  ];
}

function describeDelivery({ withdrawal, webhooks }: Texts, delivery: Delivery): Moment {
  const { type, url, status, attempts, lastStatus, lastError, lastDurationMs } = delivery;
  const answer = attempts > 0 && `${lastError ?? lastStatus ?? '–'}, ${lastDurationMs ?? 0} ms`;
  const state = webhooks.statuses[status as keyof typeof webhooks.statuses];
  return {
    at: delivery.endedAt ?? delivery.lastAttemptAt ?? delivery.createdAt,
    what: withdrawal.delivery(type, URL.canParse(url) ? new URL(url).host : url),
    detail: [state, withdrawal.tries(attempts), ...(answer ? [answer] : [])].join('; '),
    address: `/console/webhooks/${delivery.endpointId}/deliveries/${delivery.id}`,
  };
}

const gweiDecimals = 9;
const gwei = (wei: string) => formatMinor(BigInt(wei), gweiDecimals);

function describeAttempt({ withdrawal }: Texts, attempt: Attempt): Moment[] {
  const { hash, maxFeePerGas, maxPriorityFeePerGas, signedAt, sentAt, sends, lastAnswer, isMined } = attempt;
  const short = shorten(hash);
  const fees = withdrawal.fees(gwei(maxFeePerGas), gwei(maxPriorityFeePerGas));
  const signed = { at: signedAt, what: withdrawal.signed(short), whole: hash, detail: fees };
  const sent = sentAt && {
    at: sentAt,
    what: withdrawal.sent(short),
    whole: hash,
    // When it was mined is not stored.
    detail: [withdrawal.sends(sends, lastAnswer ?? '–'), ...(isMined ? [withdrawal.mined] : [])].join('; '),
  };
  return sent ? [signed, sent] : [signed];
}
