import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { signInStaff } from '#test/callers/staff-session';
import { makeAddress, makeKey, makeUser } from '#test/data/factories';
import { noteSecret, type RequestOptions, useHarness } from '#test/harness';

const tokenOf = (name: string) => noteSecret(`cwo_${name}_${randomBytes(20).toString('hex')}`);
const [bruno, machine, retired] = [{ token: tokenOf('b') }, { token: tokenOf('m') }, { token: tokenOf('r') }];
const machineOwner = 'vera@example.com';
const retiredOwner = 'rita@example.com';
const admin = 'admin' as const;
const harness = useHarness({
  operatorTokens: new Map([
    ['bruno', { ...bruno, role: admin }],
    [`${machineOwner}/ci`, { ...machine, role: admin }],
    [`${retiredOwner}/ci`, { ...retired, role: admin }],
  ]),
  fourEyesCommands: [
    'ledger.fund',
    'payouts.resume',
    'keys.issue',
    'users.resume',
    'partners.resume',
    'keys.resume',
    'wallets.resume',
  ],
});

const call = (by: RequestOptions, command: string, body: object = {}) =>
  harness.request('POST', `/operator/${command}`, { ...by, body });
const decide = (by: RequestOptions, id: string, decision = 'approve') =>
  call(by, 'approvals.decide', { id, decision });

async function askFunds(by: RequestOptions) {
  const { id: userId } = await makeUser(harness);
  const { status, body } = await call(by, 'ledger.fund', {
    userId,
    network: 'base',
    currency: 'EURC',
    amount: '1',
  });
  assert.equal(status, 202, body.error);
  return body.data.id as string;
}

test('409 what a removed person asked for is not approved, but can be refused', async () => {
  const alice = await signInStaff(harness, { role: 'admin' });
  const id = await askFunds(alice);
  assert.equal((await call(bruno, 'people.remove', { personId: alice.person.id })).status, 200);
  const { status, body } = await decide(bruno, id);
  assert.deepEqual([status, body.code], [409, 'requester_gone']);
  const { name, email } = alice.person;
  assert.equal((await call(bruno, 'people.invite', { name, email, role: 'admin' })).status, 200);
  assert.equal((await decide(bruno, id)).status, 409, 'nor after a new invitation');
  assert.equal((await decide(bruno, id, 'refuse')).status, 200);
});

test('409 what a person asked for who lost the role since; with the role again it counts', async () => {
  const alice = await signInStaff(harness, { role: 'admin' });
  const id = await askFunds(alice);
  const setRole = (role: string) => call(bruno, 'people.update', { personId: alice.person.id, role });
  await setRole('viewer');
  assert.equal((await decide(bruno, id)).body.code, 'requester_gone');
  await setRole('admin');
  assert.equal((await decide(bruno, id)).status, 200);
});

test('403 a role that may not run a command decides nothing about it', async () => {
  const id = await askFunds(bruno);
  const treasurer = await signInStaff(harness, { role: 'treasury' });
  for (const decision of ['approve', 'refuse']) {
    const { status, body } = await decide(treasurer, id, decision);
    assert.deepEqual([status, body.code], [403, 'other_role']);
  }
  assert.equal((await decide(machine, id)).status, 200);
});

test('403 a person does not decide what their token asked for, nor their token what they asked for', async () => {
  const owner = await signInStaff(harness, { role: 'admin', email: machineOwner });
  for (const [one, other] of [
    [machine, owner],
    [owner, machine],
  ] as const) {
    const id = await askFunds(one);
    const { status, body } = await decide(other, id);
    assert.deepEqual([status, body.code], [403, 'own_request']);
    assert.equal((await decide(bruno, id)).status, 200);
  }
});

test('a token with an owner whom nobody invited is one operator; after a removal it no longer counts', async () => {
  assert.equal((await decide(bruno, await askFunds(retired))).status, 200);
  const owner = await signInStaff(harness, { role: 'admin', email: retiredOwner });
  const id = await askFunds(retired);
  await call(bruno, 'people.remove', { personId: owner.person.id });
  assert.equal((await decide(bruno, id)).body.code, 'requester_gone');
});

test('409 a request to resume does not end a pause that began after it', async () => {
  const pause = () => call(bruno, 'payouts.pause', { reason: 'a test' });
  const resume = async (by: RequestOptions) => (await call(by, 'payouts.resume')).body.data.id as string;
  await pause();
  const [first, second] = [await resume(bruno), await resume(bruno)];
  harness.advance(1_000);
  assert.equal((await decide(machine, first)).status, 200);
  await pause();
  const { status, body } = await decide(machine, second);
  assert.deepEqual([status, body.code], [409, 'pause_is_newer']);
  const listed = await call(bruno, 'payouts.list-pauses');
  assert.equal(listed.body.data.pauses.length, 1);
  assert.equal((await decide(machine, await resume(bruno))).status, 200);
});

test('409 a request to resume does not end a pause that was renewed after it', async () => {
  await call(bruno, 'payouts.pause', { reason: 'maintenance' });
  const asked = (await call(bruno, 'payouts.resume')).body.data.id as string;
  harness.advance(1_000);
  const renewed = await call(bruno, 'payouts.pause', { reason: 'a stolen key' });
  assert.equal(renewed.body.data.reason, 'a stolen key');
  assert.equal((await decide(machine, asked)).body.code, 'pause_is_newer');
  const listed = await call(bruno, 'payouts.list-pauses');
  assert.equal(listed.body.data.pauses[0].reason, 'a stolen key');
  const again = (await call(bruno, 'payouts.resume')).body.data.id as string;
  assert.equal((await decide(machine, again)).status, 200);
});

for (const kind of ['users', 'partners', 'keys'] as const)
  test(`409 a request for ${kind}.resume does not end a suspension that began or was renewed after it`, async () => {
    const { userId, partnerId, id: keyId } = await makeKey(harness);
    const subject = { users: { userId }, partners: { partnerId }, keys: { keyId } }[kind];
    const suspend = (reason: string) => call(bruno, `${kind}.suspend`, { ...subject, reason });
    const resume = async () => (await call(bruno, `${kind}.resume`, subject)).body.data.id as string;
    await suspend('a test');
    const [first, second] = [await resume(), await resume()];
    harness.advance(1_000);
    assert.equal((await decide(machine, first)).status, 200);
    await suspend('a question');
    assert.equal((await decide(machine, second)).body.code, 'suspension_is_newer');
    const third = await resume();
    harness.advance(1_000);
    const renewed = await suspend('stolen');
    assert.equal(renewed.body.data.suspendedReason, 'stolen');
    const { status, body } = await decide(machine, third);
    assert.deepEqual([status, body.code], [409, 'suspension_is_newer']);
    assert.equal((await decide(machine, await resume())).status, 200);
  });

test('409 a request for wallets.resume does not end a halt that began after it', async () => {
  const wallet = { network: 'polygon', address: makeAddress() };
  await call(bruno, 'wallets.halt', { ...wallet, reason: 'maintenance' });
  const asked = (await call(bruno, 'wallets.resume', wallet)).body.data.id as string;
  await harness.deps.db.query(
    'update payout_signers set halted_at = null, halted_reason = null where address = $1',
    [wallet.address.toLowerCase()],
  );
  harness.advance(1_000);
  await call(bruno, 'wallets.halt', { ...wallet, reason: 'a stolen key' });
  const { status, body } = await decide(machine, asked);
  assert.deepEqual([status, body.code], [409, 'halt_is_newer']);
});

test('the issuer of a key is who asked for it, also by a token with an owner', async () => {
  const { partnerId, userId } = await allowedPair();
  const alice = await signInStaff(harness, { role: 'admin' });
  const [vera] = await harness.deps.db.query('select id from people where email = $1', [machineOwner]);
  for (const [by, personId] of [
    [alice, alice.person.id],
    [machine, vera!.id],
    [bruno, null],
  ] as const) {
    const { body } = await call(by, 'keys.issue', { name: 'test', partnerId, userId });
    const decided = await decide(by === bruno ? alice : bruno, body.data.id);
    const { id, token } = decided.body.data.answer;
    noteSecret(token.split('_')[2]);
    const [row] = await harness.deps.db.query('select issued_by from api_keys where id = $1', [id]);
    assert.equal(row!.issued_by, personId);
  }
});

async function allowedPair() {
  const { id: partnerId } = (await call(bruno, 'partners.create', { name: 'Lumen' })).body.data;
  const { id: userId } = await makeUser(harness);
  await call(bruno, 'partners.allow-user', { partnerId, userId });
  return { partnerId, userId };
}
