import type { Ctx, PartnerAdmin } from '#context';
import { invalidField } from '#platform/errors/errors';
import type { Asset } from '../assets.ts';
import { createBulk } from '../bulk/create-bulk.ts';
import { withdrawalErrors } from '../errors.ts';
import type { Created } from '../idempotency.ts';
import type { Origin } from '../queries/creations.ts';
import { contentKey } from './content-key.ts';
import { findRepeats } from './find-repeats.ts';
import { findPaid } from './preview-upload.ts';
import { selectUpload, type UploadRow } from './queries.ts';
import { readRows } from './read-rows.ts';

export interface Confirmation {
  upload: UploadRow;
  /** How often the same content was paid before, as the person saw it; 0 pays it at most once ever. */
  times: number;
  /** How many rows the person saw that may be second payments. */
  repeats?: number | undefined;
  origin: Origin;
  admit(): Promise<void>;
}

/**
 * Pays a file as one bulk, under a key of its content. So the same content is paid once, by any person and
 * process, also after a crash. Only who saw that it was paid `times` times pays it once more.
 */
export async function confirmUpload(
  ctx: Ctx<PartnerAdmin>,
  assets: readonly Asset[],
  { upload, times, repeats, origin, admit }: Confirmation,
): Promise<Created> {
  const { userId } = upload;
  const items = readRows(assets, upload.items);
  const readable = items.filter((item) => 'asset' in item);
  // Faulty rows are refused by `createBulk`, which then has no key.
  if (readable.length < items.length)
    return createBulk(ctx, { userId, items, idempotencyKey: undefined, origin, admit });
  if (times > 0 && times > (await findPaid(ctx, userId, readable)).length)
    throw invalidField('times', 'is more often than the file was paid');
  return createBulk(ctx, {
    userId,
    items,
    idempotencyKey: contentKey(userId, readable, times),
    origin,
    admit,
    inspect: async (payments) => {
      if (repeats === undefined) return;
      if ((await findRepeats(ctx, userId, payments)).length > repeats) throw withdrawalErrors.moreRepeats();
    },
  });
}

export async function findUpload(
  { db, actor }: Ctx<PartnerAdmin>,
  { uploadId }: { uploadId: string },
): Promise<UploadRow> {
  const upload = await selectUpload(db, actor.partnerId, uploadId);
  if (!upload) throw withdrawalErrors.uploadNotFound();
  return upload;
}
