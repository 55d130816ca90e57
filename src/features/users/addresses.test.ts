import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOfKey, checksumAddress, tokenAddresses } from '#adapters/evm';
import { useUserCommands } from '#test/callers/user-commands';
import { makeAddress, makeUser } from '#test/data/factories';
import { makeCardOwner } from '#test/models/card-model';

const { signerKey, harness, call, create, auditOf } = useUserCommands();

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
