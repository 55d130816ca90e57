import type { Ctx, Deps, PartnerAdmin, PartnerStaffActor } from '#context';
import { adminContext, adminGuard } from '#features/keys';
import type { HttpServer } from '#platform/http/http';
import { noQuery } from '#platform/http/schemas';
import { type RatePolicy, spendAllowance } from '#platform/rate-limit/index';
import type { Asset } from '../assets.ts';
import { withdrawalErrors } from '../errors.ts';
import { guardRows } from '../guard-rows.ts';
import { originOf } from '../origin.ts';
import { requireAllowedUser } from '../require-allowed-user.ts';
import { creators } from '../roles.ts';
import { confirmUpload, findUpload } from './confirm-upload.ts';
import { previewUpload } from './preview-upload.ts';
import { insertUpload, type UploadRow } from './queries.ts';
import { readFile } from './read-file.ts';
import { uploadReference } from './reference.ts';
import {
  confirmBody,
  confirmedUpload,
  uploadBody,
  uploadBytesMax,
  uploadPath,
  uploadPreview,
} from './wire.ts';

const policy: RatePolicy = { name: 'uploads', quota: 20, windowMs: 60_000 };
/** Of a partner: a preview holds the counters of rules for as long as the payment would. */
const previewPolicy: RatePolicy = { name: 'upload-previews', quota: 10, windowMs: 60_000 };

export interface UploadOptions {
  assets: readonly Asset[];
  spendBulk(actor: PartnerAdmin): Promise<Record<string, string>>;
}

/** Files of payouts, for people: what a file would do, and its confirmation. */
export function uploadRoutes(server: HttpServer, deps: Deps, { assets, spendBulk }: UploadOptions): void {
  const guard = adminGuard(deps, { ...guardRows, exceeded: withdrawalErrors.rateLimitExceeded }, policy);
  const people = guard({ roles: creators, isForPeople: true }) as never;
  const confirmed = guard({ roles: creators, isForPeople: true, stepUp: true }) as never;
  const contextOf = adminContext as (...given: Parameters<typeof adminContext>) => Ctx<PartnerStaffActor>;
  const { upload, show, confirm } = uploadReference;
  const preview = async (ctx: Ctx<PartnerStaffActor>, stored: UploadRow) => {
    const { partnerId: subject } = ctx.actor;
    const exceeded = withdrawalErrors.rateLimitExceeded;
    await spendAllowance(deps.limiter, { policy: previewPolicy, subject, exceeded });
    return previewUpload(ctx, assets, stored);
  };

  server.post(
    '/api/withdrawals/uploads',
    {
      onRequest: people,
      bodyLimit: uploadBytesMax,
      config: { reference: upload },
      schema: { querystring: noQuery, body: uploadBody, response: { 201: uploadPreview } },
    },
    async (request, reply) => {
      const ctx = contextOf(deps, request);
      const { partnerId, personId } = ctx.actor;
      const userId = request.body.userId.toLowerCase();
      await requireAllowedUser(ctx, userId);
      const items = readFile(request.body.csv);
      const stored = await insertUpload(ctx.db, { partnerId, userId, personId, items, createdAt: ctx.now });
      reply.status(201).header('cache-control', 'no-store');
      return preview(ctx, stored);
    },
  );

  server.get(
    '/api/withdrawals/uploads/:uploadId',
    {
      onRequest: people,
      config: { reference: show },
      schema: { params: uploadPath, querystring: noQuery, response: { 200: uploadPreview } },
    },
    async (request, reply) => {
      const ctx = contextOf(deps, request);
      const stored = await findUpload(ctx, request.params);
      await requireAllowedUser(ctx, stored.userId);
      reply.header('cache-control', 'no-store');
      return preview(ctx, stored);
    },
  );

  server.post(
    '/api/withdrawals/uploads/:uploadId/confirm',
    {
      onRequest: confirmed,
      config: { reference: confirm },
      schema: {
        params: uploadPath,
        querystring: noQuery,
        body: confirmBody,
        response: { 200: confirmedUpload },
      },
    },
    async (request) => {
      const ctx = contextOf(deps, request);
      const stored = await findUpload(ctx, request.params);
      await requireAllowedUser(ctx, stored.userId);
      const { bulkId, isReplay } = await confirmUpload(ctx, assets, {
        upload: stored,
        times: request.body.times,
        repeats: request.body.repeats,
        origin: originOf(request),
        admit: async () => void (await spendBulk(ctx.actor)),
      });
      return { bulkId, count: stored.items.length, isReplay };
    },
  );
}
