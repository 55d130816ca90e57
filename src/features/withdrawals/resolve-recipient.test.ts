import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { addressOfKey, checksumAddress, tokenAddresses } from '#adapters/evm';
import { addWallet, blockAddress } from '#features/users';
import { makeAddress, makeUser } from '#test/data/factories';
import { useWithdrawals } from '#test/worlds/withdrawal';
import { updateUser } from '../users/update-user.ts';

const otherHotWallet = makeAddress();
/** On no partner's list. */
let stranger: string;
/** Has a verified wallet on polygon and nowhere else. */
let payee: { id: string; email: string; address: string };

const { signerKey, harness, caller, sql, create, list, expectRefusal, expectCreated, good } = useWithdrawals(
  async () => {
    stranger = (await makeUser(harness)).id;
    payee = { ...(await makeUser(harness)), address: makeAddress() };
    await addWallet(harness.operatorContext(), {
      userId: payee.id,
      network: 'polygon',
      address: payee.address,
      custody: 'platform',
    });
    await sql(
      `insert into payout_signers (network, address, next_nonce, created_at) values ('base', $1, 0, now())`,
      [otherHotWallet],
    );
  },
);

const mixedCase = () => {
  for (;;) {
    const address = checksumAddress(makeAddress());
    if (/[a-f]/.test(address.slice(2)) && /[A-F]/.test(address)) return address;
  }
};
const breakChecksum = (address: string) => {
  const at = address.slice(2).search(/[a-f]/i) + 2;
  const letter = address[at]!;
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return address.slice(0, at) + other + address.slice(at + 1);
};

for (const [what, spell] of [
  ['in lower case', (address: string) => address],
  ['in upper case', (address: string) => `0x${address.slice(2).toUpperCase()}`],
  ['with its checksum', checksumAddress],
  ['with spaces around', (address: string) => `  ${address}\n`],
] as const) {
  test(`200 to an address ${what}, which is used as it is`, async () => {
    const address = mixedCase().toLowerCase();
    const row = await expectCreated(() => create(good({ to: spell(address) })));
    assert.deepEqual([row.to_address, row.recipient_user_id], [address, null]);
    const { body } = await list(`?bulkId=${row.bulk_id}`);
    assert.equal(body.data.withdraws[0].toAddress, checksumAddress(address));
  });
}

for (const [what, spell] of [
  ['by email', () => payee.email],
  ['by email in another case', () => payee.email.toUpperCase()],
  ['by email with spaces around', () => `  ${payee.email}\t`],
  ['by user id', () => payee.id],
  ['by user id in upper case', () => payee.id.toUpperCase()],
  ['by user id with spaces around', () => ` ${payee.id} `],
  ['by the address of the wallet', () => payee.address],
] as const) {
  test(`200 to a user ${what}`, async () => {
    const row = await expectCreated(() => create(good({ to: spell() })));
    assert.deepEqual([row.to_address, row.recipient_user_id], [payee.address, payee.id]);
  });
}

test('200 to a wallet of one’s own in self custody; 403 in custody of the platform', async () => {
  const [platform, self] = [makeAddress(), makeAddress()];
  const wallet = { userId: caller.userId, network: 'base' };
  await addWallet(harness.operatorContext(), { ...wallet, address: platform, custody: 'platform' });
  for (const to of [caller.userId, platform]) {
    const refused = () => create(good({ to, network: 'base' }));
    await expectRefusal(refused, 403, 'Receiver is not eligible to receive tokens');
  }
  await addWallet(harness.operatorContext(), { ...wallet, address: self, custody: 'self' });
  for (const to of [caller.userId, self]) {
    const row = await expectCreated(() => create(good({ to, network: 'base' })));
    assert.deepEqual([row.to_address, row.recipient_user_id], [self, null]);
  }
});

for (const email of ['0xabc', 'a'.repeat(100)]) {
  test(`200 to an email that starts with ${email.slice(0, 5)} and has ${email.length} characters before its @`, async () => {
    const user = await makeUser(harness, { email: `${email}@example.com` });
    const address = makeAddress();
    await addWallet(harness.operatorContext(), {
      userId: user.id,
      network: 'polygon',
      address,
      custody: 'platform',
    });
    const row = await expectCreated(() => create(good({ to: user.email })));
    assert.deepEqual([row.to_address, row.recipient_user_id], [address, user.id]);
  });
}

test('200 the address is frozen in the withdrawal: a wallet that changes later changes nothing', async () => {
  const user = await makeUser(harness);
  const [first, second] = [makeAddress(), makeAddress()];
  const wallet = (address: string) =>
    addWallet(harness.operatorContext(), {
      userId: user.id,
      network: 'polygon',
      address,
      custody: 'platform',
    });
  await wallet(first);
  const row = await expectCreated(() => create(good({ to: user.email })));
  await wallet(second);
  const { body } = await list(`?bulkId=${row.bulk_id}`);
  assert.equal(body.data.withdraws[0].toAddress, checksumAddress(first));
  assert.equal((await expectCreated(() => create(good({ to: user.email })))).to_address, second);
});

for (const [what, to, fields] of [
  ['a checksum that is wrong', () => breakChecksum(mixedCase()), {}],
  ['an address of 41 characters', () => makeAddress().slice(0, 41), {}],
  ['an address of 43 characters', () => `${makeAddress()}0`, {}],
  ['an address with a letter that is no digit', () => `${makeAddress().slice(0, 41)}g`, {}],
  ['an address with a space inside', () => `${makeAddress().slice(0, 20)} ${makeAddress().slice(21)}`, {}],
  ['an address with a digit that is not ASCII', () => `${makeAddress().slice(0, 41)}１`, {}],
  ['0x', () => '0x', {}],
  ['0xZZ', () => '0xZZ', {}],
  ['the zero address', () => `0x${'0'.repeat(40)}`, {}],
  ['the contract of the token', () => tokenAddresses.polygon.USDT!, {}],
  ['the contract of another token', () => tokenAddresses.polygon.USDC!, {}],
  [
    'the contract of the token, in lower case',
    () => tokenAddresses.base.USDC!.toLowerCase(),
    { network: 'base', currency: 'USDC' },
  ],
  ['our hot wallet', () => addressOfKey(signerKey), {}],
  ['our hot wallet, in lower case', () => addressOfKey(signerKey).toLowerCase(), {}],
  ['our hot wallet of another network', () => checksumAddress(otherHotWallet), {}],
] as const) {
  test(`404 Wallet not found: ${what}`, async () => {
    await expectRefusal(() => create(good({ to: to(), ...fields })), 404, 'Wallet not found');
  });
}

test('404 Wallet not found: a user whose wallet is our hot wallet or a token contract', async () => {
  const user = await makeUser(harness);
  // From before such a wallet was refused, or before the hot wallet was used.
  for (const address of [otherHotWallet, tokenAddresses.polygon.USDC!.toLowerCase()]) {
    await sql(
      `insert into user_wallets (user_id, network, address, verified_at) values ($1, 'polygon', $2, now())
       on conflict (user_id, network) do update set address = excluded.address`,
      [user.id, address],
    );
    for (const to of [user.email, user.id]) {
      await expectRefusal(() => create(good({ to })), 404, 'Wallet not found');
    }
  }
});

test('404 Error finding user verified wallet: an email that is not verified, until it is', async () => {
  const user = await makeUser(harness, { emailVerified: false });
  const wallet = { userId: user.id, network: 'polygon', address: makeAddress(), custody: 'self' } as const;
  await addWallet(harness.operatorContext(), wallet);
  await expectRefusal(() => create(good({ to: user.email })), 404, 'Error finding user verified wallet');
  await expectCreated(() => create(good({ to: user.id })));
  await updateUser(harness.operatorContext(), { userId: user.id, emailVerified: true });
  await expectCreated(() => create(good({ to: user.email })));
});

for (const [what, to, fields] of [
  ['an unknown email', () => 'nobody@example.com', {}],
  ['an email without a wallet', async () => (await makeUser(harness)).email, {}],
  ['a user without a wallet', () => stranger, {}],
  ['an email whose wallet is on another network', () => payee.email, { network: 'base' }],
  ['a user whose wallet is on another network', () => payee.id, { network: 'ethereum' }],
  ['an unknown user', () => randomUUID(), {}],
  ['a user id without hyphens', () => payee.id.replaceAll('-', ''), {}],
  ['a user id in braces', () => `{${payee.id}}`, {}],
  ['0X before 40 digits', () => `0X${makeAddress().slice(2)}`, {}],
  ['40 digits', () => makeAddress().slice(2), {}],
  ['nothing', () => '', {}],
  ['spaces', () => '   ', {}],
  ['a word', () => 'somebody', {}],
  ['an @', () => '@', {}],
  ['two @', () => `a@b@${'example.com'}`, {}],
  ['an email with a space inside', () => payee.email.replace('@', ' @'), {}],
  ['an email with a wildcard', () => payee.email.replace(/^./, '%'), {}],
  ['an email of 10,000 characters', () => `${'a'.repeat(10_000)}@example.com`, {}],
  ['control characters', () => '\u0007\u001b[31m', {}],
  ['an email with a control character', () => `\u0007${payee.email}`, {}],
  ['an email with a zero-width character', () => `${payee.email}\u200b`, {}],
  ['emoji', () => '💸💸', {}],
  ['SQL', () => "' or 1=1 --@", {}],
  ['an ENS name', () => 'vitalik.eth', {}],
] as const) {
  test(`404 Error finding user verified wallet: ${what}`, async () => {
    const body = good({ to: await to(), ...fields });
    await expectRefusal(() => create(body), 404, 'Error finding user verified wallet');
  });
}

for (const [what, to, error] of [
  ['a number', '1', 'to must be string'],
  ['null', 'null', 'to must be string'],
  ['an array', '["x"]', 'to must be string'],
  ['an object', '{"address":"x"}', 'to must be string'],
  ['U+0000', '"\\u0000"', 'Body must not contain the character U+0000'],
  ['half of a surrogate pair', '"\\ud83d@x"', 'Body must not contain an unpaired surrogate'],
] as const) {
  test(`400 ${error}: to is ${what}`, async () => {
    await expectRefusal(() => create(`{"amount":"1","to":${to}}`), 400, error);
  });
}

for (const [what, to] of [
  ['by address', () => checksumAddress(payee.address)],
  ['by email', () => payee.email],
  ['by user id', () => payee.id],
] as const) {
  test(`403 Receiver is not eligible to receive tokens: blocked by an operator, named ${what}; 200 once unblocked`, async () => {
    const { address } = payee;
    await blockAddress(harness.operatorContext(), { address, reason: 'a test' });
    await expectRefusal(() => create(good({ to: to() })), 403, 'Receiver is not eligible to receive tokens');
    assert.equal((await harness.operator('users.unblock-address', { address })).status, 200);
    await expectCreated(() => create(good({ to: to() })));
  });
}
