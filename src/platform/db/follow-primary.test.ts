import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Member, startPrimary, startStandby, untilCaughtUp, urlOf } from '#test/database/cluster';
import { testLog } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { DatabaseUnavailable } from '../errors/errors.ts';
import { createPool, type Pool } from './db.ts';
import { findWritable } from './find-writable.ts';

let folder: string;
const members: Member[] = [];
const pools: Pool[] = [];

const poolOf = (url: string) => {
  const pool = createPool({ url, connectionsMax: 4, statementTimeoutMs: 2_000, log: testLog() });
  pools.push(pool);
  return pool;
};

const portOf = async (pool: Pool) => Number((await pool.query('show port'))[0]!.port);

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'causeway cluster '));
  // Run by root, the servers belong to another account.
  await chmod(folder, 0o755);
  members.push(await startPrimary(path.join(folder, 'one')));
  const standby = (name: string) => startStandby(path.join(folder, name), members[0]!, { name });
  members.push(await standby('two'), await standby('three'));
});

after(async () => {
  for (const pool of pools) await pool.end();
  for (const { postgres } of members) await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

test('of several servers the one that accepts writes is used, wherever it is in the list', async () => {
  const [one, two] = members as [Member, Member];
  for (const order of [
    [one, two],
    [two, one],
  ]) {
    const pool = poolOf(urlOf(order));
    assert.equal(await portOf(pool), one.postgres.port);
    const ports = await Promise.all(Array.from({ length: 8 }, () => portOf(pool)));
    assert.deepEqual(new Set(ports), new Set([one.postgres.port]));
  }
});

test('503 where no server accepts writes, within seconds', async () => {
  const two = members[1]!;
  const pool = poolOf(`${two.postgres.url()}?target_session_attrs=read-write`);
  const startedAt = performance.now();
  await assert.rejects(pool.query('select 1'), DatabaseUnavailable);
  assert.ok(performance.now() - startedAt < 20_000);
});

test('after a kill and a promotion the pool and a listener work on, without a restart', async (t) => {
  const [one, two, three] = members as [Member, Member, Member];
  const pool = poolOf(urlOf(members));
  await pool.query('create table kept (n integer)');
  await pool.query('insert into kept values (1)');
  let heard = 0;
  const listener = pool.listen('news', () => {
    heard += 1;
  });
  t.after(() => listener.stop());
  await waitUntil('it listens', () => heard === 1);
  await untilCaughtUp(one, two);
  await untilCaughtUp(one, three);
  await one.kill();
  await assert.rejects(pool.query('insert into kept values (2)'), DatabaseUnavailable);
  await two.promote();
  await waitUntil('the pool found the new server', () =>
    pool.query('insert into kept values (3)').then(
      () => true,
      () => false,
    ),
  );
  assert.equal(await portOf(pool), two.postgres.port);
  const rows = await pool.query<{ n: number }>('select n from kept order by n');
  assert.deepEqual(
    rows.map(({ n }) => n),
    [1, 3],
  );
  await waitUntil('it listens again', () => heard >= 2, 10_000);
  const before = heard;
  await pool.query(`select pg_notify('news', '')`);
  await waitUntil('it is heard', () => heard > before);
});

test('an old server that comes back and still accepts writes is not used', async () => {
  const [one, two] = members as [Member, Member, Member];
  const again = await startPrimary(one.folder);
  members[0] = again;
  const { url, timeline } = await findWritable([again.postgres.url(), two.postgres.url()]);
  assert.equal(url, two.postgres.url());
  assert.equal(timeline, 2);
  await assert.rejects(findWritable([again.postgres.url()], timeline), DatabaseUnavailable);
  const pool = poolOf(urlOf([again, two]));
  assert.equal(await portOf(pool), two.postgres.port, 'although the first in the list accepts writes');
});

test('a server that was promoted is used although the old one answers before it', async (t) => {
  const [again, two] = members as [Member, Member, Member];
  const late = createServer(async (socket) => {
    await sleep(700);
    const behind = connect(two.postgres.port, '127.0.0.1');
    for (const end of [socket, behind]) end.on('error', () => {});
    socket.pipe(behind).pipe(socket);
  }).listen(0, '127.0.0.1');
  t.after(() => late.close());
  await once(late, 'listening');
  const url = new URL(two.postgres.url());
  url.port = String((late.address() as AddressInfo).port);
  const found = await findWritable([again.postgres.url(), url.href]);
  assert.equal(found.url, url.href);
});

test('503 instead of old figures when a server stops accepting writes, then the other is used', async () => {
  const [, two, three] = members as [Member, Member, Member];
  const pool = poolOf(urlOf([two, three]));
  assert.equal(await portOf(pool), two.postgres.port);
  await Promise.all(Array.from({ length: 4 }, () => pool.query('select pg_sleep(0.05)')));
  const other = poolOf(two.postgres.url());
  await other.query('alter system set default_transaction_read_only = on');
  await other.query('select pg_reload_conf()');
  await waitUntil('writes are refused', () =>
    pool.query('insert into kept values (4)').then(
      () => false,
      (error) => error instanceof DatabaseUnavailable,
    ),
  );
  await assert.rejects(pool.query('select n from kept'), DatabaseUnavailable);
  await three.promote();
  await waitUntil('the other server is used', () =>
    pool.query('insert into kept values (5)').then(
      () => true,
      () => false,
    ),
  );
  assert.equal(await portOf(pool), three.postgres.port);
});
