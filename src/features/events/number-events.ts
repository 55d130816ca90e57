import { type Ctx, inTransaction, type WorkerActor } from '#context';
import { DatabaseUnavailable } from '#platform/errors/errors';
import { addressEvents } from './address-events.ts';
import type { EventFamily, EventRecord } from './event.ts';
import { type Presented, presentRecords } from './present-records.ts';
import {
  deleteRecords,
  hasWork,
  insertEvents,
  lockNumbering,
  type NumberedEvent,
  parkRecord,
  selectParked,
  selectRecords,
  takeRecord,
} from './queries.ts';
import { followServer } from './skip-ahead.ts';

export interface Numbering {
  families: readonly EventFamily[];
  /** In the transaction that numbers: what else must happen for each event, such as queueing webhooks. */
  onNumbered(ctx: Ctx, events: readonly NumberedEvent[]): Promise<void>;
  limit?: number;
}

/** Ledger lines cost most, and come in thousands: others must not wait for them. */
const bulkLimit = 100;

/**
 * Gives recorded events their numbers, one worker at a time, and returns how many records it took. Only what
 * is committed gets a number, so no lower number appears later. To number at the change, under a lock of the
 * subscriber's row, would make all creations of a partner wait for each other's commits.
 */
export async function numberEvents(ctx: Ctx<WorkerActor>, numbering: Numbering): Promise<number> {
  const { limit = 500 } = numbering;
  // One statement instead of a transaction, because most looks find nothing.
  if (!(await hasWork(ctx.db))) return 0;
  const work = (limits: { limit: number; bulkLimit: number }) => numberBatch(ctx, numbering, limits);
  try {
    return await work({ limit, bulkLimit: Math.min(limit, bulkLimit) });
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    // One record may be the cause: the others must not wait for it.
    const count = await numberSingly(ctx, numbering);
    if (count === 0) throw error;
    return count;
  }
}

function numberBatch(
  ctx: Ctx<WorkerActor>,
  { families, onNumbered }: Numbering,
  limits: { limit: number; bulkLimit: number },
): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    if (!(await startNumbering(ctx))) return 0;
    const records = await selectRecords(ctx.db, limits);
    if (records.length === 0) return 0;
    await store(ctx, await presentRecords(ctx, families, records), onNumbered);
    await deleteRecords(ctx.db, records);
    return records.length;
  });
}

/**
 * False if another worker is numbering. On another server than the last, such as a standby that was promoted,
 * all feeds skip ahead first: in this transaction, because the next one may be on another server.
 */
async function startNumbering(ctx: Ctx): Promise<boolean> {
  const { isLocked, isNoted } = await lockNumbering(ctx.db);
  if (!isLocked) return false;
  if (!isNoted) await followServer(ctx);
  return true;
}

async function store(
  ctx: Ctx,
  presented: readonly Presented[],
  onNumbered: Numbering['onNumbered'],
): Promise<void> {
  const events = await addressEvents(ctx, presented);
  if (events.length === 0) return;
  await insertEvents(ctx.db, events, ctx.now);
  await onNumbered(ctx, events);
}

const singlyAtOnce = 50;

/** The oldest records, each in a transaction; one that cannot be presented is parked and reported. */
async function numberSingly(ctx: Ctx<WorkerActor>, numbering: Numbering): Promise<number> {
  const records = await selectRecords(ctx.db, { limit: singlyAtOnce, bulkLimit: singlyAtOnce });
  for (const record of records) await numberOne(ctx, numbering, record);
  return records.length;
}

/** Tries parked records again: a later release may be able to present them. Returns how many it numbered. */
export async function numberParked(
  ctx: Ctx<WorkerActor>,
  numbering: Numbering,
  parkedBefore: Date,
): Promise<number> {
  const records = await selectParked(ctx.db, parkedBefore, singlyAtOnce);
  let numbered = 0;
  for (const record of records) if (await numberOne(ctx, numbering, record)) numbered += 1;
  return numbered;
}

/** False if it was parked, or another worker was first. */
async function numberOne(
  ctx: Ctx<WorkerActor>,
  { families, onNumbered }: Numbering,
  record: EventRecord,
): Promise<boolean> {
  const take = (work: (ctx: Ctx) => Promise<void>) =>
    inTransaction(ctx, async (ctx) => {
      if (!(await startNumbering(ctx)) || !(await takeRecord(ctx.db, record))) return false;
      await work(ctx);
      return true;
    });
  try {
    return await take(async (ctx) => store(ctx, await presentRecords(ctx, families, [record]), onNumbered));
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    const reason = error instanceof Error ? error.message.slice(0, 500) : 'unknown';
    ctx.log.error({ err: error, type: record.type, recordId: String(record.id) }, parkedMessage);
    await take((ctx) => parkRecord(ctx.db, record, reason, ctx.now));
    return false;
  }
}

const parkedMessage = 'an event could not be presented and is parked; its subscribers do not have it';
