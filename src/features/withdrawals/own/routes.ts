import { Type } from 'typebox';
import type { Deps } from '#context';
import { adminContext, adminGuard } from '#features/keys';
import { cursorPage } from '#platform/commands/cursor-page';
import { createDownloads } from '#platform/http/download';
import type { HttpServer } from '#platform/http/http';
import { limitConcurrency } from '#platform/http/limit-concurrency';
import { noQuery } from '#platform/http/schemas';
import type { RatePolicy } from '#platform/rate-limit/index';
import { withdrawalErrors } from '../errors.ts';
import { guardRows } from '../guard-rows.ts';
import { readers } from '../roles.ts';
import { exportOwn } from './export-own.ts';
import { ownReference } from './reference.ts';
import { searchOwn } from './search-own.ts';
import { showBulk, showOwn, summarizeOwn } from './show-own.ts';
import {
  bulkPath,
  bulkSummary,
  exportQuery,
  ownLife,
  ownListQuery,
  ownWithdrawal,
  partnerSummary,
  presentOwn,
  withdrawalPath,
} from './wire.ts';

const policy: RatePolicy = { name: 'partner-withdrawals', quota: 60, windowMs: 10_000 };
const readsMax = 3;

/** All withdrawals of a partner, for its people; the list also for keys. */
export function ownWithdrawalRoutes(server: HttpServer, deps: Deps): void {
  const guard = adminGuard(deps, { ...guardRows, exceeded: withdrawalErrors.rateLimitExceeded }, policy);
  const people = guard({ roles: readers, isForPeople: true }) as never;
  // They may read a long queue: payments of others must find connections meanwhile.
  const inTurn = limitConcurrency(readsMax);
  const { list, download, show, bulk, summary } = ownReference;
  const noStore = { 'cache-control': 'no-store' };

  server.get(
    '/api/withdrawals',
    {
      onRequest: guard({ roles: readers }) as never,
      config: { reference: list },
      schema: { querystring: ownListQuery, response: { 200: cursorPage(ownWithdrawal) } },
    },
    async (request, reply) => {
      const { items, nextCursor } = await inTurn(() => searchOwn(adminContext(deps, request), request.query));
      reply.headers(noStore);
      return { items: items.map(presentOwn), nextCursor };
    },
  );

  const sendDownload = createDownloads();
  server.get(
    '/api/withdrawals/export',
    {
      onRequest: people,
      exposeHeadRoute: false,
      config: { reference: download },
      schema: { querystring: exportQuery, response: { 200: csvFile } },
    },
    async (request, reply) => {
      const ctx = adminContext(deps, request);
      return sendDownload(request, reply, ctx.actor.partnerId, () => exportOwn(ctx, request.query));
    },
  );

  server.get(
    '/api/withdrawals/summary',
    {
      onRequest: people,
      config: { reference: summary },
      schema: { querystring: noQuery, response: { 200: partnerSummary } },
    },
    async (request, reply) => {
      reply.headers(noStore);
      return inTurn(() => summarizeOwn(adminContext(deps, request)));
    },
  );

  server.get(
    '/api/withdrawals/bulks/:bulkId',
    {
      onRequest: people,
      config: { reference: bulk },
      schema: { params: bulkPath, querystring: noQuery, response: { 200: bulkSummary } },
    },
    async (request, reply) => {
      reply.headers(noStore);
      return showBulk(adminContext(deps, request), request.params);
    },
  );

  server.get(
    '/api/withdrawals/:withdrawalId',
    {
      onRequest: people,
      config: { reference: show },
      schema: { params: withdrawalPath, querystring: noQuery, response: { 200: ownLife } },
    },
    async (request, reply) => {
      reply.headers(noStore);
      return showOwn(adminContext(deps, request), request.params);
    },
  );
}

const csvFile = {
  description: 'The file, streamed; truncated if it fails',
  content: { 'text/csv': { schema: Type.Unsafe<string>({ type: 'string', format: 'binary' }) } },
};
