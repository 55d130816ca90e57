import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey, makePartner } from '#test/data/factories';
import { newestAuditId } from '#test/database/audit-head';
import { useHarness } from '#test/harness';
import { verifyChain } from './verify-chain.ts';

const harness = useHarness();
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const newestId = () => newestAuditId(harness);

for (const [what, statement] of [
  ['update', `update audit_log set action = 'nothing'`],
  ['delete', 'delete from audit_log'],
  ['truncate', 'truncate audit_log'],
] as const) {
  test(`the database refuses to ${what} the log`, async () => {
    await makePartner(harness);
    await assert.rejects(sql(statement), /audit_log is append-only/);
  });
}

test('forty writers at once, in several connections, leave one chain without gaps', async () => {
  const idBefore = await newestId();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) => harness.operator('partners.create', { name: `Partner ${at}` })),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  const ids = (
    await sql('select id::integer as id from audit_log where id > $1 order by id', [idBefore])
  ).map(({ id }) => id);
  assert.deepEqual(
    ids,
    Array.from({ length: 40 }, (_, at) => idBefore + 1 + at),
  );
  const { body } = await harness.operator('audit.verify');
  assert.deepEqual(body.data, { rows: idBefore + 40, intact: true, broken: [] });
});

/** As somebody who owns the tables would: the triggers off, the statement, the triggers on again. */
async function behindItsBack(statement: string, values?: unknown[]): Promise<void> {
  await harness.deps.db.transaction(async (db) => {
    await db.query('alter table audit_log disable trigger user');
    await db.query(statement, values);
    await db.query('alter table audit_log enable trigger user');
  });
}

const verify = async () => (await harness.operator('audit.verify')).body.data;

for (const column of ['actor_id', 'action', 'subject', 'at', 'before', 'after']) {
  test(`audit.verify names a row whose ${column} was changed behind its back`, async () => {
    const key = await makeKey(harness);
    await harness.operator('keys.revoke', { keyId: key.id });
    const id = await newestId();
    await makePartner(harness);
    const value =
      { at: `at + interval '1 microsecond'`, before: `'{}'`, after: `after || '{"x": 1}'` }[column] ??
      `${column} || ' '`;
    await sql('drop table if exists kept');
    await sql(`create table kept as select * from audit_log where id = ${id}`);
    await behindItsBack(`update audit_log set ${column} = ${value} where id = $1`, [id]);
    const tampered = await verify();
    assert.deepEqual([tampered.intact, tampered.broken], [false, [String(id)]]);
    await behindItsBack(`update audit_log set ${column} = (select ${column} from kept) where id = $1`, [id]);
    assert.equal((await verify()).intact, true);
  });
}

test('audit.verify reads a long log part by part, and says the same however long the parts are', async () => {
  for (let made = 0; made < 4; made++) await makePartner(harness);
  const newest = await newestId();
  for (const rowsAtOnce of [1, 7, newest, newest + 1]) {
    const verdict = await verifyChain(harness.operatorContext(), rowsAtOnce);
    assert.deepEqual(verdict, { rows: newest, intact: true, broken: [] });
  }
  await sql('drop table if exists kept');
  await sql(`create table kept as select * from audit_log where id in (2, 7, ${newest - 1})`);
  await behindItsBack(`update audit_log a set subject = 'user:forged' from kept where a.id = kept.id`);
  for (const rowsAtOnce of [1, 7, newest]) {
    const { broken } = await verifyChain(harness.operatorContext(), rowsAtOnce);
    assert.deepEqual(broken, ['2', '7', String(newest - 1)]);
  }
  await behindItsBack('update audit_log a set subject = kept.subject from kept where a.id = kept.id');
  assert.equal((await verify()).intact, true);
});

test('audit.verify sees a row taken out of the middle, the newest taken off, one slipped in, and the newest rewritten', async () => {
  for (let made = 0; made < 3; made++) await makePartner(harness);
  const newest = await newestId();
  const take = async (id: number) => {
    await sql('drop table if exists kept');
    await sql(`create table kept as select * from audit_log where id = ${id}`);
    await behindItsBack('delete from audit_log where id = $1', [id]);
  };
  const putBack = () => behindItsBack('insert into audit_log select * from kept');
  const endIsWrong = ['the newest rows were removed or rewritten'];

  await take(newest - 1);
  assert.deepEqual((await verify()).broken, [String(newest)]);
  await putBack();
  assert.equal((await verify()).intact, true);

  await take(newest);
  assert.deepEqual((await verify()).broken, endIsWrong);
  await putBack();
  assert.equal((await verify()).intact, true);

  await behindItsBack(`insert into audit_log select (r).* from (select jsonb_populate_record(a, jsonb_build_object('id', ${newest + 1})) r
    from audit_log a where id = ${newest}) forged`);
  assert.deepEqual((await verify()).broken, [String(newest + 1)]);
  await behindItsBack('delete from audit_log where id = $1', [newest + 1]);
  assert.equal((await verify()).intact, true);

  await behindItsBack(`update audit_log set actor_id = 'somebody else' where id = ${newest}`);
  await behindItsBack(`update audit_log a set hash = audit_row_hash((select hash from audit_log where id = ${newest - 1}), a)
    where id = ${newest}`);
  assert.deepEqual((await verify()).broken, endIsWrong);
  await behindItsBack(`update audit_log set actor_id = 'tester' where id = ${newest}`);
  await behindItsBack(`update audit_log a set hash = audit_row_hash((select hash from audit_log where id = ${newest - 1}), a)
    where id = ${newest}`);
  assert.equal((await verify()).intact, true);
});

test('200 audit.list: every row once, newest first, page by page, while rows are written', async () => {
  const newest = await newestId();
  const seen: number[] = [];
  let cursor: string | null = null;
  do {
    const page: object = { limit: 9, ...(cursor && { cursor }) };
    const { status, body } = await harness.operator('audit.list', page);
    assert.equal(status, 200);
    seen.push(...body.data.items.map(({ id }: { id: string }) => Number(id)));
    cursor = body.data.nextCursor;
    await makePartner(harness);
  } while (cursor);
  assert.deepEqual(
    seen,
    Array.from({ length: newest }, (_, at) => newest - at),
  );
});

test('200 audit.list: by action and subject', async () => {
  const { id } = await makePartner(harness, 'Filtered');
  await makePartner(harness);
  const { items } = (
    await harness.operator('audit.list', { action: 'partners.create', subject: `partner:${id}` })
  ).body.data;
  assert.equal(items.length, 1);
  const { at, id: _number, ...row } = items[0];
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 10_000);
  assert.deepEqual(row, {
    actorKind: 'operator',
    actorId: 'tester',
    action: 'partners.create',
    subject: `partner:${id}`,
    before: null,
    after: {
      id,
      name: 'Filtered',
      createdAt: row.after.createdAt,
      suspendedAt: null,
      suspendedReason: null,
    },
  });
  const none = await harness.operator('audit.list', { action: 'keys.issue', subject: `partner:${id}` });
  assert.deepEqual(none.body.data, { items: [], nextCursor: null });
});

for (const [field, input] of [
  ['action', { action: 'DROP TABLE' }],
  ['subject', { subject: 'without-a-kind' }],
  ['subject', { subject: `x:${'y'.repeat(200)}` }],
  ['since', { since: '2026-01-01' }],
] as const) {
  test(`400 audit.list: ${JSON.stringify(input).slice(0, 40)}`, async () => {
    const { status, body } = await harness.operator('audit.list', input);
    assert.equal(status, 400);
    assert.equal(body.details[0].field, field);
  });
}

test('no changes leave the chain as it is', async () => {
  const { db } = harness.deps;
  const heads = () => db.query('select id, hash from audit_heads');
  const before = await heads();
  assert.equal(before.length, 1);
  await db.query(`select audit_append('[]', '{}')`);
  assert.deepEqual(await heads(), before);
});
