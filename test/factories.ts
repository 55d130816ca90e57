import { randomBytes } from 'node:crypto';
import { type IssuedKey, issueKey } from '../src/keys/index.ts';
import { fundAccount } from '../src/ledger/index.ts';
import { type BatchLine, postBatch } from '../src/ledger/post-batch.ts';
import { allowUser, createPartner } from '../src/partners/index.ts';
import { createUser, type NewUser } from '../src/users/index.ts';
import { type Harness, noteSecret } from './harness.ts';

const mark = () => randomBytes(6).toString('hex');

export function makePartner(harness: Harness, name = `Partner ${mark()}`) {
  return createPartner(harness.operatorContext(), { name });
}

/** A user whose document number and tax id are noted as secrets of the run. */
export function makeUser(harness: Harness, fields: Partial<NewUser> = {}) {
  return createUser(harness.operatorContext(), {
    email: `${mark()}@example.com`,
    givenName: 'Test',
    familyName: 'Person',
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

/** A key with its partner and its owner, made where they are not given; the owner is on the partner's list. */
export async function makeKey(harness: Harness, terms: KeyTerms = {}): Promise<IssuedKey> {
  const partnerId = terms.partnerId ?? (await makePartner(harness)).id;
  const userId = terms.userId ?? (await makeUser(harness)).id;
  await allowUser(harness.operatorContext(), { partnerId, userId });
  const key = await issueKey(harness.operatorContext(), { name: 'test', ...terms, partnerId, userId });
  noteSecret(key.token.split('_')[2]!);
  return key;
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

/** A withdrawal of 1 USDT on polygon to an address of nobody's, unless told otherwise; its bulk id. */
export async function makeWithdrawal(harness: Harness, key: IssuedKey, fields: object = {}): Promise<string> {
  const { status, body } = await harness.request('POST', `/api/crypto/${key.userId}/withdraw`, {
    token: key.token,
    body: { amount: '1', to: makeAddress(), ...fields },
  });
  if (status !== 200) throw new Error(`the withdrawal was refused: ${body.error}`);
  return body.data.bulkId;
}

/** What a test says of a line; 1 USDC on polygon unless it says what moves, received unless the type only sends. */
export type LineFields = Partial<Omit<BatchLine, 'userId'>>;

export function lineOf(userId: string, fields: LineFields = {}): BatchLine {
  const { transactionType = 'buy' } = fields;
  const moves = fields.assetSent ?? fields.assetReceived;
  const usual =
    transactionType === 'sell'
      ? { assetSent: 'USDC', amountSent: '1' }
      : { assetReceived: 'USDC', amountReceived: '1' };
  return {
    ...{ userId, transactionType, network: 'polygon', description: 'A line' },
    ...(moves === undefined && usual),
    ...fields,
  };
}

/** Lines of a user's ledger, posted together in this order. */
export function makeLines(harness: Harness, userId: string, lines: readonly LineFields[]) {
  return postBatch(harness.operatorContext(), {
    ...{ key: mark(), lines: lines.map((fields) => lineOf(userId, fields)) },
  });
}
