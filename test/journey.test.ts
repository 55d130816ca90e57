import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payoutJobs } from '#features/payouts';
import { runJobs } from '#platform/worker/jobs';
import { makeAddress } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { noteSecret, useHarness } from './harness.ts';
import { waitUntil } from './wait-until.ts';

// The way from nothing to a working integration and back, as an operator and a partner walk it. Each feature
// adds its stretch.
const chain = useChain({ blockTime: 1 });
const harness = useHarness(async () => {
  await chain.ready;
  return { rateLimitStore: 'postgres', networks: [chain.settings] };
});

const command = async (name: string, input: object) => {
  const { status, body } = await harness.operator(name, input);
  assert.equal(status, 200, `${name}: ${body.error}`);
  return body.data;
};

test('a partner is set up, works, changes keys, and is let go', async () => {
  const partner = await command('partners.create', { name: 'Ponte Pagamentos' });
  const owner = await command('users.create', {
    email: 'Rita.Alves@Example.com',
    givenName: 'Rita',
    familyName: 'Alves',
    documentNumber: noteSecret('JOURNEY-DOC-48151623'),
    taxId: noteSecret('JOURNEY-TAX-42108'),
  });
  assert.equal(owner.email, 'rita.alves@example.com');
  const address = makeAddress();
  await command('users.add-wallet', { userId: owner.id, network: 'polygon', address, custody: 'self' });
  await command('partners.allow-user', { partnerId: partner.id, userId: owner.id });
  const first = await command('keys.issue', {
    name: 'backend',
    partnerId: partner.id,
    userId: owner.id,
    scopes: ['mcp'],
    ipAllowlist: ['127.0.0.0/8'],
  });
  noteSecret(first.token);

  await command('ledger.fund', { userId: owner.id, network: 'polygon', currency: 'USDT', amount: '100' });
  const crypto = (method: string, path: string, body?: object) =>
    harness.request(method, `/api/crypto/${owner.id}/${path}`, { token: first.token, body });
  const payee = makeAddress();
  const created = await crypto('POST', 'withdraw', { amount: '40.25', to: payee, externalId: 'first' });
  assert.equal(created.status, 200);
  const { bulkId } = created.body.data;
  await crypto('POST', 'withdraw', { amount: '60', to: payee });
  const worker = runJobs(payoutJobs(), harness.deps);
  const entry = async () => (await crypto('GET', `withdraws?bulkId=${bulkId}`)).body.data.withdraws[0];
  await waitUntil('the withdrawal is completed', async () => (await entry()).status === 'completed');
  await worker.stop();
  const paid = await entry();
  assert.equal(paid.transferTokenStatus, 'confirmed');
  assert.equal(await chain.balanceOf('USDT', payee), 40_250_000n);
  const [payment] = await chain.paidOut();
  assert.equal(payment!.hash, paid.transactionHash);
  const failed = (await crypto('GET', 'withdraws?status=failed')).body.data.withdraws;
  assert.deepEqual(
    failed.map((row: { errorMessage: string }) => row.errorMessage),
    ['Insufficient balance'],
  );

  const history = (token: string) =>
    harness.request('GET', '/api/history?resource=account&feature=account-portfolio', { token });
  assert.equal((await history(first.token)).body.error, 'Invalid feature', 'in: only the spelling is wrong');

  const second = await command('keys.rotate', { keyId: first.id, overlapHours: 1 });
  noteSecret(second.token);
  assert.equal(second.rotatedFrom, first.id);
  assert.deepEqual(second.ipAllowlist, ['127.0.0.0/8']);
  assert.equal((await history(first.token)).status, 400, 'the old key works during the overlap');
  assert.equal((await history(second.token)).status, 429, 'the allowance is the user’s, not the key’s');
  harness.advance(3_600_001);
  assert.equal((await history(first.token)).status, 401, 'the overlap is over');

  await command('keys.revoke', { keyId: second.id });
  assert.equal((await history(second.token)).body.error, 'Unauthorized: Invalid API key');
  await command('partners.disallow-user', { partnerId: partner.id, userId: owner.id });

  const { items } = await command('audit.list', { limit: 200 });
  assert.deepEqual(items.map((row: { action: string }) => row.action).reverse(), [
    'partners.create',
    'users.create',
    'users.add-wallet',
    'partners.allow-user',
    'keys.issue',
    'ledger.fund',
    'keys.issue',
    'keys.rotate',
    'keys.revoke',
    'partners.disallow-user',
  ]);
  assert.equal((await command('audit.verify', {})).intact, true);
});
