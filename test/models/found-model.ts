import assert from 'node:assert/strict';
import type { Ctx } from '#context';
import type { AssetTotal, Filter, Sorting } from '../../src/features/ledger/find/filter.ts';
import { findLines, searchMax, textSearchMax } from '../../src/features/ledger/find/find-lines.ts';
import type { ExpectedLine, LedgerModel } from './ledger-model.ts';

export interface FoundQuery extends Filter {
  userId: string;
  sort: Sorting;
  offset: number;
  limit: number;
}

/** Count, sums and page of a filter equal those of the model, which looks at every line: whole amounts. */
export async function expectFound(ctx: Ctx, model: LedgerModel, query: FoundQuery): Promise<void> {
  const { total, totals, items, searchedTo } = await findLines(ctx, query);
  const expected = findInModel(model, query);
  assert.equal(total, expected.lines.length, 'how many there are');
  assert.deepEqual(
    Object.fromEntries(totals.map(({ asset, ...figures }) => [asset, figures])),
    expected.totals,
  );
  assert.equal(searchedTo, expected.searchedTo);
  assert.deepEqual(
    items.map(({ id, transactionDate }) => [id, transactionDate]),
    expected.lines
      .slice(query.offset, query.offset + query.limit)
      .map(({ id, transactionDate }) => [id, transactionDate]),
  );
}

function findInModel(model: LedgerModel, query: FoundQuery) {
  const { userId, types, asset, network, minAmount, text, sort, startAt, endAt } = query;
  const inPeriod = model.select({ userId, feature: 'account', startAt, endAt });
  if (sort === 'oldest') inPeriod.reverse();
  const isOfAccount = (line: ExpectedLine, leg: string | null) =>
    leg !== null && (asset ?? leg) === leg && (network ?? line.network) === line.network;
  const isByAccount = asset !== undefined || network !== undefined;
  const candidates = inPeriod.filter((line) =>
    isByAccount
      ? isOfAccount(line, line.assetSent) || isOfAccount(line, line.assetReceived)
      : types.includes(line.transactionType),
  );
  const isSearch = minAmount !== undefined || text !== undefined || sort === 'largest';
  const most = text === undefined ? searchMax : textSearchMax;
  const looked = isSearch ? candidates.slice(0, most + 1) : candidates;
  const legs = new Map(looked.map((line) => [line, legsOf(line, query, isOfAccount)]));
  const lines = looked.filter(
    (line) =>
      types.includes(line.transactionType) &&
      legs.get(line)!.length > 0 &&
      (text === undefined || line.description.toLowerCase().includes(text.toLowerCase())),
  );
  const largest = (line: ExpectedLine) => Math.max(...legs.get(line)!.map(({ amount }) => amount));
  if (sort === 'largest') lines.sort((one, other) => largest(other) - largest(one));
  return {
    lines,
    totals: addUp(lines.flatMap((line) => legs.get(line)!)),
    searchedTo: isSearch && looked.length > most ? looked.at(-1)!.transactionDate : undefined,
  };
}

interface ModelLeg {
  isConversion: boolean;
  asset: string;
  amount: number;
  isSent: boolean;
}

function legsOf(
  line: ExpectedLine,
  { direction, minAmount = '0' }: Filter,
  isOfAccount: (line: ExpectedLine, leg: string | null) => boolean,
): ModelLeg[] {
  const { assetSent, amountSent, assetReceived, amountReceived } = line;
  const isConversion = line.transactionType === 'swap-bridge';
  const all: ModelLeg[] = [];
  if (direction !== 'in' && isOfAccount(line, assetSent)) {
    all.push({ isConversion, asset: assetSent!, amount: Number(amountSent), isSent: true });
  }
  if (direction !== 'out' && isOfAccount(line, assetReceived)) {
    all.push({ isConversion, asset: assetReceived!, amount: Number(amountReceived), isSent: false });
  }
  return all.filter(({ amount }) => amount >= Number(minAmount));
}

function addUp(legs: readonly ModelLeg[]) {
  const totals: Record<string, Omit<AssetTotal, 'asset'>> = {};
  for (const [asset, some] of Map.groupBy(legs, (leg) => leg.asset)) {
    const [sent, received] = [true, false].map((isSent) => some.filter((leg) => leg.isSent === isSent));
    const sum = (all: readonly ModelLeg[]) => String(all.reduce((total, { amount }) => total + amount, 0));
    const [inBoth, outBoth] = [received!, sent!].map((all) => sum(all.filter((leg) => leg.isConversion)));
    totals[asset] = {
      ...(inBoth !== '0' && { receivedByConversion: inBoth }),
      ...(outBoth !== '0' && { sentByConversion: outBoth }),
      received: sum(received!),
      receivedCount: received!.length,
      sent: sum(sent!),
      sentCount: sent!.length,
    };
  }
  return totals;
}
