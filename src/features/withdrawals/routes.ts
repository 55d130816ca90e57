import type { WithdrawalLimit, WithdrawalRates } from '#config/config';
import type { Deps, PartnerAdmin } from '#context';
import { adminContext, partnerGuard } from '#features/keys';
import { readLimits } from '#features/rules';
import { invalidField } from '#platform/errors/errors';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
import { noQuery, uuidForm } from '#platform/http/schemas';
import { type Asset, listAssets } from './assets.ts';
import { createBulk } from './bulk/create-bulk.ts';
import { bulkReference } from './bulk/reference.ts';
import { bulkBody, bulkBytesMax, createdBulk, parseBulk } from './bulk/wire.ts';
import { createWithdrawal } from './create-withdrawal.ts';
import { guardRows } from './guard-rows.ts';
import { limitBulks, limitCreations } from './limit-creations.ts';
import { listWithdrawals } from './list-withdrawals.ts';
import { originOf } from './origin.ts';
import { assetsReference, createReference, limitsReference, listReference } from './reference.ts';
import { requireAllowedUser } from './require-allowed-user.ts';
import { creators, readers } from './roles.ts';
import { uploadRoutes } from './uploads/routes.ts';
import {
  assetList,
  createdWithdrawal,
  idempotencyHeaders,
  limitList,
  limitsQuery,
  listQuery,
  parseIdempotencyKey,
  parseListQuery,
  parseWithdrawal,
  presentAssets,
  presentWithdrawal,
  userPath,
  withdrawalBody,
  withdrawalPage,
} from './wire.ts';

export interface WithdrawalOptions {
  withdrawalLimits: readonly WithdrawalLimit[];
  withdrawalRates: WithdrawalRates;
}

/** Create and list withdrawals, by keys and people of partners; what can be paid, and what limits leave. */
export function withdrawalRoutes(server: HttpServer, deps: Deps, options: WithdrawalOptions): void {
  const assets = listAssets(deps.evm, options.withdrawalLimits);
  const spendCreation = limitCreations(deps.limiter, options.withdrawalRates);
  const spendBulk = limitBulks(deps.limiter, options.withdrawalRates);
  // In the order of the reference: what most callers begin with comes first.
  createRoutes(server, deps, { assets, spendCreation, spendBulk });
  readRoutes(server, deps, assets);
  uploadRoutes(server, deps, { assets, spendBulk });
}

/** Checks the user of the path before the body is read. */
const authorizeFor = (deps: Deps) => async (request: FastifyRequest) => {
  const { userId } = request.params as { userId: string };
  await requireAllowedUser(adminContext(deps, request), userId, request.userAccess);
};

/** The user of the path: whether the partner may act for them is read with its key. */
const userOf = (request: FastifyRequest): string | undefined => {
  const userId = (request.params as { userId: string }).userId.toLowerCase();
  return uuidForm.test(userId) ? userId : undefined;
};

interface Creation {
  assets: readonly Asset[];
  spendCreation: ReturnType<typeof limitCreations>;
  spendBulk: ReturnType<typeof limitBulks>;
}

function createRoutes(server: HttpServer, deps: Deps, { assets, spendCreation, spendBulk }: Creation): void {
  const guard = partnerGuard(deps, guardRows)({ roles: creators, stepUp: true, userOf });
  const onRequest = [guard, authorizeFor(deps)];

  server.post(
    '/api/crypto/:userId/withdraw',
    {
      onRequest,
      config: { reference: createReference },
      schema: {
        params: userPath,
        querystring: noQuery,
        headers: idempotencyHeaders,
        body: withdrawalBody,
        response: { 200: createdWithdrawal },
      },
    },
    async (request, reply) => {
      const ctx = adminContext(deps, request);
      const userId = request.params.userId.toLowerCase();
      const { bulkId, isReplay } = await createWithdrawal(ctx, {
        userId,
        admit: async () => void reply.headers(await spendCreation(ctx.actor, userId)),
        idempotencyKey: parseIdempotencyKey(request.headers['idempotency-key']),
        origin: originOf(request),
        ...parseWithdrawal(assets, request.body),
      });
      if (isReplay) reply.header('idempotency-replayed', 'true');
      const externalId = request.body.externalId ?? undefined;
      return { message: 'Withdrawal created as queued', data: { bulkId, externalId } };
    },
  );

  server.post(
    '/api/crypto/:userId/withdrawals/bulk',
    {
      onRequest,
      bodyLimit: bulkBytesMax,
      config: { reference: bulkReference },
      schema: {
        params: userPath,
        querystring: noQuery,
        headers: idempotencyHeaders,
        body: bulkBody,
        response: { 200: createdBulk },
      },
    },
    async (request, reply) => {
      const ctx = adminContext(deps, request);
      const items = parseBulk(assets, request.body);
      const { bulkId, isReplay } = await createBulk(ctx, {
        userId: request.params.userId.toLowerCase(),
        items,
        admit: async () => void reply.headers(await spendBulk(ctx.actor)),
        idempotencyKey: parseIdempotencyKey(request.headers['idempotency-key']),
        origin: originOf(request),
      });
      if (isReplay) reply.header('idempotency-replayed', 'true');
      return { message: 'Withdrawals created as queued', data: { bulkId, count: items.length } };
    },
  );
}

function readRoutes(server: HttpServer, deps: Deps, assets: readonly Asset[]): void {
  const toRead = partnerGuard(deps, guardRows)({ roles: readers });

  server.get(
    '/api/crypto/:userId/withdraws',
    {
      onRequest: [partnerGuard(deps, guardRows)({ roles: readers, userOf }), authorizeFor(deps)],
      config: { reference: listReference },
      schema: {
        params: userPath,
        querystring: listQuery,
        response: { 200: withdrawalPage },
      },
    },
    async (request, reply) => {
      const filter = parseListQuery(request.query);
      const rows = await listWithdrawals(adminContext(deps, request), request.params.userId, filter);
      reply.header('cache-control', 'no-store');
      const { limit, offset } = filter;
      return {
        message: 'Withdrawals of the user',
        data: { withdraws: rows.map(presentWithdrawal), pageInfo: { limit, offset } },
      };
    },
  );

  server.get(
    '/api/crypto/assets',
    {
      onRequest: [toRead],
      config: { reference: assetsReference },
      schema: {
        querystring: noQuery,
        response: { 200: assetList },
      },
    },
    async (request) => {
      const ctx = adminContext(deps, request);
      // A person acts for many users, and the path is one for all.
      const limits =
        ctx.actor.kind === 'key'
          ? await readLimits(ctx, { userId: ctx.actor.userId })
          : { hasRules: false, limits: [] };
      return presentAssets(assets, limits);
    },
  );

  server.get(
    '/api/limits',
    {
      onRequest: [toRead],
      config: { reference: limitsReference },
      schema: { querystring: limitsQuery, response: { 200: limitList } },
    },
    async (request, reply) => {
      const ctx = adminContext(deps, request);
      const userId = request.query.userId?.toLowerCase() ?? ownUserOf(ctx.actor);
      await requireAllowedUser(ctx, userId);
      reply.header('cache-control', 'no-store');
      return { message: 'What may still be paid', data: await readLimits(ctx, { userId }) };
    },
  );
}

/** A key has a user; a person names one. */
function ownUserOf(actor: PartnerAdmin): string {
  if (actor.kind === 'key') return actor.userId;
  throw invalidField('userId', 'is required by session');
}
