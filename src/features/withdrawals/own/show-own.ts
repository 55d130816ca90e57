import type { Static } from 'typebox';
import { type Ctx, type PartnerAdmin, personOfRequester } from '#context';
import { dayMs } from '#platform/values/duration';
import { formatMinor } from '#platform/values/money';
import { lowestUuidAt } from '#platform/values/uuid-time';
import { withdrawalErrors } from '../errors.ts';
import { selectMoves } from '../queries/withdrawals.ts';
import { searchWithdrawals } from '../search/queries.ts';
import { statuses } from '../states.ts';
import { countOpen, selectBulk, selectRequesterName, sumEnded } from './queries.ts';
import { type bulkSummary, type ownLife, type partnerSummary, presentOwn } from './wire.ts';

/** A withdrawal of the partner, with each state and its time. */
export async function showOwn(
  ctx: Ctx<PartnerAdmin>,
  { withdrawalId }: { withdrawalId: string },
): Promise<Static<typeof ownLife>> {
  const { partnerId } = ctx.actor;
  const id = withdrawalId.toLowerCase();
  const [row] = await searchWithdrawals(ctx.db, { id, partnerId, limit: 1 });
  if (!row) throw withdrawalErrors.withdrawalNotFound();
  const [moves, requestedByName] = await Promise.all([selectMoves(ctx.db, id), nameOf(ctx, row.keyId)]);
  const states = [{ status: 'queued' as const, at: row.createdAt }, ...moves];
  return {
    ...presentOwn(row),
    requestedByName,
    states: states.map(({ status, at }) => ({ status, at: at.toISOString() })),
  };
}

const nameOf = (ctx: Ctx<PartnerAdmin>, keyId: string) =>
  selectRequesterName(ctx.db, ctx.actor.partnerId, { keyId, personId: personOfRequester(keyId) ?? null });

/** How far the withdrawals of one request are. */
export async function showBulk(
  ctx: Ctx<PartnerAdmin>,
  { bulkId }: { bulkId: string },
): Promise<Static<typeof bulkSummary>> {
  const rows = await selectBulk(ctx.db, ctx.actor.partnerId, bulkId.toLowerCase());
  const [first] = rows;
  if (!first) throw withdrawalErrors.withdrawalNotFound();
  const countOf = (status: string) => sum(rows.filter((row) => row.status === status));
  const instants = (read: (row: (typeof rows)[number]) => Date) => rows.map((row) => read(row).getTime());
  return {
    bulkId: bulkId.toLowerCase(),
    userId: first.userId,
    requestedBy: first.keyId,
    requestedByName: await nameOf(ctx, first.keyId),
    createdAt: new Date(Math.min(...instants(({ createdAt }) => createdAt))).toISOString(),
    updatedAt: new Date(Math.max(...instants(({ updatedAt }) => updatedAt))).toISOString(),
    count: sum(rows),
    byStatus: Object.fromEntries(statuses.map((status) => [status, countOf(status)])) as Record<
      (typeof statuses)[number],
      number
    >,
    needApproval: rows.reduce((all, { needApproval }) => all + needApproval, 0),
    totals: totalsOf(rows),
  };
}

const sum = (rows: readonly { count: number }[]) => rows.reduce((all, { count }) => all + count, 0);

interface Amount {
  currency: string;
  network: string;
  decimals: number;
  amount: bigint;
}

/** One for each currency and network. */
export function totalsOf(rows: readonly Amount[]): { currency: string; network: string; amount: string }[] {
  const byAsset = new Map<string, Amount>();
  for (const { currency, network, decimals, amount } of rows) {
    const name = `${currency} ${network}`;
    const former = byAsset.get(name)?.amount ?? 0n;
    byAsset.set(name, { currency, network, decimals, amount: former + amount });
  }
  return [...byAsset.values()].map(({ currency, network, decimals, amount }) => ({
    currency,
    network,
    amount: formatMinor(amount, decimals),
  }));
}

const countedMax = 10_000;
/** A payment waits three days for an approval at most, so nearly all that end now are younger than this. */
const lifeMs = 4 * dayMs;

/** What happens now and what happened in the last 24 hours. */
export async function summarizeOwn(ctx: Ctx<PartnerAdmin>): Promise<Static<typeof partnerSummary>> {
  const { partnerId } = ctx.actor;
  const at = ctx.now.getTime();
  const since = new Date(at - dayMs);
  const fromId = lowestUuidAt(new Date(at - lifeMs));
  const [open, ended] = await Promise.all([
    countOpen(ctx.db, partnerId, countedMax),
    sumEnded(ctx.db, partnerId, { since, fromId, limit: countedMax }),
  ]);
  const completed = ended.filter(({ status }) => status === 'completed');
  return {
    ...open,
    completed: sum(completed),
    failed: sum(ended) - sum(completed),
    paid: totalsOf(completed),
  };
}
