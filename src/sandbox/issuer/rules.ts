import { randomBytes } from 'node:crypto';
import type { CardStatus, IssuerCard, IssuerMovement, IssuerTransaction, IssuerUser } from '#adapters/issuer';
import { parseMinor } from '#platform/values/money';
import { ProtocolError } from './protocol-error.ts';
import type {
  CardUpdateBody,
  CollateralBody,
  DepositBody,
  NewCardsBody,
  NewUserBody,
  PurchaseBody,
  RefundBody,
  SettlementBody,
  SimulationBody,
} from './requests.ts';
import { spentIn } from './spending.ts';
import { type Account, cents, decimal, type Entry, type Fact, type State, type WireEvent } from './state.ts';

/** The outcome of a request: its changes and its answer. Nothing has changed yet. */
export interface Outcome extends Pick<Entry, 'refundOf' | 'deposit'> {
  facts: Fact[];
  answer(events: WireEvent[]): unknown;
}

interface Now {
  state: State;
  at: Date;
}

/** The legal moves of a card. */
const moves: Record<CardStatus, readonly CardStatus[]> = {
  inactive: ['active', 'canceled'],
  active: ['locked', 'canceled'],
  locked: ['active', 'canceled'],
  canceled: [],
};

export const makeId = (kind: string) => `${kind}_${randomBytes(12).toString('hex')}`;

export function createUser({ at }: Now, { reference }: NewUserBody): Outcome {
  const data: IssuerUser = {
    id: makeId('ciu'),
    reference,
    collateralAddress: `0x${randomBytes(20).toString('hex')}`,
    createdAt: at.toISOString(),
  };
  return { facts: [{ type: 'user.created', data }], answer: () => data };
}

/** `vaulted` has one for each card: their numbers are in the vault by now. */
export function createCards(
  { state, at }: Now,
  { cardIssuerUserId, cards }: NewCardsBody,
  vaulted: readonly { cardId: string; lastFourDigits: string }[],
): Outcome {
  findAccount(state, cardIssuerUserId);
  const made = cards.map(({ name, nickname, spendingLimit, spendingInterval }, index): IssuerCard => {
    const { cardId, lastFourDigits } = vaulted[index]!;
    const [createdAt, updatedAt] = [at.toISOString(), at.toISOString()];
    return {
      id: cardId,
      cardIssuerUserId,
      version: 1,
      name,
      nickname,
      lastFourDigits,
      status: 'inactive',
      spendingLimit,
      spendingInterval,
      createdAt,
      updatedAt,
      kind: 'virtual',
      statusReason: null,
    };
  });
  return {
    facts: made.map((data) => ({ type: 'card.changed', data })),
    answer: () => ({ cards: made }),
  };
}

/** The reason of another status is kept until the next one; other reasons are not. */
export function updateCard({ state, at }: Now, cardId: string, body: CardUpdateBody): Outcome {
  const card = findCard(state, cardId);
  const { reason = null, ...changes } = body;
  const fields = Object.keys(changes) as (keyof typeof changes)[];
  if (fields.length === 0) throw new ProtocolError('invalid-request', 'A change names what it changes.');
  const changed = { ...card, ...changes };
  // A request without a change makes no new version, so that a cancellation can be repeated.
  if (fields.every((field) => changed[field] === card[field])) return { facts: [], answer: () => card };
  if (card.status === 'canceled') {
    throw new ProtocolError('refused', 'A canceled card does not change any more.');
  }
  if (changed.status !== card.status && !moves[card.status].includes(changed.status)) {
    throw new ProtocolError('refused', `A card that is ${card.status} cannot become ${changed.status}.`);
  }
  const statusReason = changed.status === card.status ? (card.statusReason ?? null) : reason;
  const data = { ...changed, statusReason, version: card.version + 1, updatedAt: at.toISOString() };
  return { facts: [{ type: 'card.changed', data }], answer: () => data };
}

/** A stablecoin counts as a dollar; a transfer counts once, whatever is reported about it later. */
export function creditDeposit(now: Now, body: DepositBody): Outcome {
  const { cardIssuerUserId, network, currency, amount, transactionHash, logIndex } = body;
  const account = findAccount(now.state, cardIssuerUserId);
  const transfer = `${transactionHash.toLowerCase()}:${logIndex}`;
  const deposit = `${network}:${transfer}`;
  const answer = () => ({});
  if (now.state.deposits.has(deposit)) return { facts: [], answer };
  if (currency !== 'USDC' && currency !== 'USDT') {
    throw new ProtocolError('refused', 'Collateral is paid in USDC or USDT.');
  }
  // Less than a cent stays with the issuer.
  const amountMinor = parseMinor(amount, 18)! / 10n ** 16n;
  if (amountMinor === 0n) throw new ProtocolError('refused', 'A deposit has a cent or more.');
  const movement = move(now, account, {
    action: 'deposit',
    type: 'credit',
    amountMinor,
    reference: transfer,
    description: `Deposit of ${currency} on ${network}`,
  });
  return { facts: [movement], answer, deposit };
}

/** Events that merchants and card schemes would cause. */
export function simulate(now: Now, body: SimulationBody): Outcome {
  switch (body.kind) {
    case 'authorization':
    case 'decline':
      return authorize(now, body);
    case 'settlement':
      return settle(now, body);
    case 'refund':
      return refund(now, body);
    case 'collateral-deposit':
      return depositCollateral(now, body);
  }
}

const tellEvents = (events: WireEvent[]) => ({ events });

/** Takes the amount from the collateral at once. A decline is an outcome like any other. */
function authorize(now: Now, body: PurchaseBody): Outcome {
  const { state, at } = now;
  const { kind, cardId, amount, merchantName, localAmount, localCurrency } = body;
  if ((localAmount === undefined) !== (localCurrency === undefined)) {
    throw new ProtocolError('invalid-request', 'localAmount and localCurrency go together.');
  }
  const card = findCard(state, cardId);
  const account = findAccount(state, card.cardIssuerUserId);
  const declineReason =
    kind === 'decline'
      ? (body.declineReason ?? 'declined-by-merchant')
      : declineReasonOf(now, card, account, cents(amount));
  const createdAt = at.toISOString();
  const data: IssuerTransaction = {
    id: makeId('txn'),
    cardId,
    cardIssuerUserId: card.cardIssuerUserId,
    version: 1,
    type: 'purchase',
    status: declineReason === null ? 'pending' : 'declined',
    amount,
    currency: 'USD',
    merchantName,
    description: body.description ?? null,
    merchantCategory: body.merchantCategory ?? null,
    merchantCountry: body.merchantCountry ?? null,
    localAmount: localAmount ?? null,
    localCurrency: localCurrency ?? null,
    createdAt,
    authorizedAt: declineReason === null ? createdAt : null,
    settledAt: null,
    declineReason,
    updatedAt: createdAt,
  };
  const changed: Fact = { type: 'transaction.changed', data };
  if (declineReason !== null) return { facts: [changed], answer: tellEvents };
  const movement = move(now, account, {
    action: 'purchase',
    type: 'debit',
    amountMinor: cents(amount),
    transactionId: data.id,
    description: merchantName,
  });
  return { facts: [changed, movement], answer: tellEvents };
}

function declineReasonOf(
  { state, at }: Now,
  card: IssuerCard,
  account: Account,
  amountMinor: bigint,
): string | null {
  if (card.status !== 'active') return `card-${card.status}`;
  if (spentIn(state, card, at) + amountMinor > cents(card.spendingLimit)) return 'spending-limit-exceeded';
  if (amountMinor > account.balance) return 'insufficient-collateral';
  return null;
}

/** What was authorized and is not settled is returned; settling 0 reverses all of it. */
function settle(now: Now, { transactionId, amount }: SettlementBody): Outcome {
  const { state, at } = now;
  const purchase = findPurchase(state, transactionId);
  if (purchase.status !== 'pending') {
    throw new ProtocolError('refused', `A transaction that is ${purchase.status} cannot be settled.`);
  }
  const authorized = cents(purchase.amount);
  const settled = amount === undefined ? authorized : cents(amount);
  if (settled > authorized) {
    throw new ProtocolError('refused', 'A settlement cannot be of more than was authorized.');
  }
  const updatedAt = at.toISOString();
  const version = purchase.version + 1;
  const data: IssuerTransaction =
    settled === 0n
      ? { ...purchase, version, status: 'reversed', updatedAt }
      : {
          ...purchase,
          version,
          status: 'settled',
          amount: decimal(settled),
          settledAt: updatedAt,
          updatedAt,
        };
  const facts: Fact[] = [{ type: 'transaction.changed', data }];
  if (settled < authorized) {
    const account = findAccount(state, purchase.cardIssuerUserId);
    const givenBack = move(now, account, {
      action: 'adjustment',
      type: 'credit',
      amountMinor: authorized - settled,
      transactionId,
      description: `Not settled: ${purchase.merchantName}`,
    });
    facts.push(givenBack);
  }
  return { facts, answer: tellEvents };
}

function refund(now: Now, { transactionId, amount }: RefundBody): Outcome {
  const { state, at } = now;
  const purchase = findPurchase(state, transactionId);
  if (purchase.status !== 'settled') {
    throw new ProtocolError('refused', `A transaction that is ${purchase.status} cannot be refunded.`);
  }
  const left = cents(purchase.amount) - (state.refundedOfPurchase.get(transactionId) ?? 0n);
  const amountMinor = amount === undefined ? left : cents(amount);
  if (amountMinor === 0n || amountMinor > left) {
    throw new ProtocolError('refused', 'A refund cannot be of more than is left of the purchase.');
  }
  const createdAt = at.toISOString();
  const data: IssuerTransaction = {
    ...purchase,
    id: makeId('txn'),
    version: 1,
    type: 'refund',
    amount: decimal(amountMinor),
    // The merchant's amount is that of the whole purchase.
    localAmount: null,
    localCurrency: null,
    createdAt,
    authorizedAt: null,
    settledAt: createdAt,
    updatedAt: createdAt,
  };
  const movement = move(now, findAccount(state, purchase.cardIssuerUserId), {
    action: 'refund',
    type: 'credit',
    amountMinor,
    transactionId: data.id,
    description: `Refund: ${purchase.merchantName}`,
  });
  return {
    facts: [{ type: 'transaction.changed', data }, movement],
    answer: tellEvents,
    refundOf: { refundId: data.id, purchaseId: transactionId },
  };
}

function depositCollateral(now: Now, { cardIssuerUserId, amount, description }: CollateralBody): Outcome {
  const movement = move(now, findAccount(now.state, cardIssuerUserId), {
    action: 'deposit',
    type: 'credit',
    amountMinor: cents(amount),
    description: description ?? 'Deposit',
  });
  return { facts: [movement], answer: tellEvents };
}

interface NewMovement extends Pick<IssuerMovement, 'action' | 'type' | 'description'> {
  amountMinor: bigint;
  transactionId?: string;
  reference?: string;
}

/** As many digits as a balance of the protocol has, positive or negative: the journal must stay readable. */
const balanceMax = 10n ** 15n - 1n;

function move({ at }: Now, account: Account, movement: NewMovement): Fact {
  const { action, type, amountMinor, description, transactionId = null, reference = null } = movement;
  const running = account.balance + (type === 'credit' ? amountMinor : -amountMinor);
  if (running > balanceMax || running < -balanceMax) {
    throw new ProtocolError('refused', 'A balance has at most 13 digits before the point.');
  }
  const data: IssuerMovement = {
    id: makeId('mov'),
    cardIssuerUserId: account.user.id,
    sequence: account.movements + 1,
    action,
    type,
    status: 'completed',
    amount: decimal(amountMinor),
    previousBalance: decimal(account.balance),
    runningBalance: decimal(running),
    description,
    transactionId,
    reference,
    createdAt: at.toISOString(),
  };
  return { type: 'movement.posted', data };
}

export function findAccount(state: State, cardIssuerUserId: string): Account {
  const account = state.accounts.get(cardIssuerUserId);
  if (!account) throw new ProtocolError('not-found', 'No account has this id.');
  return account;
}

export function findCard(state: State, cardId: string): IssuerCard {
  const card = state.cards.get(cardId);
  if (!card) throw new ProtocolError('not-found', 'No card has this id.');
  return card;
}

function findPurchase(state: State, transactionId: string): IssuerTransaction {
  const transaction = state.transactions.get(transactionId);
  if (transaction?.type !== 'purchase') throw new ProtocolError('not-found', 'No purchase has this id.');
  return transaction;
}
