import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { IssuerCard, IssuerMovement, IssuerTransaction } from '#adapters/issuer';
import type { Db } from '#platform/db/db';
import { makeUser } from '#test/data/factories';
import type { Harness } from '#test/harness';
import { applyEvents, type IssuerFact } from '../../src/features/cards/apply-events.ts';

const mark = () => randomBytes(6).toString('hex');
const longAgo = '2020-01-01T00:00:00.000Z';

export interface CardOwner {
  userId: string;
  cardIssuerUserId: string;
  cardIds: string[];
}

/** A user with an account at the issuer and cards in it, all from issuer events. */
export async function makeCardOwner(
  harness: Harness,
  { userId, cards = [{}] }: { userId?: string; cards?: readonly Partial<IssuerCard>[] } = {},
): Promise<CardOwner> {
  const reference = userId ?? (await makeUser(harness)).id;
  const cardIssuerUserId = `account-${mark()}`;
  const collateralAddress = `0x${randomBytes(20).toString('hex')}`;
  const told = cards.map((fields) => toCard(cardIssuerUserId, fields));
  await applyEvents(harness.deps, [
    {
      type: 'user.created',
      data: { id: cardIssuerUserId, reference, collateralAddress, createdAt: longAgo },
    },
    ...told.map((data) => ({ type: 'card.changed', data }) as const),
  ]);
  return { userId: reference, cardIssuerUserId, cardIds: told.map(({ id }) => id) };
}

export const toCard = (cardIssuerUserId: string, fields: Partial<IssuerCard> = {}): IssuerCard => ({
  id: `card-${mark()}`,
  cardIssuerUserId,
  version: 1,
  name: 'Test Person',
  nickname: null,
  lastFourDigits: '4242',
  status: 'active',
  spendingLimit: '100.00',
  spendingInterval: 'monthly',
  createdAt: longAgo,
  updatedAt: fields.createdAt ?? longAgo,
  ...fields,
});

export const toTransaction = (
  { cardIssuerUserId, cardIds }: CardOwner,
  fields: Partial<IssuerTransaction> = {},
): IssuerTransaction => ({
  id: `transaction-${mark()}`,
  cardId: cardIds[0]!,
  cardIssuerUserId,
  version: 1,
  type: 'purchase',
  status: 'pending',
  amount: '1.00',
  currency: 'USD',
  merchantName: 'Shop',
  description: null,
  merchantCategory: null,
  merchantCountry: null,
  localAmount: null,
  localCurrency: null,
  createdAt: longAgo,
  authorizedAt: null,
  settledAt: null,
  declineReason: null,
  updatedAt: longAgo,
  ...fields,
});

export const toMovement = (
  cardIssuerUserId: string,
  fields: Partial<IssuerMovement> & { sequence: number },
): IssuerMovement => ({
  id: `movement-${mark()}`,
  cardIssuerUserId,
  action: 'deposit',
  type: 'credit',
  status: 'completed',
  amount: '1.00',
  previousBalance: '0.00',
  runningBalance: '1.00',
  description: 'Deposit',
  transactionId: null,
  reference: null,
  createdAt: longAgo,
  ...fields,
});

/** In one transaction, as the reader of the issuer's events does. */
export async function tell(
  ctx: { db: Db },
  told: {
    cards?: readonly IssuerCard[];
    transactions?: readonly IssuerTransaction[];
    movements?: readonly IssuerMovement[];
  },
): Promise<void> {
  const facts: IssuerFact[] = [
    ...(told.cards ?? []).map((data) => ({ type: 'card.changed', data }) as const),
    ...(told.transactions ?? []).map((data) => ({ type: 'transaction.changed', data }) as const),
    ...(told.movements ?? []).map((data) => ({ type: 'movement.posted', data }) as const),
  ];
  assert.equal(await applyEvents(ctx, facts), 0, 'all is about somebody whom we know');
}

/**
 * Divides by 16 how many rows, and how many nodes, the lists of a database gather in a node: the same
 * functions with other numbers, so that a hundred rows make the three levels that otherwise take two hundred
 * thousand.
 */
export async function shrinkCardNodes(db: Db): Promise<void> {
  const counting = ['card_count', 'card_cut', 'card_locate', 'card_rank'];
  const rows = await db.query<{ text: string }>(
    `select pg_get_functiondef(p.oid) as text from pg_proc p
     where p.pronamespace = 'public'::regnamespace and p.proname = any ($1) and p.prosrc ~ '\\m(32|64|128)\\M'`,
    [counting],
  );
  assert.equal(rows.length, counting.length, 'functions that have such a number');
  for (const { text } of rows)
    await db.query(text.replace(/\b(32|64|128)\b/g, (found) => String(Number(found) / 16)));
}

/** Every list of a user has as many rows as it says, and so has every node; how many levels there are. */
export async function checkLists(db: Db, userId: string): Promise<number> {
  const lists = await db.query<{ id: bigint; size: bigint; rows: bigint }>(
    `select l.id, l.size, case l.kind when 'transactions' then (select count(*) from card_transactions t where t.user_id = l.user_id)
       else (select count(*) from card_movements m where m.user_id = l.user_id
         and m.card_issuer_user_id = coalesce(l.card_issuer_user_id, m.card_issuer_user_id)) end as rows
     from card_lists l where l.user_id = $1`,
    [userId],
  );
  let levels = 0;
  for (const { id, size, rows } of lists) {
    assert.equal(size, rows, 'rows of a list');
    const nodes = await db.query<{
      level: number;
      size: number;
      members: bigint;
      rows: bigint;
      below: bigint;
    }>(
      `select n.level, n.size, n.members, k.rows, b.below
       from card_lists l join card_nodes n on n.list_id = l.id
       cross join lateral (select count(*) as rows from card_keys(l, n.first_at, n.first_number, n.upto_at, n.upto_number)) k
       cross join lateral (select count(*) as below from card_nodes b where b.list_id = l.id and b.level = n.level - 1
         and (b.first_at, b.first_number) >= (n.first_at, n.first_number) and (b.upto_at, b.upto_number) <= (n.upto_at, n.upto_number)) b
       where l.id = $1`,
      [id],
    );
    for (const node of nodes) {
      assert.equal(node.members, node.rows, 'rows of a node');
      assert.equal(BigInt(node.size), node.level === 0 ? node.rows : node.below, 'what a node gathers');
    }
    for (const level of [0, 1, 2]) {
      const ofLevel = nodes.filter((node) => node.level === level);
      if (ofLevel.length === 0) continue;
      levels = Math.max(levels, level + 1);
      assert.equal(
        ofLevel.reduce((sum, { members }) => sum + members, 0n),
        rows,
        'rows of a level',
      );
    }
  }
  return levels;
}
