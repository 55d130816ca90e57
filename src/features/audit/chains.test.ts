import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { makePartner } from '#test/data/factories';
import { lockAuditChains } from '#test/database/audit-head';
import { useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { auditJobs } from './jobs.ts';
import { verifyNewest } from './verify-chain.ts';

const harness = useHarness();
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const verify = async () => (await harness.operator('audit.verify')).body.data;
const anchor = () => auditJobs[0]!.run(harness.deps);

const change = {
  at: '2026-07-01T00:00:00Z',
  actorKind: 'operator',
  actorId: 'tester',
  action: 'tests.write',
};
const append = `select audit_append('${JSON.stringify([change])}', '{test:1}')::integer as id`;

const clients: pg.Client[] = [];
after(() => Promise.all(clients.map((client) => client.end())));

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: harness.databaseUrl });
  clients.push(client);
  await client.connect();
  return client;
}

const write = async (client: pg.Client): Promise<number> => (await client.query(append)).rows[0].id;

const chainsOf = async (ids: readonly number[]) =>
  (
    await sql('select chain::integer as chain from audit_log where id = any($1::bigint[]) order by id', [ids])
  ).map(({ chain }) => chain);

/** A row in each of the first chains, by as many transactions that are open at the same time. */
async function writeAtOnce(count: number): Promise<number[]> {
  const writers = await Promise.all(Array.from({ length: count }, connect));
  for (const writer of writers) await writer.query('begin');
  const ids = [];
  for (const writer of writers) ids.push(await write(writer));
  // The last one commits first.
  for (const writer of writers.toReversed()) await writer.query('commit');
  return ids;
}

/** As somebody who owns the tables would: the triggers off, the statements, the triggers on again. */
async function behindItsBack(...statements: string[]): Promise<void> {
  await harness.deps.db.transaction(async (db) => {
    await db.query('alter table audit_log disable trigger user');
    for (const statement of statements) await db.query(statement);
    await db.query('alter table audit_log enable trigger user');
  });
}

/** Runs `work` after the statements, and restores the log and its heads. */
async function tamper(statements: string[], work: () => Promise<void>): Promise<void> {
  const tables = ['audit_log', 'audit_heads', 'audit_chain_heads'];
  for (const table of tables) await sql(`create table kept_${table} as select * from ${table}`);
  await behindItsBack(...statements);
  try {
    await work();
  } finally {
    await behindItsBack(
      ...tables.flatMap((table) => [
        `delete from ${table}`,
        `insert into ${table} select * from kept_${table}`,
        `drop table kept_${table}`,
      ]),
    );
  }
  assert.equal((await verify()).intact, true);
}

test('changes that are made at the same time do not wait for each other, and each is in a chain', async () => {
  assert.deepEqual(await chainsOf(await writeAtOnce(3)), [0, 1, 2]);
  assert.equal((await verify()).intact, true);
});

test('without others at the same time, every change is in the first chain', async () => {
  await makePartner(harness);
  await makePartner(harness);
  const rows = await sql('select chain::integer as chain from audit_log order by id desc limit 2');
  assert.deepEqual(
    rows.map(({ chain }) => chain),
    [0, 0],
  );
});

test('a transaction stays in its chain, and a change that is undone leaves it', async () => {
  const [first, second] = [await connect(), await connect()];
  await first.query('begin');
  await write(first);
  await second.query('begin');
  const before = await write(second);
  await first.query('commit');
  const again = await write(second);
  await second.query('savepoint here');
  await write(second);
  await second.query('rollback to savepoint here');
  const last = await write(second);
  await second.query('commit');
  assert.deepEqual(await chainsOf([before, again, last]), [1, 1, 1]);

  await second.query('begin; savepoint here');
  await write(second);
  await second.query('rollback to savepoint here');
  const [mine, others] = [await write(second), await write(first)];
  await second.query('commit');
  assert.deepEqual(await chainsOf([mine, others]), [0, 1]);
  assert.equal((await verify()).intact, true);
});

test('if all chains are busy, a change waits until its chain is free', async () => {
  const [holder, writer] = [await connect(), await connect()];
  await holder.query('begin');
  await holder.query(lockAuditChains);
  let isWritten = false;
  const written = write(writer).then(() => {
    isWritten = true;
  });
  await waitUntil('it waits', async () => {
    const waiting = await sql(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
    );
    return waiting.length === 1;
  });
  assert.equal(isWritten, false);
  await holder.query('commit');
  await written;
  assert.equal((await verify()).intact, true);
});

test('a change that is committed late is listed below rows that were listed before', async () => {
  const list = async () =>
    (await harness.operator('audit.list', { action: 'tests.write', limit: 2 })).body.data.items.map(
      ({ id }: { id: string }) => Number(id),
    );
  const [late, other] = [await connect(), await connect()];
  await late.query('begin');
  const lower = await write(late);
  const higher = await write(other);
  assert.equal((await list())[0], higher);
  await late.query('commit');
  assert.deepEqual(await list(), [higher, lower]);
});

const endIsWrong = ['the newest rows were removed or rewritten'];

test('audit.verify finds what was done to any chain: changed, removed, moved, added, reordered', async () => {
  const [, one, two] = await writeAtOnce(3);
  const [, newerOne, newerTwo] = await writeAtOnce(3);
  const cases: [string, string[]][] = [
    [`update audit_log set subject = 'test:2' where id = ${one}`, [String(one)]],
    [`delete from audit_log where id = ${one}`, [String(newerOne)]],
    [`delete from audit_log where id = ${newerOne}`, endIsWrong],
    [`update audit_log set chain = 2 where id = ${newerOne}`, [String(newerOne), String(newerTwo)]],
    [`update audit_log set chain = 77 where id = ${newerOne}`, [String(newerOne)]],
    [`delete from audit_chain_heads where chain = 1`, endIsWrong],
    [
      `insert into audit_log (id, at, actor_kind, actor_id, action, subject, chain, hash)
       select ${newerTwo! + 500}, at, actor_kind, actor_id, action, subject, 1, hash from audit_log where id = ${newerOne}`,
      [String(newerTwo! + 500)],
    ],
    [
      `update audit_log set id = case id when ${two} then -1 else ${two} end where id in (${two}, ${newerTwo});
       update audit_log set id = ${newerTwo} where id = -1`,
      [String(two), String(newerTwo)],
    ],
  ];
  for (const [statement, broken] of cases) {
    await tamper([statement], async () => {
      const verdict = await verify();
      assert.deepEqual([verdict.intact, verdict.broken], [false, broken], statement);
    });
  }
});

test('a chain that begins with a forged row has no head', async () => {
  const forged = `insert into audit_log (id, at, actor_kind, actor_id, action, subject, chain, hash)
    values (900000, now(), 'operator', 'x', 'tests.write', 'test:1', 40, '')`;
  const hashed = `update audit_log l set hash = audit_row_hash(audit_first_hash(40::smallint), l) where id = 900000`;
  await tamper([forged, hashed], async () => assert.deepEqual((await verify()).broken, endIsWrong));
});

interface Anchor {
  id: string;
  heads: { chain: number; id: string; hash: string }[];
}

const anchors = async () =>
  (await sql(
    `select id::text, after -> 'heads' as heads from audit_log where action = 'audit.anchor' order by audit_log.id`,
  )) as unknown as Anchor[];

test('an anchor names all heads if other chains than the first have new rows', async () => {
  await anchor();
  await makePartner(harness);
  const before = (await anchors()).length;
  await anchor();
  assert.equal((await anchors()).length, before, 'only the first chain has a new row');
  const [, one] = await writeAtOnce(2);
  await anchor();
  const after = await anchors();
  assert.equal(after.length, before + 1);
  const heads = await sql(
    `select 0 as chain, max(id)::text as id from audit_log where chain = 0 and id < ${after.at(-1)!.id} union all
     select chain::integer, id::text from audit_chain_heads order by chain`,
  );
  const named = after.at(-1)!.heads.map(({ chain, id }) => ({ chain, id }));
  assert.deepEqual(named, heads);
  assert.equal(named[1]!.id, String(one));
  await anchor();
  assert.equal((await anchors()).length, before + 1, 'an anchor alone is no reason for another');
});

test('an anchor that is not in the first chain is no reason for another', async () => {
  const holder = await connect();
  await writeAtOnce(2);
  await holder.query('begin');
  await write(holder);
  await anchor();
  const before = await anchors();
  assert.deepEqual(await chainsOf([Number(before.at(-1)!.id)]), [1]);
  await holder.query('commit');
  await anchor();
  assert.equal((await anchors()).length, before.length);
});

test('a row that is committed after an anchor with a higher number is named by the next', async () => {
  const [first, late] = [await connect(), await connect()];
  await writeAtOnce(3);
  await first.query('begin');
  await write(first);
  await late.query('begin');
  const id = String(await write(late));
  await first.query('commit');
  await anchor();
  assert.ok(BigInt((await anchors()).at(-1)!.id) > BigInt(id));
  await late.query('commit');
  await anchor();
  const last = (await anchors()).at(-1)!;
  assert.equal(last.heads.find(({ chain }) => chain === 1)?.id, id);

  const removed = [
    `delete from audit_log where id = ${id}`,
    `update audit_chain_heads h set id = l.id, hash = l.hash from audit_log l
     where h.chain = 1 and l.id = (select max(id) from audit_log where chain = 1)`,
  ];
  await tamper(removed, async () => assert.deepEqual((await verify()).broken, [last.id]));
});

test('audit.verify finds a chain that was rewritten or removed with its head, by the anchor in another', async () => {
  await writeAtOnce(3);
  await anchor();
  const { id } = (await anchors()).at(-1)!;
  const rewritten = [
    `update audit_log set actor_id = 'somebody else' where id = (select max(id) from audit_log where chain = 2)`,
    `update audit_log l set hash = audit_row_hash(coalesce((select p.hash from audit_log p where p.chain = 2 and p.id < l.id
       order by p.id desc limit 1), audit_first_hash(2::smallint)), l)
     where id = (select max(id) from audit_log where chain = 2)`,
    `update audit_chain_heads h set hash = l.hash from audit_log l where h.chain = 2 and l.id = h.id`,
  ];
  const removed = ['delete from audit_log where chain = 2', 'delete from audit_chain_heads where chain = 2'];
  for (const statements of [rewritten, removed]) {
    await tamper(statements, async () => {
      const { intact, broken } = await verify();
      assert.equal(intact, false);
      assert.ok(broken.includes(id), `${broken} has ${id}`);
    });
  }
});

test('the newest rows of several chains are checked without those before them', async () => {
  const newest = (count: number) => verifyNewest(harness.operatorContext(), count);
  const before = await writeAtOnce(3);
  const ids = await writeAtOnce(3);
  assert.deepEqual(await newest(2), { rows: 2, intact: true, broken: [] });
  assert.deepEqual(await newest(4), { rows: 4, intact: true, broken: [] });
  const changed = (id: number) => `update audit_log set subject = 'test:2' where id = ${id}`;
  await tamper([changed(before[0]!)], async () => {
    assert.equal((await newest(4)).intact, true);
    assert.equal((await verify()).intact, false);
  });
  await tamper([changed(ids[1]!)], async () => {
    assert.deepEqual((await newest(4)).broken, [String(ids[1])]);
  });
});

test('the quick check does not look for the ends of chains further back than 10,000 numbers', async () => {
  const newest = (count: number) => verifyNewest(harness.operatorContext(), count);
  const [, one, two] = await writeAtOnce(3);
  await sql(`select setval('audit_log_number', nextval('audit_log_number') + 20000)`);
  await writeAtOnce(2);
  const removed = (id: number) => `delete from audit_log where id = ${id}`;
  assert.equal((await newest(1)).intact, true, 'the row before is not looked for');
  await tamper([removed(one!)], async () => {
    assert.equal((await newest(1)).intact, true);
    assert.equal((await verify()).intact, false);
  });
  await tamper([removed(two!)], async () => assert.deepEqual((await newest(1)).broken, endIsWrong));
  const [, near] = await writeAtOnce(2);
  const [, last] = await writeAtOnce(2);
  await tamper([removed(near!)], async () => assert.deepEqual((await newest(1)).broken, [String(last)]));
});

test('a number that is not above the head of its chain is refused', async () => {
  const writer = await connect();
  await writer.query('begin');
  const unused = await write(writer);
  await writer.query('rollback');
  await write(writer);
  const refused = new RegExp(`audit log number ${unused} is not above ${unused + 1}, the head of chain 0`);
  const insert = `insert into audit_log (at, actor_kind, actor_id, action, subject)
    values (now(), 'operator', 'tester', 'tests.write', 'test:1')`;
  for (const statement of [append, insert]) {
    // As after logical replication, which does not copy sequences.
    await sql(`select setval('audit_log_number', ${unused}, false)`);
    await assert.rejects(writer.query(statement), refused);
  }
  await sql(`select setval('audit_log_number', (select max(id) from audit_log))`);
  assert.equal(await write(writer), unused + 2);
  assert.equal((await verify()).intact, true);
});
