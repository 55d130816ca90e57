import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { hourMs } from '#platform/values/duration';
import { makeUser } from '#test/data/factories';
import { noteSecret, useHarness } from '#test/harness';
import { selectApproval, updateExpired } from './queries.ts';
import { sealInput } from './seal-input.ts';

const [alice, bruno, carla] = ['alice', 'bruno', 'carla'].map((name) => ({
  name,
  token: noteSecret(`cwo_${name}_${randomBytes(20).toString('hex')}`),
})) as [Person, Person, Person];

interface Person {
  name: string;
  token: string;
}

const harness = useHarness({
  operatorTokens: new Map(
    [alice, bruno, carla].map(({ name, token }) => [name, { token, role: 'admin' as const }]),
  ),
  fourEyesCommands: ['default', 'users.update'],
});

const call = ({ token }: Person, command: string, body: object = {}) =>
  harness.request('POST', `/operator/${command}`, { token, body });
const decide = (person: Person, id: string, decision = 'approve') =>
  call(person, 'approvals.decide', { id, decision, comment: 'a test' });

async function askFunds(person = alice, amount = '12.5') {
  const { id: userId } = await makeUser(harness);
  const input = { userId, network: 'base', currency: 'EURC', amount };
  const { status, body } = await call(person, 'ledger.fund', input);
  assert.equal(status, 202, body.error);
  return { id: body.data.id as string, input, asked: body.data };
}

async function balanceOf(userId: string): Promise<string | undefined> {
  const { body } = await harness.operator('ledger.balances', { userId });
  return body.data.items[0]?.balance;
}

const changesOf = async (subject: string) =>
  (await harness.operator('audit.list', { subject })).body.data.items as {
    action: string;
    actorId: string;
    after: Record<string, unknown>;
  }[];

const sql = (text: string, values: unknown[] = []) => harness.deps.db.query(text, values);

test('202 a listed command is stored and not run; another operator approves it, and it runs as it was given', async () => {
  const { id, input, asked } = await askFunds();
  assert.deepEqual(
    [asked.command, asked.status, asked.requestedBy, asked.decidedBy],
    ['ledger.fund', 'pending', 'alice', null],
  );
  assert.equal(Date.parse(asked.expiresAt) - Date.parse(asked.requestedAt), 24 * hourMs);
  assert.equal(await balanceOf(input.userId), undefined);
  const shown = await call(bruno, 'approvals.show', { id });
  assert.deepEqual(shown.body.data.input, input);

  const { status, body } = await decide(bruno, id);
  assert.equal(status, 200, body.error);
  assert.deepEqual(
    [body.data.status, body.data.requestedBy, body.data.decidedBy, body.data.comment],
    ['approved', 'alice', 'bruno', 'a test'],
  );
  assert.ok(body.data.answer, 'what the command answered');
  assert.equal(await balanceOf(input.userId), '12.5');
  const after = await call(bruno, 'approvals.show', { id });
  assert.equal(after.body.data.input, null, 'the input is deleted');
});

test('the audit log has both names, and who asked is the actor of the command', async () => {
  const { id: userId } = await makeUser(harness);
  const asked = await call(alice, 'users.update', { userId, givenName: 'Ana' });
  await decide(bruno, asked.body.data.id);
  const [change] = await changesOf(`user:${userId}`);
  assert.deepEqual([change!.action, change!.actorId], ['users.update', 'alice']);
  const rows = await changesOf(`approval:${asked.body.data.id}`);
  assert.deepEqual(rows.map(({ action, actorId }) => [action, actorId]).sort(), [
    ['approvals.decide', 'bruno'],
    ['approvals.request', 'alice'],
  ]);
  const decision = rows.find(({ action }) => action === 'approvals.decide')!;
  assert.deepEqual([decision.after.requestedBy, decision.after.decidedBy], ['alice', 'bruno']);
});

test('403 nobody decides about what they asked for, and the database refuses it, too', async () => {
  const { id, input } = await askFunds();
  for (const decision of ['approve', 'refuse']) {
    const { status, body } = await decide(alice, id, decision);
    assert.deepEqual([status, body.error], [403, 'You asked for this: another operator must decide']);
  }
  assert.equal(await balanceOf(input.userId), undefined);
  await assert.rejects(
    sql(
      `update approval_requests set status = 'approved', decided_by = 'alice', decided_at = now(), input_sealed = null
       where id = $1`,
      [id],
    ),
    /approval_requests_two_people/,
  );
});

test('409 an expired request cannot be decided, before and after a job ends it', async () => {
  const { id, input } = await askFunds();
  harness.advance(24 * hourMs);
  for (let n = 0; n < 2; n += 1) {
    const { status, body } = await decide(bruno, id);
    assert.deepEqual([status, body.error], [409, 'The request has expired: run the command again']);
    const { body: shown } = await call(bruno, 'approvals.show', { id });
    assert.equal(shown.data.status, 'expired');
    await updateExpired(harness.deps.db, harness.deps.clock());
  }
  const [row] = await sql('select input_sealed is null as gone from approval_requests where id = $1', [id]);
  assert.equal(row!.gone, true, 'the input is deleted');
  assert.equal(await balanceOf(input.userId), undefined);
});

test('409 a request that was refused or has run does not run again', async () => {
  const [refused, approved] = [await askFunds(), await askFunds()];
  assert.equal((await decide(bruno, refused.id, 'refuse')).body.data.answer, null);
  assert.equal((await decide(bruno, approved.id)).status, 200);
  for (const { id } of [refused, approved]) {
    for (const decision of ['approve', 'refuse']) {
      const { status, body } = await decide(carla, id, decision);
      assert.deepEqual([status, body.error], [409, 'The request is already decided']);
    }
    await assert.rejects(
      sql(`update approval_requests set status = 'pending', input_sealed = '\\x00' where id = $1`, [id]),
      /approval request .* is (approved|refused)/,
    );
  }
  assert.equal(await balanceOf(refused.input.userId), undefined);
  assert.equal(await balanceOf(approved.input.userId), '12.5');
});

test('of two operators who approve at the same time, one does; the command runs once', async () => {
  for (let n = 0; n < 5; n += 1) {
    const { id, input } = await askFunds();
    const answers = await Promise.all([bruno, carla, bruno, carla].map((person) => decide(person, id)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
    assert.equal(await balanceOf(input.userId), '12.5');
  }
});

test('409 an input that was exchanged in the database does not run', async () => {
  const [small, large] = [await askFunds(alice, '1'), await askFunds(alice, '1000')];
  const move = `update approval_requests set input_sealed =
    (select input_sealed from approval_requests where id = $2) where id = $1`;
  await sql(move, [small.id, large.id]);
  const { status, body } = await decide(bruno, small.id);
  assert.equal(status, 409);
  assert.match(body.error, /^The stored input is not the one that was asked for/);
  assert.equal(await balanceOf(small.input.userId), undefined);
  await assert.rejects(
    sql(`update approval_requests set command = 'ledger.post' where id = $1`, [large.id]),
    /cannot change/,
  );
  assert.equal((await decide(bruno, small.id, 'refuse')).status, 200, 'it can be refused');
});

test('409 an input that was sealed again with another amount does not run', async () => {
  const { id, input } = await askFunds();
  const row = (await selectApproval(harness.deps.db, id))!;
  const other = sealInput(harness.deps.sealer, row, { ...input, amount: '9000' });
  await sql('update approval_requests set input_sealed = $2 where id = $1', [id, other]);
  for (const { status, body } of [await decide(bruno, id), await call(bruno, 'approvals.show', { id })]) {
    assert.equal(status, 409);
    assert.match(body.error, /^The stored input is not the one that was asked for/);
  }
  assert.equal(await balanceOf(input.userId), undefined);
});

test('a command that is refused leaves the request open, and what it wrote is undone', async () => {
  const { id: userId } = await makeUser(harness);
  const taken = await makeUser(harness);
  const asked = await call(alice, 'users.update', { userId, email: taken.email });
  const { id } = asked.body.data;
  const { status } = await decide(bruno, id);
  assert.equal(status, 409);
  assert.equal((await call(bruno, 'approvals.show', { id })).body.data.status, 'pending');
  await harness.deps.db.query(`update users set email = $2 where id = $1`, [taken.id, 'free@example.com']);
  assert.equal((await decide(bruno, id)).status, 200, 'it can be approved when the cause is gone');
});

test('a decision that cannot be stored undoes the command, though it succeeded', async () => {
  const { id, input } = await askFunds();
  await sql(`create or replace function fail() returns trigger language plpgsql as $$
    begin if new.action = 'approvals.decide' then raise exception 'the disk is full'; end if; return new; end $$`);
  await sql('create trigger fail before insert on audit_log for each row execute function fail()');
  try {
    assert.equal((await decide(bruno, id)).status, 500);
  } finally {
    await sql('drop trigger fail on audit_log');
  }
  assert.equal(await balanceOf(input.userId), undefined);
  assert.equal((await decide(bruno, id)).status, 200);
  assert.equal(await balanceOf(input.userId), '12.5');
});

test('ledger.post runs in the transaction of its approval, and a replay under its key has no effect', async () => {
  const { id: userId } = await makeUser(harness);
  const line = { transactionType: 'buy', network: 'base', assetReceived: 'USDC', amountReceived: '3' };
  const input = { key: `four eyes ${userId}`, lines: [{ userId, ...line, description: 'Deposit' }] };
  for (const replayed of [false, true]) {
    const asked = await call(alice, 'ledger.post', input);
    const { status, body } = await decide(bruno, asked.body.data.id);
    assert.deepEqual([status, body.data.answer.replayed], [200, replayed]);
  }
  assert.equal(await balanceOf(userId), '3');
});

test('an input is validated when it is asked for, and personal data is not in clear in the database', async () => {
  const { id: userId } = await makeUser(harness);
  assert.equal((await call(alice, 'users.update', { userId, unknown: 1 })).status, 400);
  const taxId = noteSecret(`TAX-${randomBytes(6).toString('hex')}`);
  const { body } = await call(alice, 'users.update', { userId, taxId });
  const [row] = await sql('select row_to_json(r)::text as text from approval_requests r where id = $1', [
    body.data.id,
  ]);
  assert.ok(!String(row!.text).includes(Buffer.from(taxId).toString('hex')));
  assert.ok(!JSON.stringify(await changesOf(`approval:${body.data.id}`)).includes(taxId));
});

test('approvals.list: newest first, by status; commands that are not listed run at once', async () => {
  const { id } = await askFunds();
  const first = (await call(bruno, 'approvals.list', { limit: 1 })).body.data;
  assert.equal(first.items[0].id, id);
  const next = await call(bruno, 'approvals.list', { limit: 1, cursor: first.nextCursor });
  assert.notEqual(next.body.data.items[0].id, id);
  await decide(bruno, id, 'refuse');
  const pending = (await call(bruno, 'approvals.list', { status: 'pending', limit: 200 })).body.data.items;
  assert.ok(!pending.some((one: { id: string }) => one.id === id));
  assert.equal((await call(alice, 'payouts.pause', { reason: 'a test' })).status, 200);
  assert.equal((await call(alice, 'payouts.resume')).status, 202, 'one to stop, two to go on');
  const { body } = await harness.request('GET', '/metrics');
  assert.match(String(body), /causeway_approvals_pending \d/);
});
