// Requests that share a question for the place, or a statement: each sees what was committed before it came.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { type Member, startPrimary, startStandby, untilCaughtUp } from '#test/cluster';
import { testLog } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { batchLoader } from './batch-loader.ts';
import { createPool, type Db, type Pool } from './db.ts';
import { type Why, withReplicas } from './replicas.ts';

let folder: string;
let primary: Member;
let replica: Member;
const pools: Pool[] = [];

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'causeway places '));
  // Run by root, the servers belong to another account.
  await chmod(folder, 0o755);
  primary = await startPrimary(path.join(folder, 'one'));
  await primary.query('create table primary_mark (mark uuid not null, timeline integer not null)');
  await primary.query('insert into primary_mark values (gen_random_uuid(), 0)');
  await primary.query('create table notes (id integer primary key)');
  replica = await startStandby(path.join(folder, 'two'), primary, { name: 'two' });
});

after(async () => {
  for (const pool of pools) await pool.end();
  for (const member of [replica, primary]) await member?.postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => replica.query('select pg_wal_replay_resume()'));

const poolAt = ({ postgres }: Member, isReplica = false) =>
  createPool({
    url: postgres.url(),
    isReplica,
    connectionsMax: 4,
    statementTimeoutMs: 10_000,
    log: testLog(),
  });

/** A process that the replica has answered already; `wrap` replaces its pool of the primary server. */
async function openProcess(wrap: (pool: Pool) => Pool = (pool) => pool) {
  const counts = { replica: 0, primary: 0 };
  const reasons: Why[] = [];
  const pool = withReplicas(wrap(poolAt(primary)), {
    replicas: [poolAt(replica, true)],
    isSynchronous: false,
    log: testLog(),
    count(server, why) {
      counts[server] += 1;
      if (why) reasons.push(why);
    },
  });
  pools.push(pool);
  await untilAnswered(pool);
  return { pool, counts, reasons };
}

const serverOf = async (db: Db) => Number((await db.query('show port'))[0]!.port);
const untilAnswered = (pool: Pool) =>
  waitUntil('the replica answers', async () => {
    await untilCaughtUp(primary, replica);
    return (await serverOf(pool.reading())) === replica.postgres.port;
  });

/** The replica stands still from here on: it never gets what is written next. */
async function standStill(): Promise<void> {
  await untilCaughtUp(primary, replica);
  await replica.query('select pg_wal_replay_pause()');
  await waitUntil('it stands still', async () => {
    const { state } = await replica.query('select pg_get_wal_replay_pause_state() as state');
    return state === 'paused';
  });
}

let written = 0;
async function write(pool: Pool): Promise<number> {
  const id = ++written;
  await pool.query('insert into notes values ($1)', [id]);
  return id;
}

const find = async (db: Db, ids: readonly number[]) => {
  const rows = await db.query<{ id: number }>('select id from notes where id = any($1)', [ids]);
  const found = new Set(rows.map(({ id }) => id));
  return ids.map((id) => found.has(id));
};
const findTogether = batchLoader((db, ids: number[]) => find(db, ids));

test('requests that wait together share one question to the primary server', async () => {
  let calls = 0;
  const { pool, counts } = await openProcess((own) => ({
    ...own,
    query: (text, values) => {
      calls += 1;
      return own.query(text, values);
    },
    onConnection: (work) => {
      calls += 1;
      return own.onConnection(work);
    },
  }));
  const before = { ...counts, calls };
  const servers = await Promise.all(Array.from({ length: 40 }, () => serverOf(pool.reading())));
  assert.deepEqual(new Set(servers), new Set([replica.postgres.port]));
  assert.equal(counts.replica - before.replica, 40);
  assert.equal(calls - before.calls, 1);
});

test('a request does not take the place of a question that began before it came', async () => {
  let answered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isHeld = false;
  const { pool } = await openProcess((own) => ({
    ...own,
    async onConnection(work) {
      const mustWait = isHeld;
      isHeld = false;
      const answer = await own.onConnection(work);
      if (mustWait) {
        answered.resolve();
        await released.promise;
      }
      return answer;
    },
  }));
  await standStill();
  answered = Promise.withResolvers();
  isHeld = true;
  const early = pool.reading().query('select 1');
  // The first question has its answer, and nobody was given it yet.
  await answered.promise;
  const id = await write(pool);
  const late = find(pool.reading(), [id]);
  setTimeout(released.resolve, 100);
  assert.deepEqual(await late, [true]);
  await early;
});

test('a batch sees what was committed before its last request came', async () => {
  const { pool } = await openProcess();
  await standStill();
  const early = pool.reading();
  assert.equal(await serverOf(early), replica.postgres.port);
  const id = await write(pool);
  // The first request needs less than the replica has, and the second one more.
  const [, late] = await Promise.all([findTogether(early, id), findTogether(pool.reading(), id)]);
  assert.equal(late, true);
});

test('a batch sees what each of its requests has seen', async () => {
  const { pool } = await openProcess();
  const [behind, ahead] = [pool.reading(), pool.reading()];
  await serverOf(behind);
  const id = await write(pool);
  await untilCaughtUp(primary, replica);
  assert.deepEqual(await find(ahead, [id]), [true]);
  await standStill();
  const answers = await Promise.all([findTogether(behind, id), findTogether(ahead, id)]);
  assert.deepEqual(answers, [true, true]);
});

test('requests share statements on a replica, and none is stale', async () => {
  const { pool, counts } = await openProcess();
  const before = counts.replica + counts.primary;
  let stale = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let at = 0; at < 25; at++) {
        const id = await write(pool);
        const db = pool.reading();
        for (let statement = 0; statement < 2; statement++) if (!(await findTogether(db, id))) stale += 1;
      }
    }),
  );
  assert.equal(stale, 0);
  const statements = counts.replica + counts.primary - before;
  assert.ok(statements < 800, `${statements} statements for 800 questions`);
});

test('a request that wrote sees it, also when it shares a statement', async () => {
  const { pool } = await openProcess();
  await standStill();
  const [writer, reader] = [pool.reading(), pool.reading()];
  assert.equal(await serverOf(reader), replica.postgres.port);
  const id = ++written;
  await writer.query('insert into notes values ($1)', [id]);
  const [own] = await Promise.all([findTogether(writer, id), findTogether(reader, id)]);
  assert.equal(own, true);
  // The other one did not have to move.
  assert.equal(await serverOf(reader), replica.postgres.port);
});

test('a new mark of another process costs a read or two, and the replica answers on', async () => {
  const first = await openProcess();
  await openProcess();
  await untilAnswered(first.pool);
  assert.ok(first.reasons.includes('foreign'), String(first.reasons));
  const before = first.counts.primary;
  for (let at = 0; at < 20; at++) await serverOf(first.pool.reading());
  assert.ok(
    first.counts.primary - before < 5,
    `${first.counts.primary - before} of 20 on the primary server`,
  );
});

test('a replica that stands still is asked once a second, and answers once it goes on', async () => {
  const { pool, reasons } = await openProcess();
  await standStill();
  await write(pool);
  reasons.length = 0;
  const startedAt = performance.now();
  for (let at = 0; at < 300; at++) assert.equal(await serverOf(pool.reading()), primary.postgres.port);
  const seconds = (performance.now() - startedAt) / 1_000;
  const waits = reasons.filter((why) => why === 'behind').length;
  assert.ok(waits <= 1 + seconds, `${waits} reads waited in ${seconds} s`);
  await replica.query('select pg_wal_replay_resume()');
  await untilAnswered(pool);
});
