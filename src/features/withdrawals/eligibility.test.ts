import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, test } from 'node:test';
import { tokensOf } from '#adapters/evm';
import type { IssuedKey } from '#features/keys';
import { payoutJobs } from '#features/payouts';
import { addWallet } from '#features/users';
import { makeAddress, makeFunds, makeKey, makeUser } from '#test/data/factories';
import { type Answer, useHarness } from '#test/harness';
import { startChain } from '#test/outside/chain';

const chain = await startChain({ network: 'polygon' });
after(() => chain.stop());

/** A screening provider with answers set by the test; other addresses are allowed. */
const opinions = new Map<string, boolean | 'silence' | 'fault'>();
const screened: unknown[] = [];
const provider = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const payee = JSON.parse(body);
  screened.push(payee);
  const opinion = opinions.get(payee.address) ?? true;
  if (opinion === 'silence') return;
  response.writeHead(opinion === 'fault' ? 500 : 200);
  response.end(JSON.stringify({ allowed: opinion }));
});
provider.listen(0, '127.0.0.1');
await once(provider, 'listening');
after(() => {
  provider.close();
  provider.closeAllConnections();
});

const harness = useHarness({
  networks: [
    chain.settings,
    { ...chain.settings, network: 'base', rpcUrls: ['http://127.0.0.1:1'], tokens: tokensOf('base') },
  ],
  screeningUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`,
});
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

let caller: IssuedKey;
beforeEach(async () => {
  caller = await makeKey(harness);
});

const create = (fields: object): Promise<Answer> =>
  harness.request('POST', `/api/crypto/${caller.userId}/withdraw`, {
    token: caller.token,
    body: { amount: '1', ...fields },
  });

async function expectRefused(fields: object): Promise<void> {
  const [before] = await sql('select count(*) from withdrawals');
  const { status, body } = await create(fields);
  assert.deepEqual([status, body.error], [403, 'Receiver is not eligible to receive tokens']);
  assert.equal(body.code, 'receiver_not_eligible');
  assert.deepEqual((await sql('select count(*) from withdrawals'))[0], before);
}

const expectCreated = async (fields: object): Promise<string> => {
  const { status, body } = await create(fields);
  assert.equal(status, 200, body.error);
  return body.data.bulkId;
};

const steps = payoutJobs();

/** One turn of each of these worker steps. */
async function runSteps(...names: string[]): Promise<void> {
  for (const name of names)
    await steps.find((step) => step.name === `payouts.${name} polygon`)!.run(harness.deps);
}

async function stateOf(bulkId: string): Promise<unknown[]> {
  const [row] = await sql('select status, error_message, waiting_for from withdrawals where bulk_id = $1', [
    bulkId,
  ]);
  return Object.values(row!);
}

async function readFunds(): Promise<unknown> {
  const [row] = await sql('select balance, held from ledger_accounts where user_id = $1', [caller.userId]);
  return row;
}

for (const currency of ['USDT', 'USDC'] as const) {
  test(`403 Receiver is not eligible to receive tokens: frozen by the issuer of ${currency}; 200 once unfrozen`, async () => {
    const user = await makeUser(harness);
    const address = makeAddress();
    await addWallet(harness.operatorContext(), {
      userId: user.id,
      network: 'polygon',
      address,
      custody: 'platform',
    });
    await chain.setFrozen(currency, address, true);
    for (const to of [address, user.email, user.id]) await expectRefused({ to, currency });
    const other = currency === 'USDT' ? 'USDC' : 'USDT';
    await expectCreated({ to: address, currency: other });
    await chain.setFrozen(currency, address, false);
    for (const to of [address, user.email, user.id]) await expectCreated({ to, currency });
  });
}

test('403 Receiver is not eligible to receive tokens: the screening provider refuses, and gets what it needs', async () => {
  const address = makeAddress();
  opinions.set(address, false);
  await expectRefused({ to: address, currency: 'usdc' });
  assert.deepEqual(screened.at(-1), { network: 'polygon', currency: 'USDC', address });
  opinions.delete(address);
  await expectCreated({ to: address });
});

test('403 the screening provider refuses while the node is away', async () => {
  const to = makeAddress();
  opinions.set(to, false);
  await expectRefused({ to, network: 'base' });
});

test('200 the node is away: nobody is refused for it', async () => {
  await expectCreated({ to: makeAddress(), network: 'base', currency: 'EURC' });
});

for (const opinion of ['silence', 'fault'] as const) {
  test(`200 the screening provider answers with ${opinion}: asked again before signing, and waits until it is answered`, async () => {
    const to = makeAddress();
    opinions.set(to, opinion);
    await makeFunds(harness, caller.userId, 'polygon', 'USDT', '1');
    const bulkId = await expectCreated({ to });
    await runSteps('hold', 'sign');
    assert.deepEqual(await stateOf(bulkId), ['pending', null, 'screening']);
    assert.deepEqual(await readFunds(), { balance: 1_000_000n, held: 1_000_000n });
    opinions.set(to, false);
    await sql('update withdrawals set checked_at = null where bulk_id = $1', [bulkId]);
    await runSteps('sign');
    assert.deepEqual(await stateOf(bulkId), ['failed', 'Receiver is not eligible to receive tokens', null]);
    assert.deepEqual(await readFunds(), { balance: 1_000_000n, held: 0n });
  });
}

test('failed: frozen after it was created; the second look refuses and what was held is given back', async () => {
  const to = makeAddress();
  await makeFunds(harness, caller.userId, 'polygon', 'USDT', '1');
  const bulkId = await expectCreated({ to });
  await chain.setFrozen('USDT', to, true);
  await runSteps('hold');
  assert.deepEqual(await stateOf(bulkId), ['pending', null, null]);
  await runSteps('sign');
  assert.deepEqual(await stateOf(bulkId), ['failed', 'Receiver is not eligible to receive tokens', null]);
  assert.deepEqual(await readFunds(), { balance: 1_000_000n, held: 0n });
  const { body } = await harness.request('GET', `/api/crypto/${caller.userId}/withdraws?bulkId=${bulkId}`, {
    token: caller.token,
  });
  const [entry] = body.data.withdraws;
  assert.equal(entry.errorMessage, 'Receiver is not eligible to receive tokens');
  assert.equal(entry.transactionHash, null);
});
