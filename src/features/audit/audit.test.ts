import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chooseFourEyes, requestApproval } from '#features/approvals';
import { newestAuditId } from '#test/database/audit-head';
import { noteSecret, useHarness } from '#test/harness';
import { startChain } from '#test/outside/chain';
import { startTestIssuer } from '#test/outside/issuer';
import { commandInputs } from '#test/worlds/command-inputs';
import { commands } from '../../app.ts';

const chain = await startChain({ network: 'base' });
after(() => chain.stop());
const cardIssuer = await startTestIssuer();
after(() => cardIssuer.stop());
const harness = useHarness({ networks: [chain.settings], issuer: cardIssuer.issuer });
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const newestId = () => newestAuditId(harness);

/** Another operator, who asks for approvals. */
const asAlice = () => ({
  ...harness.operatorContext(),
  actor: { kind: 'operator', name: 'alice', role: 'admin' } as const,
});

/** Whether `FOUR_EYES_COMMANDS` may name it. */
function canBeApproved(name: string): boolean {
  try {
    return chooseFourEyes(commands, { fourEyesCommands: [name] }).has(name);
  } catch {
    return false;
  }
}

const changes = commandInputs(harness, chain);
const changing = commands.filter((command) => command.changes).map(({ name }) => name);

test('every command that changes something has a line in `commandInputs`', () => {
  assert.deepEqual(Object.keys(changes).sort(), [...changing].sort());
});

/**
 * Everything in the database, by table: equal before and after means that nothing was stored. Notes that
 * requests do not wait for are left out: when keys were last used, and the request log.
 */
async function readEverything(): Promise<Record<string, unknown>> {
  const tables = await sql(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
       and relname not in ('api_key_uses', 'integration_key_uses', 'request_log')`,
  );
  const content: Record<string, unknown> = {};
  for (const { name } of tables) {
    const [row] = await sql(`select count(*), md5(string_agg(t::text, ',' order by t::text)) from ${name} t`);
    content[name as string] = row;
  }
  return content;
}

const secretsSeen: string[] = [];

for (const name of changing) {
  test(`200 ${name}: writes who did it to what, before and after, in its own transaction`, async () => {
    const input = await changes[name]!();
    const idBefore = await newestId();
    const { status, body } = await harness.operator(name, input);
    assert.equal(status, 200, body.error);
    for (const key of ['documentNumber', 'taxId'] as const)
      if (key in input) secretsSeen.push((input as never)[key]);
    // `prices.forget` also answers with a token: the symbol of a currency.
    if (body.data.secret) secretsSeen.push(noteSecret(body.data.secret.slice('whsec_'.length)));
    if (name.endsWith('invite')) secretsSeen.push(noteSecret(body.data.url.split('/').at(-1)));
    if (/^cw[ki]_/.test(body.data.token)) secretsSeen.push(noteSecret(body.data.token.split('_')[2]));

    const rows = await sql('select * from audit_log where id > $1 order by id', [idBefore]);
    assert.ok(rows.some(({ action }) => action === name));
    for (const row of rows) {
      assert.deepEqual([row.actor_kind, row.actor_id], ['operator', 'tester']);
      assert.match(row.subject as string, /^[a-z]+:\S+$/);
      assert.ok(row.before !== null || row.after !== null);
      const isChange = row.action === name && /\.(update|suspend|resume)$/.test(name);
      if (isChange) assert.ok(row.before !== null && row.after !== null, `${name} has before and after`);
      assert.notDeepEqual(row.before, row.after);
    }
  });

  test(`500 ${name}: nothing is changed where the audit row cannot be written`, async () => {
    const input = await changes[name]!();
    const before = await readEverything();
    await sql(`create or replace function fail() returns trigger language plpgsql as $$
      begin raise exception 'the disk of the audit log is full'; end $$`);
    await sql('create trigger fail before insert on audit_log for each row execute function fail()');
    try {
      const { status, body } = await harness.operator(name, input);
      assert.deepEqual([status, body.error], [500, 'Internal error']);
    } finally {
      await sql('drop trigger fail on audit_log');
    }
    assert.deepEqual(await readEverything(), before);
    assert.equal(
      (await harness.operator(name, input)).status,
      200,
      'and it was the audit row that stopped it',
    );
  });
}

for (const name of changing.filter(canBeApproved)) {
  test(`200 ${name}: runs in the transaction of its approval, in the name of who asked`, async () => {
    const input = await changes[name]!();
    const { id } = await requestApproval(asAlice(), { command: name, input });
    const idBefore = await newestId();
    const { status, body } = await harness.operator('approvals.decide', { id, decision: 'approve' });
    assert.equal(status, 200, body.error);
    const rows = await sql('select action, actor_id from audit_log where id > $1 order by id', [idBefore]);
    assert.ok(rows.some(({ action }) => action === name));
    assert.deepEqual(
      [...new Set(rows.map(({ action, actor_id }) => `${action === 'approvals.decide'} ${actor_id}`))],
      ['false alice', 'true tester'],
    );
    const answer = body.data.answer;
    if (answer.secret) secretsSeen.push(noteSecret(answer.secret.slice('whsec_'.length)));
    if (/^cw[ki]_/.test(answer.token)) secretsSeen.push(noteSecret(answer.token.split('_')[2]));
  });
}

test('no secret of any command is in the log', async () => {
  assert.ok(secretsSeen.length >= 6);
  const [row] = await sql('select string_agg(a::text, chr(10)) as text from audit_log a');
  for (const secret of secretsSeen) assert.ok(!(row!.text as string).includes(secret));
});
