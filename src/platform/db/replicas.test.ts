import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Member, startPrimary, startStandby, untilCaughtUp } from '#test/database/cluster';
import { testLog } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { createPool, type Db, type Pool } from './db.ts';
import { withReplicas } from './replicas.ts';

let folder: string;
let primary: Member;
/** The second replays everything two seconds late. */
let [prompt, late]: Member[] = [];
const members: Member[] = [];
const pools: Pool[] = [];

const poolAt = (url: string, isReplica = false) =>
  createPool({ url, isReplica, connectionsMax: 4, statementTimeoutMs: 10_000, log: testLog() });
const urlOf = ({ postgres }: Member) => postgres.url();

/** The pool of a server with replicas, and how many statements each kind of server answered. */
const readFrom = (writable: Member, replicas: readonly Member[]) => readAt(writable, replicas.map(urlOf));

function readAt(writable: Member, replicas: readonly string[]) {
  const counts = { replica: 0, primary: 0 };
  const pool = withReplicas(poolAt(urlOf(writable)), {
    replicas: replicas.map((url) => poolAt(url, true)),
    isSynchronous: false,
    log: testLog(),
    count: (server) => {
      counts[server] += 1;
    },
  });
  pools.push(pool);
  return { pool, counts };
}

async function addStandby(name: string, source: Member): Promise<Member> {
  const member = await startStandby(path.join(folder, name), source, { name });
  members.push(member);
  return member;
}

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'causeway replicas '));
  // Run by root, the servers belong to another account.
  await chmod(folder, 0o755);
  primary = await startPrimary(path.join(folder, 'one'));
  members.push(primary);
  await primary.query('create table primary_mark (mark uuid not null, timeline integer not null)');
  await primary.query('insert into primary_mark values (gen_random_uuid(), 0)');
  await primary.query('create table notes (id serial primary key, count integer not null)');
  await primary.query('create unlogged table hits (count integer)');
  await primary.query(
    `create function write_down() returns integer language sql as 'insert into notes (count) values (7) returning 1'`,
  );
  prompt = await addStandby('two', primary);
  late = await addStandby('three', primary);
  await late.query(`alter system set recovery_min_apply_delay = '2s'`);
  await late.query('select pg_reload_conf()');
});

after(async () => {
  for (const pool of pools) await pool.end();
  for (const { postgres } of members) await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Those of a server, the first one included. */
async function processesOf({ postgres }: Member): Promise<number[]> {
  const client = new pg.Client({ connectionString: postgres.url() });
  await client.connect();
  // Its own backend is gone when they are stopped.
  const { rows } = await client.query('select pid from pg_stat_activity where pid <> pg_backend_pid()');
  await client.end();
  return [postgres.pid, ...rows.map(({ pid }) => pid as number)];
}

const countOf = async (db: Db) => {
  const [row] = await db.query<{ count: number }>('select max(count) as count from notes where $1', [true]);
  return row!.count;
};
const serverOf = async (db: Db) => Number((await db.query('show port'))[0]!.port);

test('a replica that has everything answers, and no statement reaches the primary server', async () => {
  const { pool, counts } = readFrom(primary, [prompt!]);
  await waitUntil(
    'a replica answers',
    async () => (await serverOf(pool.reading())) === prompt!.postgres.port,
  );
  const before = { ...counts };
  await untilCaughtUp(primary, prompt!);
  const db = pool.reading();
  for (let at = 0; at < 5; at++) assert.equal(await serverOf(db), prompt!.postgres.port);
  assert.deepEqual(counts, { ...before, replica: before.replica + 5 });
});

test('what was committed before a request is in its answer, whichever server answers', async () => {
  const { pool, counts } = readFrom(primary, [prompt!, late!]);
  let [written, stale] = [0, 0];
  const pair = async () => {
    const [row] = await pool.query<{ id: number }>('insert into notes (count) values ($1) returning id', [1]);
    written += 1;
    const found = await pool.reading().query('select 1 from notes where id = $1', [row!.id]);
    if (found.length === 0) stale += 1;
  };
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let at = 0; at < 100; at++) await pair();
    }),
  );
  assert.deepEqual({ written, stale }, { written: 800, stale: 0 });
  assert.ok(counts.replica > 50, `${counts.replica} of ${counts.replica + counts.primary} by replicas`);
});

test('the statements of a request never go back in time', async () => {
  const { pool } = readFrom(primary, [prompt!, late!]);
  await pool.query('insert into notes (count) values ($1)', [1_000]);
  let isOver = false;
  let acknowledged = 1_000;
  const writing = (async () => {
    for (; !isOver; acknowledged += 1)
      await pool.query('insert into notes (count) values ($1)', [acknowledged + 1]);
  })();
  for (let at = 0; at < 200; at++) {
    const seen = [acknowledged];
    const db = pool.reading();
    for (let statement = 0; statement < 4; statement++) seen.push(await countOf(db));
    assert.deepEqual(
      seen,
      seen.toSorted((one, other) => one - other),
    );
  }
  isOver = true;
  await writing;
});

test('a replica that stands still does not answer after another one that went on', async () => {
  const still = await addStandby('still', primary);
  const { pool } = readFrom(primary, [prompt!, still]);
  for (const member of [prompt!, still]) await untilCaughtUp(primary, member);
  let db = pool.reading();
  await waitUntil('a request is answered by both', async () => {
    db = pool.reading();
    const servers = [await serverOf(db), await serverOf(db)];
    return servers.includes(prompt!.postgres.port) && servers.includes(still.postgres.port);
  });
  await still.query('select pg_wal_replay_pause()');
  await pool.query('insert into notes (count) values ($1)', [1_000_000]);
  await untilCaughtUp(primary, prompt!);
  const seen: number[] = [];
  for (let at = 0; at < 4; at++) seen.push(await countOf(db));
  assert.deepEqual(seen.slice(1), [1_000_000, 1_000_000, 1_000_000]);
  await still.query('select pg_wal_replay_resume()');
});

test('the primary server answers what only it can, and what fails fails as usual', async () => {
  const { pool } = readFrom(primary, [prompt!]);
  await waitUntil(
    'a replica answers',
    async () => (await serverOf(pool.reading())) === prompt!.postgres.port,
  );
  const inserted = await pool.reading().query('insert into notes (count) values ($1) returning count', [3]);
  assert.deepEqual(inserted, [{ count: 3 }]);
  assert.deepEqual(await pool.reading().query('select write_down() as one'), [{ one: 1 }]);
  assert.deepEqual(await pool.reading().query('select count from hits'), []);
  const port = await pool.reading().transaction(serverOf);
  assert.equal(port, primary.postgres.port);
  await assert.rejects(pool.reading().query('select 1 / 0'), { code: '22012' });
});

test('what a replica refused is not asked of one again, and the replica answers other reads', async () => {
  const { pool, counts } = readFrom(primary, [prompt!]);
  const isReplica = async () => (await serverOf(pool.reading())) === prompt!.postgres.port;
  await waitUntil('a replica answers', isReplica);
  const text = 'select write_down() as one, 2 as two';
  await pool.reading().query(text);
  await untilCaughtUp(primary, prompt!);
  const before = { ...counts };
  await pool.reading().query(text);
  assert.deepEqual(counts, before);
  await waitUntil('a replica answers', isReplica);
  const db = pool.reading();
  await db.query('insert into notes (count) values ($1)', [4]);
  assert.equal(await serverOf(db), primary.postgres.port);
});

test('another database of the same servers is never read, although it has the same mark', async () => {
  await primary.query('create database copy');
  const copy = poolAt(primary.postgres.url('copy'));
  pools.push(copy);
  const { mark, timeline } = await primary.query('select mark, timeline from primary_mark');
  await copy.query('create table primary_mark (mark uuid not null, timeline integer not null)');
  await copy.query('insert into primary_mark values ($1, $2)', [mark, timeline]);
  await copy.query('create table notes (count integer not null)');
  await copy.query('insert into notes values ($1)', [2_000_000]);
  await untilCaughtUp(primary, prompt!);
  const { pool, counts } = readAt(primary, [prompt!.postgres.url('copy')]);
  for (let at = 0; at < 10; at++) assert.notEqual(await countOf(pool.reading()), 2_000_000);
  assert.equal(counts.replica, 0);
});

test('a replica that refuses the login, or has no such database, costs no answer', async () => {
  const wrong = new URL(prompt!.postgres.url());
  wrong.password = 'wrong';
  const { pool } = readAt(primary, [String(wrong), prompt!.postgres.url('missing')]);
  for (let at = 0; at < 6; at++) assert.equal(await serverOf(pool.reading()), primary.postgres.port);
});

test('a replica that says nothing delays few reads', async () => {
  const five = await addStandby('silent', primary);
  const { pool } = readFrom(primary, [five]);
  await waitUntil('a replica answers', async () => (await serverOf(pool.reading())) === five.postgres.port);
  const processes = await processesOf(five);
  for (const pid of processes) process.kill(pid, 'SIGSTOP');
  try {
    let slow = 0;
    for (let at = 0; at < 40; at++) {
      const startedAt = performance.now();
      assert.equal(await serverOf(pool.reading()), primary.postgres.port);
      if (performance.now() - startedAt > 400) slow += 1;
      await sleep(50);
    }
    assert.ok(slow < 10, `${slow} of 40 reads waited`);
  } finally {
    for (const pid of processes) process.kill(pid, 'SIGCONT');
  }
});

test('without a replica that answers, the primary server does, and soon', async () => {
  const { pool } = readFrom(primary, [await addStandby('four', primary)]);
  const four = members.at(-1)!;
  await waitUntil('a replica answers', async () => (await serverOf(pool.reading())) === four.postgres.port);
  await four.kill();
  const startedAt = performance.now();
  for (let at = 0; at < 20; at++) assert.equal(await serverOf(pool.reading()), primary.postgres.port);
  assert.ok(performance.now() - startedAt < 30_000);
});

test('a replica that has what a promotion lost is not used until it follows the new primary server', async () => {
  const [next, other] = [await addStandby('five', primary), await addStandby('six', primary)];
  await untilCaughtUp(primary, next);
  // From here on, the next primary server receives nothing.
  const data = path.join(next.folder, 'postgres', 'postgresql.auto.conf');
  await writeFile(data, `primary_conninfo = 'host=127.0.0.1 port=1'\n`);
  await next.query('select pg_reload_conf()');
  await waitUntil('it receives nothing', async () => {
    const { pid } = (await next.query('select max(pid) as pid from pg_stat_wal_receiver')) as {
      pid: unknown;
    };
    return pid === null;
  });
  await primary.query('insert into notes (count) select 5000000 from generate_series(1, 2000)');
  await untilCaughtUp(primary, other);
  const moved = await throughPooler(next, other);
  await primary.kill();
  await next.promote();
  moved.switchOver();
  for (let at = 0; at < 5; at++) assert.notEqual(await countOf(moved.pool.reading()), 5_000_000);
  const { pool, counts } = readFrom(next, [other]);
  for (let at = 0; at < 10; at++) {
    assert.notEqual(await countOf(pool.reading()), 5_000_000);
    await pool.query('insert into notes (count) values ($1)', [at]);
  }
  assert.equal(counts.replica, 0);
  // A standby of the new one is used.
  const seven = await addStandby('seven', next);
  const again = readFrom(next, [seven]);
  await waitUntil('it answers', async () => (await serverOf(again.pool.reading())) === seven.postgres.port);
  assert.notEqual(await countOf(again.pool.reading()), 5_000_000);
});

/** Its connections stay when the server behind them is replaced, as those of some poolers do. */
async function throughPooler(next: Member, replica: Member) {
  let own = poolAt(urlOf(primary));
  const connection = {};
  const pool = withReplicas(
    {
      ...own,
      query: (text, values) => own.query(text, values),
      onConnection: (work) => own.onConnection((db) => work(db, connection)),
    },
    { replicas: [poolAt(urlOf(replica), true)], isSynchronous: false, log: testLog(), count: () => {} },
  );
  pools.push(pool);
  await waitUntil('the replica answers', async () => (await countOf(pool.reading())) === 5_000_000);
  await waitUntil(
    'the replica answers',
    async () => (await serverOf(pool.reading())) === replica.postgres.port,
  );
  return {
    pool,
    switchOver() {
      own = poolAt(urlOf(next));
      pools.push(own);
    },
  };
}
