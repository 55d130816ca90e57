import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach } from 'node:test';
import { inspect } from 'node:util';
import { createHttpIssuer, type Issuer, IssuerFault } from '#adapters/issuer';

export interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}
export type Handler = (request: IncomingMessage, response: ServerResponse, asked: Asked) => void;

export const token = `token-${randomUUID()}`;
export const sessionId = `${'S3SSION'.repeat(49)}=`;

export const json =
  (value: unknown, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
export const failure = (reason: string, status: number, message = 'Because.') =>
  json({ error: { reason, message } }, status);

export const at = '2026-11-15T12:00:00.000Z';
export const user = {
  id: 'ciu_1',
  reference: 'user-1',
  collateralAddress: `0x${'ab'.repeat(20)}`,
  createdAt: at,
};
export const card = {
  id: 'card_1',
  cardIssuerUserId: 'ciu_1',
  version: 1,
  name: 'ANA LIMA',
  nickname: null,
  lastFourDigits: '0042',
  status: 'inactive',
  spendingLimit: '500.00',
  spendingInterval: 'monthly',
  createdAt: at,
  updatedAt: at,
} as const;
export const transaction = {
  id: 'txn_1',
  cardId: 'card_1',
  cardIssuerUserId: 'ciu_1',
  version: 1,
  type: 'purchase',
  status: 'pending',
  amount: '12.30',
  currency: 'USD',
  merchantName: 'Café “Ñ”',
  description: null,
  merchantCategory: null,
  merchantCountry: 'BR',
  localAmount: '66',
  localCurrency: 'BRL',
  createdAt: at,
  authorizedAt: at,
  settledAt: null,
  declineReason: null,
  updatedAt: at,
} as const;
export const movement = {
  id: 'mov_1',
  cardIssuerUserId: 'ciu_1',
  sequence: 1,
  action: 'purchase',
  type: 'debit',
  status: 'completed',
  amount: '12.30',
  previousBalance: '100.00',
  runningBalance: '87.70',
  description: 'Café “Ñ”',
  transactionId: 'txn_1',
  reference: null,
  createdAt: at,
} as const;
export const eventOf = (sequence: number | string, type: string, data: unknown) => ({
  id: `evt_${sequence}`,
  sequence: String(sequence),
  createdAt: at,
  type,
  data,
});
export const events = [
  eventOf(8, 'user.created', user),
  eventOf(9, 'card.changed', card),
  eventOf(10, 'transaction.changed', transaction),
  eventOf(11, 'movement.posted', movement),
];
export const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
export const secrets = {
  encryptedPan: Buffer.alloc(28 + 16, 7).toString('base64'),
  encryptedCvc: Buffer.alloc(28 + 3, 7).toString('base64'),
};
const newCard = {
  name: 'ANA LIMA',
  nickname: null,
  spendingLimit: '500.00',
  spendingInterval: 'monthly',
} as const;
export const deposit = {
  cardIssuerUserId: 'ciu_1',
  network: 'polygon',
  currency: 'USDC',
  amount: '25.00',
  transactionHash: `0x${'12'.repeat(32)}`,
  logIndex: 3,
};

/**
 * The fault that a call ends in. Nothing of what was sent or answered is in it, nor in whatever caused it.
 */
export async function faultOf(call: Promise<unknown>, ...secrets: string[]): Promise<IssuerFault> {
  const error = await call.then(
    (value) => assert.fail(`answered ${inspect(value)}`),
    (error) => error,
  );
  assert.ok(error instanceof IssuerFault, inspect(error));
  const words = inspect(error, { depth: 10, showHidden: true });
  for (const secret of [token, sessionId, 'CANARY', ...secrets]) assert.ok(!words.includes(secret), words);
  return error;
}

/**
 * An issuer that answers as each test wants: outside of the product, and mostly wrong. What it was asked is
 * forgotten before each test.
 */
export async function useIssuerStub(answer: () => Handler) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    const seen = { method, url, headers, body };
    asked.push(seen);
    answer()(request, response, seen);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tenant`;
  const issuer = createHttpIssuer({ url, token, timeoutMs: 30_000 });
  beforeEach(() => {
    asked.length = 0;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  /** Every operation: how it is called, what is sent, what a good answer is, and how often it is tried. */
  const operations: Record<
    keyof Issuer,
    { call: () => Promise<unknown>; sent: [string, string, unknown]; good: unknown; isRepeated: boolean }
  > = {
    createUser: {
      call: () => issuer.createUser({ reference: 'user-1', idempotencyKey: 'k-1' }),
      sent: ['POST', '/tenant/v1/users', { reference: 'user-1' }],
      good: user,
      isRepeated: true,
    },
    createCards: {
      call: () => issuer.createCards({ cardIssuerUserId: 'ciu_1', cards: [newCard], idempotencyKey: 'k-2' }),
      sent: ['POST', '/tenant/v1/cards', { cardIssuerUserId: 'ciu_1', cards: [newCard] }],
      good: { cards: [card] },
      isRepeated: true,
    },
    updateCard: {
      call: () =>
        issuer.updateCard({ cardId: 'card_1', status: 'active', nickname: null, idempotencyKey: 'k-3' }),
      sent: ['PATCH', '/tenant/v1/cards/card_1', { status: 'active', nickname: null }],
      good: card,
      isRepeated: true,
    },
    readCard: {
      call: () => issuer.readCard('card_1'),
      sent: ['GET', '/tenant/v1/cards/card_1', undefined],
      good: card,
      isRepeated: true,
    },
    readEvents: {
      call: () => issuer.readEvents({ after: 7n, limit: 4 }),
      sent: ['GET', '/tenant/v1/events?after=7&limit=4', undefined],
      good: { events },
      isRepeated: true,
    },
    readRevealKey: {
      call: () => issuer.readRevealKey(),
      sent: ['GET', '/tenant/v1/reveal-key', undefined],
      good: { publicKey },
      isRepeated: true,
    },
    reveal: {
      call: () => issuer.reveal({ cardId: 'card_1', cardIssuerUserId: 'ciu_1', sessionId }),
      sent: ['POST', '/tenant/v1/cards/card_1/reveal', { cardIssuerUserId: 'ciu_1', sessionId }],
      good: secrets,
      isRepeated: false,
    },
    announceDeposit: {
      call: () => issuer.announceDeposit(deposit),
      sent: ['POST', '/tenant/v1/deposits', deposit],
      good: {},
      isRepeated: true,
    },
    simulate: {
      call: () => issuer.simulate({ kind: 'settlement', transactionId: 'txn_1' }),
      sent: ['POST', '/tenant/v1/simulations', { kind: 'settlement', transactionId: 'txn_1' }],
      good: { events },
      isRepeated: true,
    },
  };

  return { asked, url, issuer, operations, everyOperation: Object.entries(operations) };
}
