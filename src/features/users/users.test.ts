import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { addressOfKey, checksumAddress, type PrivateKey, tokenAddresses, tokensOf } from '#adapters/evm';
import { makeCardOwner } from '#test/card-model';
import { makeAddress, makeUser } from '#test/factories';
import { noteSecret, useHarness } from '#test/harness';
import { createUser } from './create-user.ts';

const signerKey: PrivateKey = `0x${noteSecret(randomBytes(32).toString('hex'))}`;
// Nothing listens there: the process only has to know the key.
const harness = useHarness({
  networks: [
    {
      network: 'polygon',
      rpcUrls: ['http://127.0.0.1:1'],
      finality: { rule: 'finalized' },
      signerKey,
      tokens: tokensOf('polygon'),
      feeCap: 10n ** 12n,
      bumpAfterMs: 30_000,
    },
  ],
});
const call = (command: string, input?: unknown) => harness.operator(`users.${command}`, input);
const newEmail = () => `${randomBytes(6).toString('hex')}@example.com`;
const newPerson = (fields: object = {}) => ({
  email: newEmail(),
  givenName: 'Ana',
  familyName: 'Ribeiro',
  ...fields,
});
const unknownId = '0198a0de-ffff-7000-8000-000000000000';

const create = async (fields: object = {}) => {
  const { status, body } = await call('create', newPerson(fields));
  assert.equal(status, 200, body.error);
  return body.data;
};

const auditOf = async (subject: string) =>
  (await harness.operator('audit.list', { subject })).body.data.items;

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

test('400 users.add-wallet: network must be one of polygon, ethereum, base', async () => {
  const { id } = await create();
  for (const network of ['nosuchnet', 'poligon', 'constructor']) {
    const { status, body } = await call('add-wallet', {
      userId: id,
      network,
      address: makeAddress(),
      custody: 'platform',
    });
    assert.deepEqual([status, body.error], [400, 'network must be one of polygon, ethereum, base']);
  }
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

const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

test('200 users.add-wallet: one case or a correct checksum in, the checksum out; the wallet before is replaced', async () => {
  const { id, email } = await create();
  for (const [network, address] of [
    ['polygon', checksummed],
    ['Ethereum', checksummed.toLowerCase()],
    ['base', `0x${checksummed.slice(2).toUpperCase()}`],
  ]) {
    const { status, body } = await call('add-wallet', { userId: id, network, address, custody: 'platform' });
    assert.equal(status, 200);
    assert.deepEqual(body.data, {
      userId: id,
      network: network!.toLowerCase(),
      address: checksummed,
      custody: 'platform',
    });
  }
  const next = makeAddress();
  await call('add-wallet', { userId: id, network: 'base', address: next, custody: 'platform' });
  const [{ wallets }] = (await call('list', { email })).body.data.items;
  assert.deepEqual(
    wallets.map(({ network, address }: { network: string; address: string }) => [network, address]),
    [
      ['base', checksumAddress(next)],
      ['ethereum', checksummed],
      ['polygon', checksummed],
    ],
  );
  const [row] = await harness.deps.db.query<{ address: string }>(
    `select address from user_wallets where user_id = $1 and network = 'polygon'`,
    [id],
  );
  assert.equal(row!.address, checksummed.toLowerCase(), 'stored in lower case');
});

test('200 users.add-wallet: the same again keeps its instant, and is not in the audit log', async () => {
  const { id, email } = await create();
  const address = makeAddress();
  const readWallets = async () => (await call('list', { email })).body.data.items[0].wallets;
  const first = await call('add-wallet', { userId: id, network: 'base', address, custody: 'platform' });
  const before = await readWallets();
  harness.advance(1_000);
  const again = await call('add-wallet', {
    userId: id.toUpperCase(),
    network: 'BASE',
    address: checksumAddress(address),
    custody: 'platform',
  });
  assert.deepEqual([again.status, again.body.data], [200, first.body.data]);
  assert.deepEqual(await readWallets(), before);
  assert.equal((await auditOf(`user:${id}`)).length, 2, 'the creation and the wallet');
});

test('400 users.add-wallet: address must not be the zero address', async () => {
  const { id, email } = await create();
  const address = `0x${'0'.repeat(40)}`;
  const { status, body } = await call('add-wallet', {
    userId: id,
    network: 'base',
    address,
    custody: 'platform',
  });
  assert.deepEqual(
    [status, body.error, body.code],
    [400, 'address must not be the zero address', 'zero_address'],
  );
  assert.deepEqual((await call('list', { email })).body.data.items[0].wallets, []);
});

const signer = makeAddress();

for (const [what, addressOf] of [
  ['a token contract of the network', () => tokenAddresses.base.USDC!],
  ['a token contract of another network', () => tokenAddresses.polygon.USDT!.toLowerCase()],
  ['a wallet that withdrawals were paid from', () => signer],
  ['the wallet that this process pays from', () => addressOfKey(signerKey)],
] as const) {
  test(`409 users.add-wallet: The address is a token contract or one of our hot wallets: ${what}`, async () => {
    const { id, email } = await create();
    await harness.deps.db.query(
      `insert into payout_signers (network, address, next_nonce, created_at) values ('polygon', $1, 0, now())
       on conflict do nothing`,
      [signer],
    );
    for (const custody of ['platform', 'self']) {
      const wallet = { userId: id, network: 'base', address: addressOf(), custody };
      const { status, body } = await call('add-wallet', wallet);
      assert.deepEqual(
        [status, body.error, body.code],
        [409, 'The address is a token contract or one of our hot wallets', 'address_of_ours'],
      );
    }
    assert.deepEqual((await call('list', { email })).body.data.items[0].wallets, []);
  });
}

for (const custody of [undefined, 'both', '', null]) {
  test(`400 users.add-wallet: custody is never guessed: ${custody}`, async () => {
    const { id } = await create();
    const wallet = { userId: id, network: 'base', address: makeAddress(), custody };
    const { status, body } = await call('add-wallet', wallet);
    assert.deepEqual([status, body.details[0].field], [400, 'custody']);
  });
}

test('409 users.add-wallet: Another user has this wallet on this network', async () => {
  const [one, other] = [await create(), await create()];
  const address = makeAddress();
  assert.equal(
    (await call('add-wallet', { userId: one.id, network: 'base', address, custody: 'platform' })).status,
    200,
  );
  const again = await call('add-wallet', { userId: one.id, network: 'base', address, custody: 'platform' });
  assert.equal(again.status, 200, 'one’s own wallet may be said again');
  const taken = await call('add-wallet', {
    userId: other.id,
    network: 'BASE',
    address: checksumAddress(address),
    custody: 'platform',
  });
  assert.deepEqual([taken.status, taken.body.error], [409, 'Another user has this wallet on this network']);
  const elsewhere = await call('add-wallet', {
    userId: other.id,
    network: 'polygon',
    address,
    custody: 'platform',
  });
  assert.equal(elsewhere.status, 200);
});

test('409 users.add-wallet: The address receives card collateral and cannot be a user’s wallet', async () => {
  const { cardIssuerUserId, userId } = await makeCardOwner(harness);
  const [account] = await harness.deps.db.query<{ address: string }>(
    'select collateral_address as address from card_issuer_users where id = $1',
    [cardIssuerUserId],
  );
  for (const network of ['polygon', 'base']) {
    const { status, body } = await call('add-wallet', {
      userId,
      network,
      address: account!.address,
      custody: 'platform',
    });
    assert.deepEqual(
      [status, body.error, body.code],
      [409, 'The address receives card collateral and cannot be a user’s wallet', 'collateral_address'],
    );
  }
});

const wrongChecksum = checksummed.replace('aAeb', 'aaeb');
for (const address of [
  wrongChecksum,
  checksummed.slice(0, -1),
  `0X${checksummed.slice(2)}`,
  `${checksummed.slice(0, -1)}g`,
  'ana@example.com',
  '',
]) {
  test(`400 users.add-wallet, block-address, unblock-address: address ${JSON.stringify(address)}`, async () => {
    const { id } = await makeUser(harness);
    for (const answer of [
      await call('add-wallet', { userId: id, network: 'base', address, custody: 'platform' }),
      await call('block-address', { address, reason: 'test' }),
      await call('unblock-address', { address }),
    ]) {
      assert.equal(answer.status, 400);
      assert.equal(
        answer.body.error,
        'address must be 0x and 40 hex digits; mixed case must be a correct EIP-55 checksum',
      );
    }
  });
}

test('200 users.block-address, unblock-address: twice is once, and each change is in the audit log', async () => {
  const address = makeAddress();
  const shown = checksumAddress(address);
  for (let time = 0; time < 2; time++) {
    const { status, body } = await call('block-address', { address: shown, reason: `reason ${time}` });
    assert.deepEqual([status, body.data], [200, { address: shown, blocked: true }]);
  }
  for (let time = 0; time < 2; time++) {
    const { status, body } = await call('unblock-address', { address });
    assert.deepEqual([status, body.data], [200, { address: shown, blocked: false }]);
  }
  const { items } = (await harness.operator('audit.list', { subject: `address:${address}` })).body.data;
  assert.deepEqual(
    items.map(({ action, before, after }: Record<string, unknown>) => ({ action, before, after })),
    [
      { action: 'users.unblock-address', before: { reason: 'reason 0' }, after: null },
      { action: 'users.block-address', before: null, after: { reason: 'reason 0' } },
    ],
  );
});

test('200 users.list-blocked-addresses: each once, page by page, while addresses are blocked and unblocked', async () => {
  const made = new Map<string, string>();
  for (let at = 0; at < 11; at++) {
    const [address, reason] = [checksumAddress(makeAddress()), `reason ${at}`];
    await call('block-address', { address, reason });
    made.set(address, reason);
  }
  const passing = makeAddress();
  const seen: { address: string; reason: string; blockedAt: string }[] = [];
  let cursor: string | null = null;
  do {
    const page: object = { limit: 3, ...(cursor && { cursor }) };
    const { status, body } = await call('list-blocked-addresses', page);
    assert.equal(status, 200);
    assert.ok(body.data.items.length <= 3);
    seen.push(...body.data.items);
    cursor = body.data.nextCursor;
    if (seen.length % 2 === 0) await call('unblock-address', { address: passing });
    else await call('block-address', { address: passing, reason: 'in passing' });
  } while (cursor);
  const addresses = seen.map(({ address }) => address);
  assert.equal(new Set(addresses).size, addresses.length, 'none twice');
  for (const [address, reason] of made) {
    const found = seen.find((item) => item.address === address);
    assert.equal(found?.reason, reason, 'none left out');
    assert.ok(Math.abs(Date.parse(found!.blockedAt) - harness.deps.clock().getTime()) < 10_000);
  }
});

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
