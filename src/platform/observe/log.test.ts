import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { makeUser } from '#test/data/factories';
import { type Answer, noteSecret, readTestLog, useHarness } from '#test/harness';
import { createLog, redactedFields } from './log.ts';

const harness = useHarness();
const newSecret = (prefix: string) => noteSecret(`${prefix}-${randomBytes(8).toString('hex')}`);

/**
 * Makes a user whose document number, tax id and, where asked, family name must not be found anywhere
 * afterwards.
 */
async function createUser(fields: { email?: string; familyName?: string }) {
  const secrets = [newSecret('DOC'), newSecret('TAX'), ...(fields.familyName ? [fields.familyName] : [])];
  const answer = await harness.operator('users.create', {
    email: `${newSecret('failing')}@example.com`,
    givenName: 'Test',
    familyName: 'Person',
    documentType: 'passport',
    documentNumber: secrets[0],
    taxId: secrets[1],
    ...fields,
  });
  return { answer, secrets };
}

function linesAbout({ body }: Answer): { level: string; msg: string; err?: Record<string, unknown> }[] {
  const lines = readTestLog().split('\n');
  return lines.filter((line) => line.includes(body.requestId)).map((line) => JSON.parse(line));
}

function assertHolds({ answer, secrets }: Awaited<ReturnType<typeof createUser>>): void {
  const written = JSON.stringify([answer.body, linesAbout(answer)]);
  assert.ok(written.includes(answer.body.requestId));
  for (const secret of secrets) assert.ok(!written.includes(secret), written);
}

const failOnInsert = (body: string) =>
  harness.deps.db.query(`
    create or replace function fail_on_insert() returns trigger language plpgsql as $$ begin ${body} end $$;
    create or replace trigger fail_on_insert before insert on users for each row execute function fail_on_insert()`);

test('409 email taken: neither the answer nor the log has the tax id', async () => {
  const { email } = await makeUser(harness);
  const made = await createUser({ email });
  assert.equal(made.answer.status, 409);
  assertHolds(made);
});

test('500 an error that nobody expected: its log has where it was, but nothing of the row', async () => {
  await failOnInsert(`raise exception 'disk on fire' using detail = new::text, hint = new.email;`);
  const made = await createUser({});
  assert.deepEqual([made.answer.status, made.answer.body.error], [500, 'Internal error']);
  assertHolds(made);
  const { level, err } = linesAbout(made.answer).find(({ msg }) => msg === 'request failed')!;
  assert.deepEqual([level, err?.message, err?.code], ['error', 'disk on fire', 'P0001']);
  assert.match(String(err?.stack), /^error: disk on fire\n +at /);
});

test('500 an error of PostgreSQL that quotes a value: the log has its code and not the value', async () => {
  await failOnInsert('perform new.family_name::integer; return new;');
  const made = await createUser({ familyName: newSecret('family') });
  assert.equal(made.answer.status, 500);
  assertHolds(made);
  const { err } = linesAbout(made.answer).find(({ msg }) => msg === 'request failed')!;
  assert.deepEqual([err?.message, err?.code], ['PostgreSQL refused a value', '22P02']);
  assert.match(String(err?.stack), /^error: PostgreSQL refused a value\n +at /);
});

test('fields that are secret by name are not written, at the top of a line or one level down', () => {
  let written = '';
  const log = createLog({ level: 'info', destination: { write: (line) => (written += line) } });
  const fields = Object.fromEntries(redactedFields.map((field) => [field, 'in the clear']));
  log.info({ ...fields, request: fields, shown: 'as it is' }, 'a line');
  const { shown, request, ...line } = JSON.parse(written);
  assert.equal(shown, 'as it is');
  for (const field of redactedFields)
    assert.deepEqual([line[field], request[field]], ['[redacted]', '[redacted]']);
});

test('what is thrown and is no Error is not written', () => {
  let written = '';
  const log = createLog({ level: 'info', destination: { write: (line) => (written += line) } });
  log.error({ err: 'a text that may hold anything' }, 'failed');
  log.error({ err: new Error('outer', { cause: { taxId: 'anything' } }) }, 'failed');
  assert.doesNotMatch(written, /anything/);
  assert.match(written, /"outer"/);
});

test('what opens Connect is redacted by the names that it has in the code and in headers', () => {
  let written = '';
  const write = (line: string) => {
    written += line;
  };
  const log = createLog({ level: 'info', destination: { write } });
  const names = [
    'cookie',
    'csrf',
    'linkToken',
    'linkSecret',
    'sessionSecret',
    'formerSessionSecret',
    'x-api-key',
  ];
  const fields = Object.fromEntries(names.map((name) => [name, 'in the clear']));
  log.info({ ...fields, headers: fields }, 'a line');
  assert.ok(!written.includes('in the clear'), written);
});
