import type { Static } from 'typebox';
import type { Ctx, PartnerAdmin } from '#context';
import { selectBalances } from '#features/ledger';
import { hasRules } from '#features/rules';
import { formatMinor } from '#platform/values/money';
import type { Asset } from '../assets.ts';
import { findFaults } from '../bulk/find-faults.ts';
import type { BulkItem, Faulty } from '../bulk/item.ts';
import { toNewWithdrawal } from '../create-withdrawal.ts';
import { totalsOf } from '../own/show-own.ts';
import { contentKey, timesMax } from './content-key.ts';
import { findRepeats } from './find-repeats.ts';
import { judge } from './judge.ts';
import { selectPaid, type UploadRow } from './queries.ts';
import { readRows } from './read-rows.ts';
import type { uploadPreview } from './wire.ts';

/** What paying a file would do: rows at fault, sums, balances, verdicts, and earlier payments of the same. */
export async function previewUpload(
  ctx: Ctx<PartnerAdmin>,
  assets: readonly Asset[],
  upload: UploadRow,
): Promise<Static<typeof uploadPreview>> {
  const { userId } = upload;
  const items = readRows(assets, upload.items);
  const { recipients, faults } = await findFaults(ctx, { userId, items });
  const readable = items.filter(isReadable);
  const isWhole = faults.length === 0;
  const paid = isWhole ? await findPaid(ctx, userId, readable) : [];
  const toStore = isWhole
    ? readable.map((item, at) => toNewWithdrawal(ctx, { ...item, userId }, recipients.get(at)!))
    : [];
  const verdicts = isWhole && (await hasRules(ctx)) ? await judge(ctx, toStore) : null;
  const repeats = isWhole ? await findRepeats(ctx, userId, toStore) : [];
  const rowOf = (at: number) => upload.items[at]!.row;
  return {
    id: upload.id,
    userId,
    createdAt: upload.createdAt.toISOString(),
    rows: upload.items.map(({ externalId = null, ...row }) => ({ ...row, externalId })),
    faults: faults.map(([at, { field, message }]) => ({
      row: rowOf(at),
      field: field.split('.').at(-1)!,
      message,
    })),
    totals: await withBalances(ctx, userId, readable),
    verdicts: verdicts && {
      needApproval: verdicts.needApproval,
      denied: verdicts.denied.map(({ at, message }) => ({ row: rowOf(at), message })),
    },
    paid,
    repeats: repeats.map(({ at, likeAt, like }) => ({
      row: rowOf(at),
      likeRow: likeAt === null ? null : rowOf(likeAt),
      like: like && { id: like.id, createdAt: like.createdAt.toISOString() },
    })),
  };
}

const isReadable = (item: BulkItem | Faulty): item is BulkItem => 'asset' in item;

/** Earlier payments of the same content, the first one first. */
export async function findPaid(ctx: Ctx<PartnerAdmin>, userId: string, items: readonly BulkItem[]) {
  const keys = Array.from({ length: timesMax }, (_, times) => contentKey(userId, items, times));
  const rows = await selectPaid(ctx.db, ctx.actor.partnerId, keys);
  return rows
    .sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    .map(({ bulkId, createdAt }) => ({ bulkId, createdAt: createdAt.toISOString() }));
}

/** What is paid of each asset, and what the account has. */
async function withBalances(ctx: Ctx<PartnerAdmin>, userId: string, items: readonly BulkItem[]) {
  const balances = await selectBalances(ctx.db, userId);
  const amounts = items.map(({ asset: { token, network }, amount }) => ({
    currency: token.symbol,
    network: network.name,
    decimals: token.decimals,
    amount,
  }));
  return totalsOf(amounts).map((total) => {
    const { currency, network } = total;
    const has = balances.find((one) => one.currency === currency && one.network === network);
    const { decimals } = amounts.find((one) => one.currency === currency && one.network === network)!;
    const count = amounts.filter((one) => one.currency === currency && one.network === network).length;
    return { ...total, count, available: formatMinor(has ? has.balance - has.held : 0n, decimals) };
  });
}
