import { randomBytes } from 'node:crypto';
import { contextFor } from '#context';
import {
  type ConsentRequest,
  decideConsent,
  openConsentLink,
  requestConsent,
} from '#features/connect/consents';
import {
  type NewIntegration,
  type RegisteredIntegration,
  registerIntegration,
} from '#features/connect/integrations';
import { type IssuedKey, issueKey } from '#features/keys';
import { type Deposit, fundAccount, postDeposits } from '#features/ledger';
import { allowUser, createPartner } from '#features/partners';
import { createUser, type NewUser } from '#features/users';
import { type Harness, noteSecret } from '#test/harness';
import { type BatchLine, postBatch } from '../../src/features/ledger/post-batch.ts';

const mark = () => randomBytes(6).toString('hex');

export function makePartner(harness: Harness, name = `Partner ${mark()}`) {
  return createPartner(harness.operatorContext(), { name });
}

/** A user whose document number and tax id are registered as secrets of the run. */
export function makeUser(harness: Harness, fields: Partial<NewUser> = {}) {
  return createUser(harness.operatorContext(), {
    email: `${mark()}@example.com`,
    givenName: 'Test',
    familyName: 'Person',
    emailVerified: true,
    documentType: 'passport',
    documentNumber: noteSecret(`DOC-${mark()}`),
    taxId: noteSecret(`TAX-${mark()}`),
    ...fields,
  });
}

export interface KeyTerms {
  partnerId?: string;
  userId?: string;
  scopes?: string[];
  ipAllowlist?: string[];
  expiresAt?: string;
}

/** A key with its partner and owner, created unless given; the owner is on the partner's list. */
export async function makeKey(harness: Harness, terms: KeyTerms = {}): Promise<IssuedKey> {
  const partnerId = terms.partnerId ?? (await makePartner(harness)).id;
  const userId = terms.userId ?? (await makeUser(harness)).id;
  await allowUser(harness.operatorContext(), { partnerId, userId });
  const key = await issueKey(harness.operatorContext(), { name: 'test', ...terms, partnerId, userId });
  noteSecret(key.token.split('_')[2]!);
  return key;
}

/** An integration with all scopes; `token` goes into `x-api-key`. */
export async function makeIntegration(harness: Harness, fields: Partial<NewIntegration> = {}) {
  const integration = await registerIntegration(harness.operatorContext(), {
    name: `Integration ${mark()}`,
    logoColor: '#1a7f5a',
    purposes: ['Open an account', 'Check who you are'],
    scopes: ['profile', 'email', 'wallet', 'kyc'],
    redirectUris: ['https://app.example.com/back'],
    ...fields,
  });
  noteSecret(integration.token.split('_')[2]!);
  return integration;
}

export const integrationContextOf = (harness: Harness, { id, keyId }: { id: string; keyId: string }) =>
  contextFor(harness.deps, { kind: 'integration', integrationId: id, keyId } as const, harness.deps.log);

export const userContextOf = (harness: Harness, userId: string) =>
  contextFor(harness.deps, { kind: 'user', userId } as const, harness.deps.log);

/** Defaults of a request: all scopes, none optional, until revoked. */
export const consentRequest = (fields: Partial<ConsentRequest> = {}): ConsentRequest => ({
  scopes: ['profile', 'email', 'wallet', 'kyc'],
  redirectUri: 'https://app.example.com/back',
  purpose: 'Open an account',
  duration: { kind: 'until-revoked' },
  ...fields,
});

/** A request of an integration whose link nobody has opened yet. */
export async function makeConsentRequest(
  harness: Harness,
  integration: RegisteredIntegration,
  fields: Partial<ConsentRequest> = {},
) {
  const asked = await requestConsent(integrationContextOf(harness, integration), consentRequest(fields));
  noteSecret(asked.linkToken);
  return asked;
}

/** A consent that a user granted, by default all of it; the user is created unless given. */
export async function makeConsent(
  harness: Harness,
  integration: RegisteredIntegration,
  { userId, scopes, ...fields }: Partial<ConsentRequest> & { userId?: string } = {},
) {
  const { linkToken } = await makeConsentRequest(harness, integration, {
    ...fields,
    ...(scopes && { scopes }),
  });
  const owner = userContextOf(harness, userId ?? (await makeUser(harness)).id);
  const { consent: asked } = await openConsentLink(owner, { linkToken });
  const granted = { linkToken, decision: 'grant', scopes: asked.requestedScopes } as const;
  const { consent } = await decideConsent(owner, granted);
  return { ...consent, userId: owner.actor.userId };
}

export function makeAddress(): string {
  return `0x${randomBytes(20).toString('hex')}`;
}

export function makeFunds(
  harness: Harness,
  userId: string,
  network: string,
  currency: string,
  amount: string,
) {
  return fundAccount(harness.operatorContext(), { userId, network, currency, amount });
}

/** A withdrawal, by default 1 USDT on polygon to an unused address; returns its bulk id. */
export async function makeWithdrawal(harness: Harness, key: IssuedKey, fields: object = {}): Promise<string> {
  const { status, body } = await harness.request('POST', `/api/crypto/${key.userId}/withdraw`, {
    token: key.token,
    body: { amount: '1', to: makeAddress(), ...fields },
  });
  if (status !== 200) throw new Error(`the withdrawal was refused: ${body.error}`);
  return body.data.bulkId;
}

/** Fields of a line. Default: 1 USDC on polygon, received unless the type only sends. */
export type LineFields = Partial<Omit<BatchLine, 'userId'>>;

export function lineOf(userId: string, fields: LineFields = {}): BatchLine {
  const { transactionType = 'buy' } = fields;
  const moves = fields.assetSent ?? fields.assetReceived;
  const usual =
    transactionType === 'sell'
      ? { assetSent: 'USDC', amountSent: '1' }
      : { assetReceived: 'USDC', amountReceived: '1' };
  return {
    userId,
    transactionType,
    network: 'polygon',
    description: 'A line',
    ...(moves === undefined && usual),
    ...fields,
  };
}

/** Lines of a user's ledger, posted together in this order. */
export function makeLines(harness: Harness, userId: string, lines: readonly LineFields[]) {
  return postBatch(harness.operatorContext(), {
    key: mark(),
    lines: lines.map((fields) => lineOf(userId, fields)),
  });
}

export interface DepositFields extends Partial<Omit<Deposit, 'userId'>> {
  wallet?: string;
  blockNumber?: number;
}

/** A deposit, by default of 7.5 USDT on polygon, as the watcher posts it. */
export async function makeDeposit(harness: Harness, userId: string, fields: DepositFields = {}) {
  const { db, clock } = harness.deps;
  const deposit = {
    userId,
    network: 'polygon',
    currency: 'USDT',
    amount: 7_500_000n,
    transactionHash: `0x${randomBytes(32).toString('hex')}`,
    logIndex: 2,
    at: clock(),
    wallet: makeAddress(),
    blockNumber: 4711,
    ...fields,
  };
  const { network, transactionHash, logIndex, blockNumber, wallet, currency, amount } = deposit;
  await db.query(
    `insert into deposit_cursors (network, next_block, last_block_at, updated_at) values ($1, $2, now(), now())
     on conflict (network) do update set next_block = greatest(deposit_cursors.next_block, excluded.next_block)`,
    [network, blockNumber + 1],
  );
  await db.query(
    `insert into deposits (network, transaction_hash, log_index, block_number, user_id, wallet, currency, amount)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [network, transactionHash, logIndex, blockNumber, userId, wallet, currency, amount],
  );
  await postDeposits(contextFor(harness.deps, { kind: 'worker', job: 'test' }, harness.deps.log), [deposit]);
  return deposit;
}
