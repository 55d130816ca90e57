import assert from 'node:assert/strict';
import type { Ctx, KeyActor } from '#context';
import { contextFor } from '#context';
import type { Db } from '#platform/db/db';
import { listWithdrawals, type WithdrawalFilter } from '../../src/features/withdrawals/list-withdrawals.ts';
import { median } from '../measure.ts';
import type { World } from './world.ts';

const total = 1_000_000;
const seedBatch = 100_000;
const deepestPage = 5_000;
const warmUpTurns = 12;
const turns = 40;

interface Case {
  name: string;
  /** What it asks for besides the page. */
  filter: Partial<WithdrawalFilter>;
  /** The plain form of the filter, to check the pages by. */
  where: string;
  isForInformation?: true;
}

const cases: readonly Case[] = [
  { name: 'all', filter: {}, where: 'true' },
  { name: 'status completed', filter: { status: 'completed' }, where: "status = 'completed'" },
  { name: 'status failed', filter: { status: 'failed' }, where: "status = 'failed'" },
  { name: 'status queued', filter: { status: 'queued' }, where: "status = 'queued'" },
  { name: 'externalId of 50', filter: { externalId: 'of-50-7' }, where: "external_id = 'of-50-7'" },
  {
    name: 'externalId of 100,000',
    filter: { externalId: 'of-100000' },
    where: "external_id = 'of-100000'",
    isForInformation: true,
  },
];

/** The first and a deep page of a user's million withdrawals, each page checked against a plain query. */
export async function measureLists(world: World): Promise<void> {
  const userId = world.userIds.at(-1)!;
  const startedAt = Date.now();
  await seedWithdrawals(world, userId);
  console.log(`${total} withdrawals of one user stored in ${Math.round((Date.now() - startedAt) / 1000)} s`);
  const actor: KeyActor = {
    kind: 'key',
    keyId: world.key.id,
    partnerId: world.partnerId,
    userId,
    scopes: [],
  };
  const ctx: Ctx<KeyActor> = contextFor(world.deps, actor, world.deps.log);
  for (const perPage of [20, 200]) {
    for (const one of cases) await measureCase(world, ctx, one, perPage);
  }
}

async function measureCase(world: World, ctx: Ctx<KeyActor>, one: Case, perPage: number): Promise<void> {
  const { userId } = ctx.actor;
  const lastPage = Math.ceil((await countWhere(world.db, ctx.actor, one.where)) / perPage);
  const deep = Math.min(deepestPage, lastPage);
  if (deep === 1) return;
  const pages = [1, deep];
  const ask = (page: number) =>
    listWithdrawals(ctx, userId, { ...one.filter, limit: perPage, offset: (page - 1) * perPage });
  for (const page of [...pages, lastPage + 1]) {
    const ids = (await ask(page)).map(({ id }) => id);
    assert.deepEqual(
      ids,
      await plainPage(world.db, ctx.actor, one.where, perPage, page),
      `${one.name} ${page}`,
    );
  }

  const bare: number[][] = pages.map(() => []);
  for (let turn = -warmUpTurns; turn < turns; turn++) {
    for (const [at, page] of pages.entries()) {
      const askedAt = performance.now();
      await ask(page);
      if (turn >= 0) bare[at]!.push(performance.now() - askedAt);
    }
  }
  const { status, externalId } = one.filter;
  const query = { ...(status && { status }), ...(externalId && { externalId }) };
  const paths = pages.map((page) => {
    const search = new URLSearchParams({ ...query, perPage: String(perPage), page: String(page) });
    return `/api/crypto/${userId}/withdraws?${search}`;
  });
  const order = { kind: 'latency' as const, port: world.port, token: world.key.token, paths };
  await world.load({ ...order, turns: warmUpTurns });
  const { milliseconds: http } = await world.load({ ...order, turns });

  const figure = (times: number[][]) => {
    const [first, last] = times.map((ofPage) => median(ofPage)) as [number, number];
    return `${(last / first).toFixed(2)} (${last.toFixed(2)} / ${first.toFixed(2)} ms)`;
  };
  const note = one.isForInformation ? 'for information: ' : '';
  console.log(
    `${note}list ${one.name}, perPage ${perPage}, page ${deep} / page 1: HTTP ${figure(http)}, bare ${figure(bare)}`,
  );
}

const ofList = '(select id from withdrawal_lists where partner_id = $1 and user_id = $2)';

async function countWhere(db: Db, { partnerId, userId }: KeyActor, where: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from withdrawals where list_id = ${ofList} and ${where}`,
    [partnerId, userId],
  );
  return row!.count;
}

async function plainPage(
  db: Db,
  { partnerId, userId }: KeyActor,
  where: string,
  perPage: number,
  page: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from withdrawals where list_id = ${ofList} and ${where}
     order by position desc offset ${(page - 1) * perPage} limit ${perPage}`,
    [partnerId, userId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Stored past the triggers, whose work is done at once at the end. The newest 500 are queued; of the others
 * 95 % are completed, 4 % failed and 1 % on their way. A tenth shares a label, and others share one by
 * fifties.
 */
export async function seedWithdrawals({ db, partnerId, key, deps }: World, userId: string): Promise<void> {
  const token = deps.evm.get('polygon')!.tokens.get('USDT')!;
  const indexes = await db.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename = 'withdrawals' and indexname in ('withdrawals_by_status', 'withdrawals_by_external_id')`,
  );
  await db.transaction(async (db) => {
    await db.query('set local session_replication_role = replica');
    await db.query("set local synchronous_commit = off; set local maintenance_work_mem = '256MB'");
    for (const { name } of indexes) await db.query(`drop index ${name}`);
    const [row] = await db.query<{ id: bigint }>(
      'insert into withdrawal_lists (partner_id, user_id, last_position) values ($1, $2, $3) returning id',
      [partnerId, userId, total],
    );
    for (let from = 1; from <= total; from += seedBatch) {
      await db.query(
        `insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals,
         amount, to_address, external_id, status, transfer_status, transaction_hash, error_message, created_at, updated_at)
       select $1, n, $2, $3, $4, 'polygon', $5, $6, 6, 1000000 + n, '0x' || md5(n::text) || '00000000',
         case when n % 10 = 0 then 'of-100000' when n % 10 = 1 then 'of-50-' || n / 500 end,
         status, case status when 'completed' then 'confirmed' when 'processing' then 'mined' end,
         case when status in ('completed', 'processing') then '0x' || md5(n::text) || md5(n::text) end,
         case status when 'failed' then 'Insufficient balance' end, at, at
       from (select n, now() - (${total} - n) * interval '1 second' as at,
           case when n > ${total} - 500 then 'queued' when hash = 0 then 'processing'
             when hash <= 4 then 'failed' else 'completed' end as status
         from (select n, abs(hashint4(n) % 100) as hash from generate_series($7::integer, $8::integer) n) numbers) rows`,
        [row!.id, partnerId, userId, key.id, token.symbol, token.address, from, from + seedBatch - 1],
      );
    }
    for (const { definition } of indexes) await db.query(definition);
    await db.query(
      `insert into withdrawal_counts (list_id, status, block, count)
       select list_id, status, position / 4000, count(*) from withdrawals where list_id = $1 group by 1, 2, 3`,
      [row!.id],
    );
  });
  await db.query('vacuum analyze withdrawals');
  await db.query('vacuum analyze withdrawal_counts');
  await db.query('vacuum analyze withdrawal_count_changes');
}
