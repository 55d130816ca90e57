import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { newEmail, newPerson, unknownId, useUserCommands } from '#test/callers/user-commands';
import { makeAddress } from '#test/data/factories';
import { noteSecret } from '#test/harness';
import { createUser } from './create-user.ts';

const { harness, call, create, auditOf } = useUserCommands();

interface SealedColumns {
  document: Buffer | null;
  tax: Buffer | null;
  text: string;
}

async function readSealed(userId: string): Promise<SealedColumns> {
  const [row] = await harness.deps.db.query<SealedColumns & Record<string, unknown>>(
    `select document_number_sealed as document, tax_id_sealed as tax, u::text as text from users u where id = $1`,
    [userId],
  );
  return row!;
}

test('200 users.create: what was not said has its default', async () => {
  const email = newEmail();
  const { id, createdAt, updatedAt, ...rest } = await create({ email });
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, {
    email,
    emailVerified: false,
    givenName: 'Ana',
    familyName: 'Ribeiro',
    entityType: 'individual',
    legalName: null,
    postalAddress: null,
    documentType: null,
    hasDocumentNumber: false,
    hasTaxId: false,
    suspendedAt: null,
    suspendedReason: null,
  });
});

test('200 users.create: every field', async () => {
  const fields = {
    emailVerified: true,
    entityType: 'business',
    legalName: 'Mar Verde Comércio Ltda',
    postalAddress: 'Rua Augusta 1500, 01304-001 São Paulo, Brasil',
    documentType: 'cnpj',
    documentNumber: noteSecret(`DOC-${randomBytes(6).toString('hex')}`),
    taxId: noteSecret(`TAX-${randomBytes(6).toString('hex')}`),
  };
  const { documentNumber: _document, taxId: _taxId, ...shown } = fields;
  assert.partialDeepStrictEqual(await create(fields), { ...shown, hasDocumentNumber: true, hasTaxId: true });
});

test('409 users.create: Another user has this email, whatever its case and the spaces around it', async () => {
  const email = newEmail();
  const { email: stored } = await create({ email: ` ${email.toUpperCase()} ` });
  assert.equal(stored, email);
  const { status, body } = await call('create', newPerson({ email: email.replace('example', 'EXAMPLE') }));
  assert.deepEqual([status, body.error, body.code], [409, 'Another user has this email', 'email_taken']);
  const { items } = (await call('list', { email: email.toUpperCase() })).body.data;
  assert.equal(items.length, 1);
});

test('409 users.create: one email, in whatever spelling of letters, width and domain', async () => {
  const id = randomBytes(4).toString('hex');
  const { email } = await create({ email: `jos\u00e9.${id}@m\u00fcnchen.example.com` });
  assert.equal(email, `jos\u00e9.${id}@m\u00fcnchen.example.com`);
  for (const same of [
    `jose\u0301.${id}@mu\u0308nchen.example.com`,
    `JOS\u00c9.${id}@M\u00dcNCHEN.EXAMPLE.COM`,
    `jos\u00e9.${id}@xn--mnchen-3ya.example.com`,
    `\uff4aos\u00e9.${id}\uff20m\u00fcnchen\u3002example.\uff43om`,
  ]) {
    const { status, body } = await call('create', newPerson({ email: same }));
    assert.deepEqual([status, body.error], [409, 'Another user has this email'], same);
    const { items } = (await call('list', { email: same })).body.data;
    assert.equal(items.length, 1, same);
  }
});

test('409 users.create: of ten at once with one email, one is made', async () => {
  const email = newEmail();
  const answers = await Promise.all(Array.from({ length: 10 }, () => call('create', newPerson({ email }))));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(answers.filter(({ status }) => status === 409).length, 9);
});

for (const [field, fields] of [
  ['email', { email: undefined }],
  ['email', { email: 'a@' }],
  ['email', { email: null }],
  ['email', { email: `${'a'.repeat(250)}@b.com` }],
  ['givenName', { givenName: '' }],
  ['givenName', { givenName: 'A\u0007na' }],
  ['familyName', { familyName: 'x'.repeat(101) }],
  ['familyName', { familyName: 'two\nlines' }],
  ['entityType', { entityType: 'person' }],
  ['emailVerified', { emailVerified: 'yes' }],
  ['taxId', { taxId: '' }],
  ['documentNumber', { documentNumber: 123 }],
  ['id', { id: unknownId }],
] as const) {
  test(`400 users.create: ${JSON.stringify(fields)}`, async () => {
    const { status, body } = await call('create', newPerson(fields));
    assert.equal(status, 400);
    assert.match(body.error, new RegExp(`^(?:Unknown field: ${field}$|${field} )`));
    assert.equal(body.details[0].field, field);
  });
}

for (const email of [
  '0x@1',
  'ana@localhost',
  'ana@good.example.com/evil',
  'ana@good.example.com?x',
  'ana@good.example.com#corp.example.com',
  'ana@good.example.com/',
  'ana@g%6fod.example.com',
  'ana@good.example.com:25',
  'ana@127.0.0.1',
  'ana@1',
  'ana@example.1',
  'ana@-example.com',
  'ana@exa_mple.com',
  'ana@example..com',
  'ana@example.com@example.com',
  'an\u202ea@example.com',
  'an\u200ba@example.com',
  'an\u0085a@example.com',
  '"ana"@example.com',
  'ana <ana@example.com>',
  'no-at.example.com',
  'two@@example.com',
  'a b@example.com',
  'a@b@c',
  '@example.com',
  'a\u0085@b.c',
]) {
  test(`400 users.create: email must be an email address, such as ana@example.com: ${JSON.stringify(email)}`, async () => {
    const { status, body } = await call('create', newPerson({ email }));
    assert.deepEqual([status, body.error], [400, 'email must be an email address, such as ana@example.com']);
  });
}

test('200 users.create: an email in any script is stored in its lower case', async () => {
  for (const local of ['ÄÖÜ', 'ΑΣ', 'İ', 'ẞ', 'Ǆ', 'ДЖ', 'Ⅷ']) {
    const email = `${local}-${newEmail()}`;
    const user = await create({ email });
    assert.equal(user.email, email.toLowerCase());
    assert.equal((await call('list', { email })).body.data.items[0].id, user.id);
  }
});

test('the document number and the tax id are sealed for their own row and column, and shown nowhere', async () => {
  const documentNumber = noteSecret(`DOC-${randomBytes(6).toString('hex')}`);
  const taxId = noteSecret(`TAX-${randomBytes(6).toString('hex')}`);
  const created = await call('create', newPerson({ documentNumber, taxId }));
  const { id } = created.body.data;
  const other = await create({ documentNumber: noteSecret('DOC-other-person') });
  const updated = await call('update', { userId: id, givenName: 'Anna', documentNumber, taxId });
  const listed = await call('list', { email: created.body.data.email });
  const audited = await harness.operator('audit.list', { subject: `user:${id}` });
  assert.equal(audited.body.data.items.length, 2);

  const row = await readSealed(id);
  const hex = (text: string) => Buffer.from(text).toString('hex');
  for (const secret of [documentNumber, taxId]) {
    for (const { body } of [created, updated, listed, audited])
      assert.ok(!JSON.stringify(body).includes(secret));
    assert.ok(!row.text.includes(secret) && !row.text.includes(hex(secret)));
  }

  const { sealer } = harness.deps;
  assert.equal(sealer.open(`users.document_number ${id}`, row.document!), documentNumber);
  assert.equal(sealer.open(`users.tax_id ${id}`, row.tax!), taxId);
  const moved = await readSealed(other.id);
  assert.throws(() => sealer.open(`users.document_number ${id}`, moved.document!), 'moved to another row');
  assert.throws(() => sealer.open(`users.tax_id ${id}`, row.document!), 'moved to another column');
});

test('200 users.reseal: numbers under an older encryption key are encrypted again, some at a time, and open as before', async () => {
  const older = { ...harness.operatorContext(), sealer: harness.olderSealer };
  const people = [];
  for (const number of [1, 2, 3]) {
    const documentNumber = noteSecret(`DOC-${number}-${randomBytes(6).toString('hex')}`);
    const person = newPerson({
      documentNumber,
      taxId: number === 3 ? null : noteSecret(`TAX-${documentNumber}`),
    });
    people.push({ documentNumber, ...(await createUser(older, person)) });
  }
  const [, , last] = people;
  assert.throws(
    () => harness.olderSealer.open('anywhere', harness.deps.sealer.seal('anywhere', 'x')),
    /version 2/,
  );

  assert.deepEqual((await call('reseal', { limit: 2 })).body.data, {
    resealed: 2,
    remaining: 1,
    keyVersion: 2,
  });
  assert.deepEqual((await call('reseal')).body.data, { resealed: 1, remaining: 0, keyVersion: 2 });
  assert.deepEqual((await call('reseal')).body.data, { resealed: 0, remaining: 0, keyVersion: 2 });

  for (const { id, documentNumber } of people) {
    const { document } = await readSealed(id);
    assert.equal(document!.readUInt16BE(1), 2);
    assert.equal(harness.deps.sealer.open(`users.document_number ${id}`, document!), documentNumber);
  }
  assert.equal((await readSealed(last!.id)).tax, null);
  const { body } = await harness.operator('audit.list', { action: 'users.reseal' });
  assert.deepEqual(
    body.data.items.map((row: { after: object }) => row.after),
    [
      { keyVersion: 2, resealed: 1, remaining: 0 },
      { keyVersion: 2, resealed: 2, remaining: 1 },
    ],
  );
});

test('one value sealed twice gives two ciphertexts, so that equal people cannot be found', async () => {
  const taxId = noteSecret(`TAX-${randomBytes(6).toString('hex')}`);
  const [one, other] = [await create({ taxId }), await create({ taxId })];
  assert.notDeepEqual((await readSealed(one.id)).tax, (await readSealed(other.id)).tax);
});

test('200 users.update: only what is given changes', async () => {
  const taxId = noteSecret(`TAX-${randomBytes(6).toString('hex')}`);
  const before = await create({ taxId, legalName: 'Before Ltd', emailVerified: true });
  harness.advance(1_000);
  const { status, body } = await call('update', { userId: before.id.toUpperCase(), familyName: 'Costa' });
  assert.equal(status, 200);
  const { updatedAt, ...after } = body.data;
  assert.ok(updatedAt > before.updatedAt);
  const { updatedAt: _earlier, ...unchanged } = before;
  assert.deepEqual(after, { ...unchanged, familyName: 'Costa' });
  const { tax } = await readSealed(before.id);
  assert.equal(harness.deps.sealer.open(`users.tax_id ${before.id}`, tax!), taxId);
});

test('200 users.update: null clears what may be empty', async () => {
  const { id } = await create({ taxId: noteSecret('TAX-to-be-cleared'), legalName: 'Gone Ltd' });
  const { body } = await call('update', { userId: id, taxId: null, legalName: null });
  assert.deepEqual([body.data.hasTaxId, body.data.legalName], [false, null]);
  assert.equal((await readSealed(id)).tax, null);
});

test('200 users.update: a postal address is set, changed and cleared, each in the audit log', async () => {
  const { id } = await create({});
  const addresses = ['Rua do Ouro 12, 1100-061 Lisboa', 'Rua da Prata 3, 1100-420 Lisboa', null];
  type Fields = { postalAddress: string | null };
  for (const postalAddress of addresses) {
    harness.advance(1_000);
    const { status, body } = await call('update', { userId: id, postalAddress });
    assert.deepEqual([status, body.data.postalAddress], [200, postalAddress]);
  }
  const rows: { action: string; before: Fields; after: Fields }[] = await auditOf(`user:${id}`);
  const changes = rows.filter(({ action }) => action === 'users.update');
  assert.deepEqual(
    changes.map(({ before, after }) => [before.postalAddress, after.postalAddress]).reverse(),
    addresses.map((address, at) => [addresses[at - 1] ?? null, address]),
  );
  for (const bad of ['x'.repeat(161), 'Rua do Ouro 12\n1100-061 Lisboa', ''])
    assert.equal((await call('update', { userId: id, postalAddress: bad })).status, 400, bad);
});

test('200 users.update: a new email is unverified unless said otherwise; the same one in capitals stays verified', async () => {
  const { id, email } = await create({ emailVerified: true });
  const update = async (fields: object) => (await call('update', { userId: id, ...fields })).body.data;
  assert.equal((await update({ email: email.toUpperCase() })).emailVerified, true);
  assert.equal((await update({ email: newEmail() })).emailVerified, false);
  assert.equal((await update({ email: newEmail(), emailVerified: true })).emailVerified, true);
});

test('200 users.update: what is there already changes nothing, and is not in the audit log', async () => {
  const before = await create({ emailVerified: true, legalName: 'Same Ltd' });
  harness.advance(1_000);
  for (const same of [
    { givenName: before.givenName },
    { email: ` ${before.email.toUpperCase()} `, emailVerified: true, legalName: 'Same Ltd' },
    { entityType: 'individual', documentType: null, documentNumber: null, taxId: null },
  ]) {
    const { status, body } = await call('update', { userId: before.id, ...same });
    assert.deepEqual([status, body.data], [200, before]);
  }
  assert.equal((await auditOf(`user:${before.id}`)).length, 1, 'only the creation');
});

test('200 users.update: a given number is replaced, even by the same number; the audit log says which', async () => {
  const documentNumber = noteSecret(`DOC-${randomBytes(6).toString('hex')}`);
  const taxId = noteSecret(`TAX-${randomBytes(6).toString('hex')}`);
  let { id, updatedAt } = await create({ documentNumber, taxId });
  for (const [fields, replaced] of [
    [{ taxId }, ['taxId']],
    [{ documentNumber, givenName: 'Anna' }, ['documentNumber']],
    [{ taxId, documentNumber }, ['documentNumber', 'taxId']],
    [{ familyName: 'Costa' }, undefined],
    [{ taxId: null }, undefined],
  ] as const) {
    harness.advance(1_000);
    const { status, body } = await call('update', { userId: id, ...fields });
    assert.equal(status, 200);
    assert.ok(body.data.updatedAt > updatedAt);
    updatedAt = body.data.updatedAt;
    const [row] = await auditOf(`user:${id}`);
    const { replaced: said, ...after } = row.after;
    assert.deepEqual(said, replaced);
    assert.deepEqual(after, body.data, 'the answer does not say it');
  }
});

test('409 users.update: Another user has this email', async () => {
  const [one, other] = [await create(), await create()];
  const { status, body } = await call('update', { userId: one.id, email: other.email.toUpperCase() });
  assert.deepEqual([status, body.error], [409, 'Another user has this email']);
});

test('404 users.update, users.add-wallet: User not found', async () => {
  const update = await call('update', { userId: unknownId, givenName: 'Nobody' });
  assert.deepEqual(
    [update.status, update.body.error, update.body.code],
    [404, 'User not found', 'user_not_found'],
  );
  const add = await call('add-wallet', {
    userId: unknownId,
    network: 'base',
    address: makeAddress(),
    custody: 'platform',
  });
  assert.deepEqual([add.status, add.body.error], [404, 'User not found']);
});

for (const [field, input] of [
  ['userId', { givenName: 'Nobody' }],
  ['userId', { userId: 'urn:uuid:0198a0de-ffff-7000-8000-000000000000', givenName: 'Nobody' }],
  ['body', { userId: unknownId }],
  ['givenName', { userId: unknownId, givenName: null }],
  ['createdAt', { userId: unknownId, createdAt: '2020-01-01T00:00:00Z' }],
] as const) {
  test(`400 users.update: ${JSON.stringify(input)}`, async () => {
    const { status, body } = await call('update', input);
    assert.equal(status, 400);
    const named = body.details.map((detail: { field: string }) => detail.field);
    assert.ok(named.includes(field), named.join(', '));
  });
}

test('200 users.list: everybody once, oldest first, page by page, while users are created', async () => {
  const made: string[] = [];
  for (let at = 0; at < 23; at++) made.push((await create()).id);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: object = { limit: 7, ...(cursor && { cursor }) };
    const { status, body } = await call('list', page);
    assert.equal(status, 200);
    seen.push(...body.data.items.map(({ id }: { id: string }) => id));
    cursor = body.data.nextCursor;
    if (seen.length < 40) await create();
  } while (cursor);
  assert.equal(new Set(seen).size, seen.length, 'nobody twice');
  assert.deepEqual(
    seen.filter((id) => made.includes(id)),
    made,
    'nobody left out, in the order in which they were made',
  );
});

for (const page of [
  { limit: 0 },
  { limit: 201 },
  { limit: '10' },
  { limit: 1.5 },
  { cursor: 'x'.repeat(501) },
  { cursor: 7 },
]) {
  test(`400 users.list: ${JSON.stringify(page).slice(0, 40)}`, async () => {
    const { status, body } = await call('list', page);
    assert.equal(status, 400);
    assert.equal(body.details[0].field, Object.keys(page)[0]);
  });
}
