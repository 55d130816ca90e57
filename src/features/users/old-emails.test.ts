import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { addWallet } from '#features/users';
import { makeAddress, makeUser } from '#test/data/factories';
import { countRowsRead } from '#test/database/rows-read';
import { waitUntil } from '#test/wait-until';
import { useWithdrawals } from '#test/worlds/withdrawal';
import { checkEmails } from './check-emails.ts';
import { normalizeEmail } from './email.ts';
import { normalizeEmails } from './normalize-emails.ts';
import { oddEmail, selectIdsByEmail } from './queries/emails.ts';
import { selectRecipient } from './queries/recipients.ts';

const { harness, sql, create, expectRefusal, expectCreated, good } = useWithdrawals();
const mark = () => randomBytes(6).toString('hex');

/** As a release before emails were normalized stored it: trimmed and in lower case, nothing else. */
async function storeAsBefore(email: string, { isVerified = true } = {}) {
  const { id } = await makeUser(harness);
  await sql('update users set email = $2, email_verified = $3 where id = $1', [id, email, isVerified]);
  const address = makeAddress();
  await addWallet(harness.operatorContext(), {
    userId: id,
    network: 'polygon',
    address,
    custody: 'platform',
  });
  return { id, address };
}

const emailOf = async (id: string) => (await sql('select email from users where id = $1', [id]))[0]!.email;
const forgetOddEmails = () => sql(`update users set email = id || '@example.com' where true`);
const call = (command: string, input: object = {}) => harness.operator(`users.${command}`, input);
const newPerson = (email: string) => ({ email, givenName: 'Ana', familyName: 'Ribeiro' });

/** Spellings of one email that an older release kept apart, by the email in its normal form. */
function spellingsOf(id: string): [normal: string, old: string[]] {
  return [
    `jos\u00e9.${id}@m\u00fcnchen.example.com`,
    [
      `jose\u0301.${id}@m\u00fcnchen.example.com`,
      `jos\u00e9.${id}@xn--mnchen-3ya.example.com`,
      `jos\u00e9.${id}@mu\u0308nchen\u3002example.com`,
      `\uff4aos\u00e9.${id}@m\u00fcnchen.example.com`,
    ],
  ];
}

test('200 an email that an older release stored in another spelling is found, listed and paid', async () => {
  for (const at of [0, 1, 2, 3]) {
    const [normal, old] = spellingsOf(mark());
    const { id, address } = await storeAsBefore(old[at]!);
    for (const asked of [normal, ...old]) {
      const row = await expectCreated(() => create(good({ to: asked })));
      assert.deepEqual([row.to_address, row.recipient_user_id], [address, id], asked);
      const { items } = (await call('list', { email: asked })).body.data;
      assert.deepEqual(
        items.map((item: { id: string }) => item.id),
        [id],
      );
      assert.equal((await harness.operator('withdrawals.list', { user: asked })).status, 200);
    }
  }
});

test('409 users.create, users.update: an older release stored this email in another spelling', async () => {
  const [normal, old] = spellingsOf(mark());
  const { id } = await storeAsBefore(old[0]!);
  const other = await makeUser(harness);
  for (const answer of [
    await call('create', newPerson(normal)),
    await call('update', { userId: other.id, email: normal }),
  ])
    assert.deepEqual([answer.status, answer.body.error], [409, 'Another user has this email']);
  const own = await call('update', { userId: id, email: normal });
  assert.deepEqual([own.status, own.body.data.email, own.body.data.emailVerified], [200, normal, true]);
});

test('404 to an email that several users have verified: nobody is paid, also where only one has a wallet', async () => {
  const [normal, old] = spellingsOf(mark());
  const one = await storeAsBefore(old[0]!);
  const other = await storeAsBefore(normal);
  for (const asked of [normal, ...old])
    await expectRefusal(() => create(good({ to: asked })), 404, 'Error finding user verified wallet');
  await sql('delete from user_wallets where user_id = $1', [other.id]);
  await expectRefusal(() => create(good({ to: normal })), 404, 'Error finding user verified wallet');
  assert.equal((await expectCreated(() => create(good({ to: one.id })))).to_address, one.address);

  const listed = (await call('list', { email: normal })).body.data.items;
  assert.deepEqual(listed.map((item: { id: string }) => item.id).sort(), [one.id, other.id].sort());
  const search = await harness.operator('withdrawals.list', { user: normal });
  assert.deepEqual(
    [search.status, search.body.error],
    [409, 'Several users have this email: give the id of one of them'],
  );
  // An unverified email names nobody, so the other one is who verified it.
  await sql('update users set email_verified = false where id = $1', [other.id]);
  assert.equal((await expectCreated(() => create(good({ to: normal })))).to_address, one.address);
});

test('200 emails that share only the key of their local part stay apart: each is paid at its own wallet', async () => {
  const id = mark();
  // The same after compatibility decomposition, and yet other emails.
  const ligature = await storeAsBefore(`\ufb01.jos\u00e9.${id}@example.com`);
  const letters = await storeAsBefore(`fi.jose\u0301.${id}@example.com`);
  for (const [to, { address }] of [
    [`\ufb01.jos\u00e9.${id}@example.com`, ligature],
    [`fi.jos\u00e9.${id}@example.com`, letters],
  ] as const)
    assert.equal((await expectCreated(() => create(good({ to })))).to_address, address);
});

interface Found {
  userId: string;
  email: string;
  normalEmail: string | null;
  fault: string;
  sharedWith: string[];
}

/** All parts, as the CLI reads them. */
async function runAll(command: 'check-emails' | 'normalize-emails', limit = 2) {
  const items: Found[] = [];
  let [normalized, cursor] = [0, undefined as string | undefined];
  do {
    const { status, body } = await call(command, { limit, ...(cursor && { cursor }) });
    assert.equal(status, 200, body.error);
    items.push(...body.data.items);
    normalized += body.data.normalized ?? 0;
    cursor = body.data.nextCursor ?? undefined;
  } while (cursor);
  return { items, normalized };
}

test('200 users.check-emails names what is stored otherwise; users.normalize-emails corrects what is safe', async () => {
  await forgetOddEmails();
  assert.deepEqual(await runAll('check-emails'), { items: [], normalized: 0 });
  const [normal, old] = spellingsOf(mark());
  const alone = await storeAsBefore(old[1]!);
  const [sharedNormal, shared] = spellingsOf(mark());
  const first = await storeAsBefore(shared[0]!);
  const second = await storeAsBefore(sharedNormal);
  const [twiceNormal, twice] = spellingsOf(mark());
  const third = await storeAsBefore(twice[0]!);
  const fourth = await storeAsBefore(twice[1]!);
  const none = await storeAsBefore('0x@1');
  const plain = await storeAsBefore(`\u738b.${mark()}@example.com`);

  const isOf = ({ id }: { id: string }) => ({ userId: id });
  const left = [
    { ...isOf(first), email: shared[0], normalEmail: sharedNormal, fault: 'shared', sharedWith: [second.id] },
    { ...isOf(third), email: twice[0], normalEmail: twiceNormal, fault: 'shared', sharedWith: [fourth.id] },
    { ...isOf(fourth), email: twice[1], normalEmail: twiceNormal, fault: 'shared', sharedWith: [third.id] },
    { ...isOf(none), email: '0x@1', normalEmail: null, fault: 'not-an-email', sharedWith: [] },
  ];
  const spelling = { ...isOf(alone), email: old[1], normalEmail: normal, fault: 'spelling', sharedWith: [] };
  const byId = (one: { userId: string }, other: { userId: string }) => (one.userId < other.userId ? -1 : 1);
  const expected = [spelling, ...left].sort(byId);
  assert.deepEqual((await runAll('check-emails')).items, expected);
  assert.deepEqual((await runAll('check-emails')).items, expected, 'the check changes nothing');

  assert.deepEqual(await runAll('normalize-emails'), { items: [...left].sort(byId), normalized: 1 });
  assert.equal(await emailOf(alone.id), normal);
  assert.equal((await expectCreated(() => create(good({ to: old[1] })))).to_address, alone.address);
  const { items } = (await harness.operator('audit.list', { subject: `user:${alone.id}` })).body.data;
  assert.partialDeepStrictEqual(items[0], {
    action: 'users.normalize-emails',
    before: { email: old[1], emailVerified: true },
    after: { email: normal, emailVerified: true },
  });
  assert.deepEqual(await runAll('normalize-emails'), { items: [...left].sort(byId), normalized: 0 });
  for (const { id } of [first, second, third, fourth, none, plain])
    assert.equal(
      (await harness.operator('audit.list', { subject: `user:${id}` })).body.data.items.filter(
        ({ action }: { action: string }) => action === 'users.normalize-emails',
      ).length,
      0,
    );

  // The operator decides who keeps a shared email, and the rest becomes safe.
  assert.equal((await call('update', { userId: second.id, email: `${mark()}@example.com` })).status, 200);
  assert.equal((await call('update', { userId: fourth.id, email: `${mark()}@example.com` })).status, 200);
  assert.equal((await call('update', { userId: none.id, email: `${mark()}@example.com` })).status, 200);
  assert.deepEqual(await runAll('normalize-emails'), { items: [], normalized: 2 });
  assert.deepEqual([await emailOf(first.id), await emailOf(third.id)], [sharedNormal, twiceNormal]);
});

async function askDoctor() {
  const { items } = (await harness.operator('doctor')).body.data;
  const { state, seen, advice } = items.find((item: { check: string }) => item.check === 'user emails');
  return { state, seen, advice };
}

test('200 doctor: emails that several users have are a problem, other spellings a warning', async () => {
  await forgetOddEmails();
  assert.deepEqual(await askDoctor(), { state: 'ok', seen: 'Each is in its normal form', advice: null });
  const [normal, old] = spellingsOf(mark());
  const { id } = await storeAsBefore(old[0]!);
  const spelled = await askDoctor();
  assert.equal(spelled.state, 'warning');
  assert.match(spelled.advice, /causeway users normalize-emails/);
  assert.match(spelled.seen, new RegExp(id));
  await storeAsBefore(normal);
  const shared = await askDoctor();
  assert.equal(shared.state, 'problem');
  assert.match(shared.seen, new RegExp(`1 user.* shared.*${id}`));
  await forgetOddEmails();
});

const untilSomebodyWaits = () =>
  waitUntil('a session waits for a lock', async () => {
    const waiting = await sql(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return waiting.length > 0;
  });

test('200 users.normalize-emails holds no user while it waits for another: withdrawals of both go on', async () => {
  await forgetOddEmails();
  const [firstNormal, ofFirst] = spellingsOf(mark());
  const [secondNormal, ofSecond] = spellingsOf(mark());
  const first = await storeAsBefore(ofFirst[0]!);
  const second = await storeAsBefore(ofSecond[0]!);
  const answer = await harness.deps.db.transaction(async (withdrawals) => {
    // As the foreign keys of a withdrawal lock its users.
    const refer = (id: string) => withdrawals.query('select from users where id = $1 for key share', [id]);
    await refer(second.id);
    const answer = call('normalize-emails', { limit: 500 });
    await untilSomebodyWaits();
    assert.equal(await emailOf(first.id), firstNormal, 'the first is changed and committed');
    assert.equal((await refer(first.id)).length, 1);
    return { body: answer.then(({ body }) => body) };
  });
  assert.deepEqual((await answer.body).data, { normalized: 2, items: [], nextCursor: null });
  assert.equal(await emailOf(second.id), secondNormal);
});

test('200 users.normalize-emails waits for no user whose email it does not change', async () => {
  await forgetOddEmails();
  const [normal, old] = spellingsOf(mark());
  const shared = [await storeAsBefore(old[0]!), await storeAsBefore(normal)];
  const inNormalForm = await storeAsBefore(`\u738b.${mark()}@example.com`);
  const ids = [...shared, inNormalForm].map(({ id }) => id);
  const { status, body } = await harness.deps.db.transaction(async (other) => {
    await other.query('select from users where id = any($1::uuid[]) for update', [ids]);
    return call('normalize-emails', { limit: 500 });
  });
  assert.equal(status, 200, body.error);
  assert.deepEqual(
    body.data.items.map(({ userId }: Found) => userId),
    [shared[0]!.id],
  );
});

test('200 users.normalize-emails looks again at what changed while it waited', async () => {
  await forgetOddEmails();
  const [normal, old] = spellingsOf(mark());
  const taken = await storeAsBefore(old[0]!);
  const updated = await storeAsBefore(spellingsOf(mark())[1][0]!);
  const other = await makeUser(harness);
  const newEmail = `${mark()}@example.com`;
  const answer = await harness.deps.db.transaction(async (meanwhile) => {
    await meanwhile.query('select from users where id = $1 for update', [taken.id]);
    const answer = call('normalize-emails', { limit: 500 });
    await untilSomebodyWaits();
    const update = 'update users set email = $2 where id = $1';
    await meanwhile.query(update, [other.id, normal]);
    await meanwhile.query(update, [updated.id, newEmail]);
    return { body: answer.then(({ body }) => body) };
  });
  const left = {
    userId: taken.id,
    email: old[0],
    normalEmail: normal,
    fault: 'shared',
    sharedWith: [other.id],
  };
  assert.deepEqual((await answer.body).data, { normalized: 0, items: [left], nextCursor: null });
  assert.deepEqual([await emailOf(taken.id), await emailOf(updated.id)], [old[0], newEmail]);
});

test('an email that the search for old spellings passes over is in its normal form', async () => {
  const part = fc.string({ unit: fc.constantFrom(...'az09.-_+x=!{'), minLength: 1, maxLength: 12 });
  const label = fc.string({ unit: fc.constantFrom(...'az09-x'), minLength: 1, maxLength: 8 });
  const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
  const emails = fc.sample(
    fc.tuple(part, domain).map(([local, end]) => `${local}@${end}`),
    3_000,
  );
  const odd = ['0x@1', 'a@127.0.0.1', 'a@b', 'a@0x7f.x', 'a@xn--a.com', 'a@b.xn--p1ai', 'a,b@example.com'];
  const all = [...new Set([...emails, ...odd])];
  const rows = await sql(`select email from unnest($1::text[]) as email where not (${oddEmail})`, [all]);
  assert.ok(rows.length > 300 && rows.length < all.length, String(rows.length));
  for (const { email } of rows) assert.equal(normalizeEmail(email as string), email);
});

const insertUsers = (count: number, name: string) =>
  sql(
    `insert into users (id, email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
     select uuidv7(), $2 || '.' || n || '@example.com', true, 'A', 'B', 'individual', now(), now()
     from generate_series(1, $1::integer) n`,
    [count, name],
  );

test('an email is found among 20,000 users in any script without reading them', async () => {
  await insertUsers(20_000, 'jos\u00e9');
  await sql('analyze users');
  const email = 'jos\u00e9.777@example.com';
  const { db } = harness.deps;
  assert.equal(await countRowsRead(db, (recording) => selectIdsByEmail(recording, email)), 1);
  const read = await countRowsRead(db, (recording) => selectRecipient(recording, 'polygon', { email }));
  // The few wallets of this file may all be read.
  assert.ok(read <= 100, String(read));
});

test('200 among 20,000 users, a call reads no more than its part, and all parts find the odd email', async () => {
  await forgetOddEmails();
  await insertUsers(20_000, 'plain');
  const [normal, old] = spellingsOf(mark());
  const { id } = await storeAsBefore(old[0]!);
  await sql('analyze users');
  const { items, nextCursor } = await checkEmails(harness.operatorContext(), { limit: 500 });
  assert.deepEqual(items, []);
  for (const cursor of [undefined, nextCursor!])
    assert.equal(
      await countRowsRead(harness.deps.db, (db) =>
        checkEmails({ ...harness.operatorContext(), db }, { limit: 500, ...(cursor && { cursor }) }),
      ),
      501,
    );
  const byDefault = await countRowsRead(harness.deps.db, (db) =>
    normalizeEmails({ ...harness.operatorContext(), db }, {}),
  );
  assert.equal(byDefault, 101);

  const found = (await runAll('check-emails', 5_000)).items;
  assert.deepEqual(
    found.map(({ userId, fault }) => [userId, fault]),
    [[id, 'spelling']],
  );
  assert.deepEqual(await runAll('normalize-emails', 500), { items: [], normalized: 1 });
  assert.equal(await emailOf(id), normal);
});

test('200 doctor reads the 50,000 oldest users, and says so', async () => {
  await forgetOddEmails();
  await insertUsers(50_000, 'newer');
  await storeAsBefore(spellingsOf(mark())[1][0]!);
  const seen =
    'Those of the 50,000 oldest users are in their normal form; causeway users check-emails reads all';
  assert.deepEqual(await askDoctor(), { state: 'ok', seen, advice: null });
});
