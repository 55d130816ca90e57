import assert from 'node:assert/strict';
import type { Ctx } from '#context';
import {
  type AccountFeature,
  accountFeatures,
  type LineType,
  type LineView,
  openStatement,
} from '#features/ledger';
import type { Db } from '#platform/db/db';
import { formatMinor } from '#platform/values/money';
import { listLines } from '../../src/features/ledger/lines/list-lines.ts';
import { type BatchLine, postBatch } from '../../src/features/ledger/post-batch.ts';

/** A line as it must be shown. The ledger chooses its key. */
export type ExpectedLine = Omit<LineView, 'uniqueHashId'>;

export interface LedgerQuery {
  userId: string;
  feature: AccountFeature;
  startAt?: Date;
  endAt?: Date;
}

interface ModelLine {
  line: BatchLine;
  /** The order of posting. */
  order: number;
  at: number;
}

/**
 * What ledgers must show, by the simplest means: all lines in an array, sorted and summed again each time.
 * Whole amounts only.
 */
export class LedgerModel {
  readonly #lines = new Map<string, ModelLine[]>();
  readonly #shown = new Map<string, ExpectedLine[]>();
  #count = 0;

  /** Posts lines to the ledger and adds them to the model. */
  async post(ctx: Ctx, key: string, lines: readonly BatchLine[]): Promise<void> {
    await postBatch(ctx, { key, lines });
    for (const line of lines) {
      this.#count += 1;
      const at = Date.parse(line.transactionDate!);
      const known = this.#lines.get(line.userId) ?? [];
      known.push({ line, order: this.#count, at });
      this.#lines.set(line.userId, known);
      this.#shown.delete(line.userId);
    }
  }

  /** Newest first. */
  select({ userId, feature, startAt, endAt }: LedgerQuery): ExpectedLine[] {
    const types: readonly LineType[] = accountFeatures[feature];
    return this.#all(userId).filter(({ transactionType, transactionDate }) => {
      const at = Date.parse(transactionDate);
      return (
        types.includes(transactionType) &&
        (!startAt || at >= startAt.getTime()) &&
        (!endAt || at <= endAt.getTime())
      );
    });
  }

  /** A user's balance of each asset after the lines up to an instant, inclusive unless `isBefore`. */
  balancesAt(userId: string, instant: Date | undefined, isBefore = false): Map<string, bigint> {
    const balances = new Map<string, bigint>();
    for (const line of this.#all(userId)) {
      const at = Date.parse(line.transactionDate);
      const limit = instant?.getTime() ?? (isBefore ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
      const counts = isBefore ? at < limit : at <= limit;
      for (const [asset, amount] of movesOf(line))
        balances.set(asset, (balances.get(asset) ?? 0n) + (counts ? amount : 0n));
    }
    return balances;
  }

  #all(userId: string): ExpectedLine[] {
    const known = this.#shown.get(userId);
    if (known) return known;
    const balances = new Map<string, bigint>();
    const lines = (this.#lines.get(userId) ?? []).toSorted((a, b) => a.at - b.at || a.order - b.order);
    const shown = lines.map(({ line, at }) => {
      const view = toExpected(line, at);
      for (const [asset, amount] of movesOf(view)) balances.set(asset, (balances.get(asset) ?? 0n) + amount);
      return { ...view, runningBalance: String(balances.get(`${view.network} ${view.asset}`)) };
    });
    this.#shown.set(userId, shown.reverse());
    return shown;
  }
}

function toExpected(line: BatchLine, at: number): ExpectedLine {
  const { assetSent = null, amountSent = null, assetReceived = null, amountReceived = null } = line;
  return {
    id: line.id!,
    transactionDate: new Date(at).toISOString(),
    transactionType: line.transactionType,
    description: line.description,
    status: 'completed',
    network: line.network,
    asset: (assetReceived ?? assetSent)!,
    amount: (amountReceived ?? amountSent)!,
    assetSent,
    amountSent,
    assetReceived,
    amountReceived,
    runningBalance: '',
    executedAt: null,
    transactionPurpose: line.transactionPurpose!,
    userDescription: null,
  };
}

const movesOf = (line: ExpectedLine): [asset: string, amount: bigint][] => [
  ...(line.assetReceived
    ? [[`${line.network} ${line.assetReceived}`, BigInt(line.amountReceived!)] as [string, bigint]]
    : []),
  ...(line.assetSent
    ? [[`${line.network} ${line.assetSent}`, -BigInt(line.amountSent!)] as [string, bigint]]
    : []),
];

export function withoutKey({ uniqueHashId, ...line }: LineView): ExpectedLine {
  assert.ok(uniqueHashId);
  return line;
}

/** A page of the ledger equals the model's. */
export async function expectPage(
  ctx: Ctx,
  model: LedgerModel,
  query: LedgerQuery,
  page: { currentPage: number; pageSize: number },
): Promise<void> {
  const { userId, feature, startAt, endAt } = query;
  const types = accountFeatures[feature];
  const { total, lines } = await listLines(ctx, { userId, types, startAt, endAt, ...page });
  const expected = model.select(query);
  const from = page.currentPage * page.pageSize;
  assert.equal(total, expected.length);
  assert.deepEqual(lines.map(withoutKey), expected.slice(from, from + page.pageSize));
}

/** All pages, and one past the end, equal the model's, and no key occurs twice. */
export async function expectAllPages(
  ctx: Ctx,
  model: LedgerModel,
  query: LedgerQuery,
  pageSize: number,
): Promise<void> {
  const { userId, feature, startAt, endAt } = query;
  const types = accountFeatures[feature];
  const expected = model.select(query);
  const read: LineView[] = [];
  const numberOfPages = Math.ceil(expected.length / pageSize);
  for (let currentPage = 0; currentPage <= numberOfPages; currentPage++) {
    const { total, lines } = await listLines(ctx, { userId, types, startAt, endAt, currentPage, pageSize });
    assert.equal(total, expected.length);
    assert.equal(lines.length, Math.min(pageSize, Math.max(0, total - currentPage * pageSize)));
    read.push(...lines);
  }
  assert.deepEqual(read.map(withoutKey), expected);
  assert.equal(new Set(read.map(({ uniqueHashId }) => uniqueHashId)).size, read.length);
}

/** A statement has the model's lines, and its balances are those before and after its period. */
export async function expectStatement(ctx: Ctx, model: LedgerModel, query: LedgerQuery): Promise<void> {
  const { userId, feature, startAt, endAt } = query;
  const types = accountFeatures[feature];
  const statement = await openStatement(ctx, { userId, types, startAt, endAt });
  const lines: LineView[] = [];
  for await (const batch of statement.batches) lines.push(...batch);
  const expected = model.select(query);
  assert.equal(statement.lineCount, expected.length);
  assert.deepEqual(lines.map(withoutKey), expected);
  const turned: LineView[] = [];
  const { batches } = await openStatement(ctx, { userId, types, startAt, endAt, order: 'oldest' });
  for await (const batch of batches) turned.push(...batch);
  assert.deepEqual(turned.map(withoutKey), expected.toReversed());
  const [opening, closing] = [model.balancesAt(userId, startAt, true), model.balancesAt(userId, endAt)];
  const moved = new Map<string, { moneyIn: bigint; moneyOut: bigint }>();
  for (const [asset, amount] of expected.flatMap((line) => [...movesOf(line)])) {
    const totals = moved.get(asset) ?? { moneyIn: 0n, moneyOut: 0n };
    if (amount > 0n) totals.moneyIn += amount;
    else totals.moneyOut -= amount;
    moved.set(asset, totals);
  }
  const shown = [...closing.keys()].filter(
    (asset) => moved.has(asset) || opening.get(asset) !== 0n || closing.get(asset) !== 0n,
  );
  assert.deepEqual(
    new Map(
      (await statement.readBalances()).map(({ network, currency, decimals, ...each }) => [
        `${network} ${currency}`,
        [each.opening, each.moneyIn, each.moneyOut, each.closing].map((amount) =>
          formatMinor(amount, decimals),
        ),
      ]),
    ),
    new Map(
      shown.map((asset) => {
        const { moneyIn = 0n, moneyOut = 0n } = moved.get(asset) ?? {};
        return [asset, [opening.get(asset), moneyIn, moneyOut, closing.get(asset)].map(String)];
      }),
    ),
  );
}

/**
 * Divides by 16 how many lines, and how many nodes, the ledgers of a database gather in a node: the same
 * functions with other numbers, so that a hundred lines make the three levels that otherwise take a hundred
 * thousand.
 */
export async function shrinkNodes(db: Db): Promise<void> {
  const rows = await db.query<{ name: string; text: string }>(
    `select p.proname as name, pg_get_functiondef(p.oid) as text from pg_proc p
     where p.pronamespace = 'public'::regnamespace and p.proname like 'ledger\\_%' and p.prosrc ~ '\\m(32|64|128|256|512)\\M'`,
  );
  const names = rows.map(({ name }) => name);
  for (const expected of [
    'ledger_cut_lines',
    'ledger_group_nodes',
    'ledger_group_waiting',
    'ledger_cut_node',
    'ledger_count',
  ])
    assert.ok(names.includes(expected), `${expected} has no such number any more`);
  for (const { text } of rows)
    await db.query(text.replace(/\b(32|64|128|256|512)\b/g, (found) => String(Number(found) / 16)));
}

/** How many nodes a user's ledger has at each level. */
export async function countNodes(db: Db, userId: string, isSettled = true): Promise<number[]> {
  const rows = await db.query<{ level: number; nodes: bigint }>(
    `select n.level, count(*) as nodes from ledger_lists l join ledger_nodes n on n.list_id = l.id
     where l.user_id = $1 and l.is_settled = $2 group by n.level order by n.level`,
    [userId, isSettled],
  );
  return rows.map(({ nodes }) => Number(nodes));
}
