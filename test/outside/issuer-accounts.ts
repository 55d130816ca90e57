import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import {
  type CardStatus,
  type IssuerCard,
  type IssuerEvent,
  IssuerFault,
  type IssuerFaultReason,
} from '#adapters/issuer';
import { ask } from '#test/harness';
import { startTestIssuer } from './issuer.ts';

export const newKey = () => randomUUID();

export const terms = {
  name: 'ANA LIMA',
  nickname: 'Groceries',
  spendingLimit: '500.00',
  spendingInterval: 'monthly',
} as const;

export const refused = (call: Promise<unknown>, reason: IssuerFaultReason, message?: RegExp) =>
  assert.rejects(call, (error) => {
    assert.ok(error instanceof IssuerFault, String(error));
    assert.equal(error.reason, reason);
    if (message) assert.match(error.message, message);
    return true;
  });

/** The sandbox's card issuer for a test file, and accounts and cards there. */
export async function useIssuerAccounts() {
  const server = await startTestIssuer();
  after(() => server.stop());
  const { issuer } = server;

  const makeAccount = async () =>
    (await issuer.createUser({ reference: randomUUID(), idempotencyKey: newKey() })).id;

  async function makeCard({
    collateral,
    status = 'active',
    ...own
  }: Partial<typeof terms | Pick<IssuerCard, 'spendingLimit' | 'spendingInterval'>> & {
    collateral?: string;
    status?: CardStatus;
  } = {}): Promise<IssuerCard> {
    const cardIssuerUserId = await makeAccount();
    const cards = [{ ...terms, ...own }];
    const [made] = await issuer.createCards({ cardIssuerUserId, cards, idempotencyKey: newKey() });
    let card = made!;
    const steps: Record<CardStatus, CardStatus[]> = {
      inactive: [],
      active: ['active'],
      locked: ['active', 'locked'],
      canceled: ['canceled'],
    };
    for (const step of steps[status]) {
      card = await issuer.updateCard({ cardId: card.id, status: step, idempotencyKey: newKey() });
    }
    if (collateral)
      await issuer.simulate({ kind: 'collateral-deposit', cardIssuerUserId, amount: collateral });
    return card;
  }

  async function allEvents(): Promise<IssuerEvent[]> {
    const events: IssuerEvent[] = [];
    for (;;) {
      const page = await issuer.readEvents({ after: events.at(-1)?.sequence ?? 0n, limit: 1_000 });
      if (page.length === 0) return events;
      events.push(...(page as IssuerEvent[]));
    }
  }

  /** A request as it is, for what our own client would not send. */
  const raw = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    ask(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'application/json',
        'idempotency-key': newKey(),
        ...headers,
      },
      body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
    });

  return { server, issuer, makeAccount, makeCard, allEvents, raw };
}
