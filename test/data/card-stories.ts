import { randomUUID } from 'node:crypto';
import { beforeEach } from 'node:test';
import type {
  FeedEvent,
  Issuer,
  IssuerCard,
  IssuerEvent,
  IssuerMovement,
  IssuerTransaction,
  IssuerUser,
} from '#adapters/issuer';
import { noIssuer } from '#adapters/issuer';
import { type Ctx, contextFor } from '#context';
import type { Db } from '#platform/db/db';
import { useHarness } from '#test/harness';
import type { IssuerFact } from '../../src/features/cards/apply-events.ts';
import { catchUp } from '../../src/features/cards/catch-up.ts';
import { listCardTransactions } from '../../src/features/cards/lists/list-card-transactions.ts';
import { listCards } from '../../src/features/cards/lists/list-cards.ts';
import { listMovements } from '../../src/features/cards/lists/list-movements.ts';
import { makeUser } from './factories.ts';

/** A step of somebody's story; numbers choose among what there is by then. */
export type Step =
  | { kind: 'account'; user: number }
  | { kind: 'card'; account: number; limit: number }
  | { kind: 'change'; card: number; status: number; nickname: number }
  | { kind: 'purchase'; card: number; amount: number; isDeclined: boolean }
  | { kind: 'settle'; transaction: number; amount: number }
  | { kind: 'move'; account: number; amount: number; isCredit: boolean };

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const dollars = (cents: number) => `${cents < 0 ? '-' : ''}${(Math.abs(cents) / 100).toFixed(2)}`;

const pick = <T>(items: readonly T[], choice: number): T | undefined => items[choice % (items.length || 1)];

/** An issuer that has a list of events and nothing else. */
export const issuerOf = (events: readonly FeedEvent[]): Issuer => ({
  ...noIssuer,
  readEvents: async ({ after, limit }) => events.filter(({ sequence }) => sequence > after).slice(0, limit),
});

class Undo extends Error {}

/** What the database numbers in the order of arrival, and when something was read. */
const passing = ['read_at', 'missing_since', 'number', 'list_id'];

/** The events of an issuer after these steps; it also has people who are not our users. */
function eventsOf(userIds: readonly string[], steps: readonly Step[]): IssuerEvent[] {
  const events: IssuerEvent[] = [];
  const accounts: (IssuerUser & { balance: number; movements: number })[] = [];
  const cards = new Map<string, IssuerCard>();
  const transactions = new Map<string, IssuerTransaction>();
  const references = [...userIds, randomUUID(), 'somebody'];
  const tell = (fact: IssuerFact) => {
    const sequence = BigInt(events.length + 1);
    events.push({ id: `evt_${sequence}`, sequence, createdAt: at(events.length), ...fact } as IssuerEvent);
  };
  const now = () => at(events.length);
  for (const step of steps) {
    switch (step.kind) {
      case 'account': {
        const data: IssuerUser = {
          id: `ciu_${accounts.length}`,
          reference: pick(references, step.user)!,
          collateralAddress: `0x${String(accounts.length).padStart(40, '0')}`,
          createdAt: now(),
        };
        accounts.push({ ...data, balance: 0, movements: 0 });
        tell({ type: 'user.created', data });
        break;
      }
      case 'card': {
        const account = pick(accounts, step.account);
        if (!account) break;
        const data: IssuerCard = {
          id: `crd_${cards.size}`,
          cardIssuerUserId: account.id,
          version: 1,
          name: 'Test Person',
          nickname: null,
          lastFourDigits: '4242',
          status: 'inactive',
          spendingLimit: dollars(step.limit),
          spendingInterval: 'monthly',
          createdAt: now(),
          updatedAt: now(),
        };
        cards.set(data.id, data);
        tell({ type: 'card.changed', data });
        break;
      }
      case 'change': {
        const card = pick([...cards.values()], step.card);
        if (!card) break;
        const data: IssuerCard = {
          ...card,
          version: card.version + 1,
          updatedAt: now(),
          nickname: `Nickname ${step.nickname}`,
          status: pick(['active', 'locked', 'canceled'] as const, step.status)!,
        };
        cards.set(data.id, data);
        tell({ type: 'card.changed', data });
        break;
      }
      case 'purchase': {
        const card = pick([...cards.values()], step.card);
        if (!card) break;
        const data: IssuerTransaction = {
          id: `txn_${transactions.size}`,
          cardId: card.id,
          cardIssuerUserId: card.cardIssuerUserId,
          version: 1,
          type: 'purchase',
          status: step.isDeclined ? 'declined' : 'pending',
          amount: dollars(step.amount),
          currency: 'USD',
          merchantName: 'Café “Zoé” 🍵',
          description: null,
          merchantCategory: null,
          merchantCountry: 'PT',
          localAmount: '12',
          localCurrency: 'JPY',
          createdAt: now(),
          authorizedAt: step.isDeclined ? null : now(),
          settledAt: null,
          declineReason: step.isDeclined ? 'card-locked' : null,
          updatedAt: now(),
        };
        transactions.set(data.id, data);
        tell({ type: 'transaction.changed', data });
        break;
      }
      case 'settle': {
        const transaction = pick([...transactions.values()], step.transaction);
        if (transaction?.status !== 'pending') break;
        const data: IssuerTransaction = {
          ...transaction,
          version: transaction.version + 1,
          status: 'settled',
          settledAt: now(),
          amount: dollars(step.amount),
          updatedAt: now(),
        };
        transactions.set(data.id, data);
        tell({ type: 'transaction.changed', data });
        break;
      }
      case 'move': {
        const account = pick(accounts, step.account);
        if (!account) break;
        const previous = account.balance;
        account.balance += step.isCredit ? step.amount : -step.amount;
        account.movements++;
        const data: IssuerMovement = {
          id: `mov_${account.id}_${account.movements}`,
          cardIssuerUserId: account.id,
          sequence: account.movements,
          action: step.isCredit ? 'deposit' : 'purchase',
          type: step.isCredit ? 'credit' : 'debit',
          status: 'completed',
          amount: dollars(step.amount),
          previousBalance: dollars(previous),
          runningBalance: dollars(account.balance),
          description: 'A movement',
          transactionId: null,
          reference: null,
          createdAt: now(),
        };
        tell({ type: 'movement.posted', data });
        break;
      }
    }
  }
  return events;
}

/** A server for a test file, and what an issuer tells it about the cards of two users. */
export function useCardStories() {
  const harness = useHarness();
  const userIds: string[] = [];
  beforeEach(async () => {
    while (userIds.length < 2) userIds.push((await makeUser(harness)).id);
  });

  const tellStory = (steps: readonly Step[]) => eventsOf(userIds, steps);

  const workerContext = (db: Db, issuer: Issuer): Ctx => ({
    ...contextFor(
      { ...harness.deps, issuer },
      { kind: 'worker', job: 'cards.catch-up' } as const,
      harness.deps.log,
    ),
    db,
    now: new Date(),
  });

  /** Runs in a transaction that is undone, so that each run begins with the same database. */
  async function undoing<T>(work: (db: Db) => Promise<T>): Promise<T> {
    let result: T;
    await harness.deps.db
      .transaction(async (db) => {
        result = await work(db);
        throw new Undo();
      })
      .catch((error) => {
        if (!(error instanceof Undo)) throw error;
      });
    return result!;
  }

  /**
   * Every row of every table, and what lists show; how rows are counted inside is not the same for every
   * order.
   */
  async function readEverything(db: Db): Promise<Record<string, unknown>> {
    const tables = await db.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
       and relname <> 'card_nodes' order by relname`,
    );
    const content: Record<string, unknown> = {};
    for (const { name } of tables) {
      const dropped = name === 'card_lists' ? [...passing, 'id'] : passing;
      const rows = await db.query<{ row: string }>(
        `select (to_jsonb(t) - $1::text[])::text as row from ${name} t order by 1`,
        [dropped],
      );
      content[name] = rows.map(({ row }) => row);
    }
    const ctx = workerContext(db, noIssuer);
    for (const userId of userIds) {
      const page = { userId, currentPage: 0, pageSize: 200 };
      content[`lists of ${userId}`] = [
        await listCards(ctx, { ...page, status: 'all' }),
        await listCardTransactions(ctx, page),
        await listMovements(ctx, page),
      ];
    }
    return content;
  }

  async function readToEnd(db: Db, events: readonly IssuerEvent[], limit = 200): Promise<void> {
    const ctx = workerContext(db, issuerOf(events));
    while ((await catchUp(ctx, { limit })).isBehind);
  }

  /** What a story comes to, found out by other means than those that are tested. */
  function sumUp(events: readonly IssuerEvent[]) {
    const ours = new Set<string>();
    const last = new Map<string, { version: number }>();
    const balances: Record<string, string> = {};
    let skipped = 0;
    for (const { type, data } of events) {
      if (type === 'user.created') {
        if (userIds.includes(data.reference)) {
          ours.add(data.id);
          balances[data.id] = '0.00';
        } else skipped++;
        continue;
      }
      if (!ours.has(data.cardIssuerUserId)) skipped++;
      else if (type === 'movement.posted') balances[data.cardIssuerUserId] = data.runningBalance;
      else last.set(data.id, data);
    }
    return {
      balances,
      skipped,
      versions: Object.fromEntries([...last].map(([id, { version }]) => [id, version])),
    };
  }

  async function readSummary(db: Db) {
    const accounts = await db.query<{ id: string; collateral: bigint }>(
      'select id, collateral from card_issuer_users',
    );
    const rows = await db.query<{ id: string; version: number }>(
      'select id, version from cards union all select id, version from card_transactions',
    );
    const [cursor] = await db.query<{ skipped: bigint }>('select skipped from card_event_cursor');
    return {
      balances: Object.fromEntries(accounts.map(({ id, collateral }) => [id, dollars(Number(collateral))])),
      skipped: Number(cursor!.skipped),
      versions: Object.fromEntries(rows.map(({ id, version }) => [id, version])),
    };
  }

  return { harness, workerContext, undoing, readEverything, readToEnd, tellStory, sumUp, readSummary };
}
