import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { privateKeyToAccount } from 'viem/accounts';
import { runJobs } from '#platform/worker/jobs';
import { makeAddress } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import {
  backUp,
  letTimePass,
  makeWorld,
  startProxy,
  unit,
  type Worker,
  type World,
} from '#test/worlds/payout';
import { payoutJobs } from './jobs.ts';
import { foreignAfterMs } from './timing.ts';

const chain = useChain();
const restored = /restored from an older backup, or the key is used elsewhere/;

async function expectHalted(world: World, worker: Worker, reason: RegExp): Promise<void> {
  const [signer] = await world.db.query<{ reason: string }>(
    'select halted_reason as reason from payout_signers where address = $1 and halted_at is not null',
    [world.wallet],
  );
  assert.match(signer!.reason, reason);
  assert.ok(
    worker.lines.some(
      ({ msg, level, reason: told }) => /halted/.test(msg) && level === 'error' && reason.test(String(told)),
    ),
    'the log says why',
  );
  const { body } = await world.operator('wallets.show');
  const wallet = body.wallets.find(
    ({ address }: { address: string }) => address.toLowerCase() === world.wallet,
  );
  assert.match(wallet.haltedReason, reason);
  assert.ok(Date.parse(wallet.haltedAt));
  assert.match(
    await world.metrics(),
    new RegExp(`causeway_payouts_halted{network="polygon",wallet="${world.wallet}"} 1`),
  );
}

/** A whole deployment on a database, with a proxy in front of the node, run until it has halted. */
async function runUntilHalted(t: TestContext, world: World) {
  const proxy = await startProxy(t, chain.rpcUrl);
  const worker = world.makeWorker({ rpcUrls: [proxy.url] });
  const jobs = runJobs(payoutJobs(), worker.deps);
  t.after(() => jobs.stop());
  await waitUntil('it is halted', () => worker.lines.some(({ msg }) => /halted/.test(msg)));
  const hasHadTurns = () => (proxy.counts.get('eth_getTransactionCount') ?? 0) > 3;
  await waitUntil('it has had more turns', hasHadTurns);
  assert.equal(proxy.counts.get('eth_sendRawTransaction'), undefined, 'nothing is sent');
  return worker;
}

describe('a database restored from an older backup', () => {
  test('sends nothing and says why; what was paid since is not paid again', async (t) => {
    const world = await makeWorld(t, chain);
    const before = await world.withdraw();
    await world.pay();
    const held = await world.withdraw();
    await world.worker.hold();
    const queued = await world.withdraw();
    const copy = await backUp(world);
    await world.pay();
    await world.expectPaid(before, held, queued);
    const { signerKeys } = world.settings;
    const old = await makeWorld(t, chain, { databaseUrl: copy, signerKeys: signerKeys! });
    // A halted wallet makes no holds, so the outcome for this withdrawal would depend on the order of steps.
    await old.worker.hold();
    const worker = await runUntilHalted(t, old);
    await expectHalted(old, worker, restored);
    for (const id of [held, queued]) {
      await waitUntil('it waits', async () => (await old.read(id)).waitingFor === 'halted');
      assert.equal((await old.read(id)).status, 'pending');
    }
    assert.equal((await world.paid()).length, 3);
  });

  test('also while what was sent since only waits for a block', async (t) => {
    const world = await makeWorld(t, chain);
    const [first, second] = [await world.withdraw(), await world.withdraw()];
    await world.worker.hold();
    await world.worker.sign();
    const { signerKeys } = world.settings;
    await chain.call('evm_setAutomine', false);
    t.after(() => chain.call('evm_setAutomine', true));
    // In the copy, a later withdrawal is signed first and would get the nonce of one in progress.
    const empty = await makeWorld(t, chain, { signerKeys: signerKeys! });
    const id = await empty.withdraw();
    await empty.worker.hold();
    await world.worker.send();
    const worker = await runUntilHalted(t, empty);
    await expectHalted(empty, worker, restored);
    assert.equal((await empty.read(id)).status, 'pending');
    await chain.mine(3);
    await world.worker.settle();
    await world.expectPaid(first, second);
  });

  test('an older backup in which nothing was sent since goes on', async (t) => {
    const world = await makeWorld(t, chain);
    const first = await world.withdraw();
    await world.worker.hold();
    await world.worker.sign();
    const { signerKeys } = world.settings;
    const old = await makeWorld(t, chain, { databaseUrl: await backUp(world), signerKeys: signerKeys! });
    await old.pay();
    await old.expectPaid(first);
  });
});

test('a second deployment with the same key, on an empty database, sends nothing and says why', async (t) => {
  const world = await makeWorld(t, chain);
  const id = await world.withdraw();
  await world.pay();
  const { signerKeys } = world.settings;
  const second = await makeWorld(t, chain, { signerKeys: signerKeys! });
  const other = await second.withdraw();
  // A halted wallet holds nothing more, so the hold must come before the halt.
  await second.worker.hold();
  const worker = await runUntilHalted(t, second);
  await expectHalted(second, worker, restored);
  assert.equal((await second.read(other)).status, 'pending');
  assert.equal((await second.funds()).held, unit);
  await world.expectPaid(id);
  assert.equal((await world.paid()).length, 1);
});

describe('a foreign transaction on one of our nonces', () => {
  test('halts the lane after a minute; the withdrawal stays processing and its hold stays', async (t) => {
    const world = await makeWorld(t, chain);
    const { worker } = world;
    const [id, later] = [await world.withdraw(), await world.withdraw()];
    await worker.hold();
    await worker.sign();
    // Ours is in the mempool when the other one, with a higher fee, replaces it.
    await chain.call('evm_setAutomine', false);
    t.after(() => chain.call('evm_setAutomine', true));
    await worker.send();
    const foreign = await sendForeign(world, 0);
    await chain.call('evm_setAutomine', true);
    await chain.mine(3);
    await worker.settle();
    worker.advance(foreignAfterMs - 1_000);
    await worker.settle();
    assert.deepEqual(await world.db.query('select 1 from payout_signers where halted_at is not null'), []);
    worker.advance(2_000);
    await worker.settle();
    await expectHalted(world, worker, /nonce 0 was used on chain by a transaction that is not ours/);
    const row = await world.read(id);
    assert.deepEqual([row.status, row.errorMessage, row.transactionHash], ['processing', null, null]);
    // Our transactions on chain are settled anyway.
    await world.expectPaid(later);
    assert.deepEqual(await world.funds(), { balance: 999n * unit, held: unit });
    const next = await world.withdraw();
    await world.pay();
    assert.deepEqual(
      [(await world.read(next)).status, (await world.read(next)).waitingFor],
      ['queued', null],
    );
    await letTimePass(world);
    assert.equal(await worker.send(), 0);

    const wallet = { network: 'polygon', address: world.wallet };
    const accepted = await world.operator('wallets.accept-foreign', { ...wallet, transactionHash: foreign });
    assert.deepEqual([accepted.status, accepted.body], [200, { withdrawalId: id, outcome: 'failed' }]);
    await world.expectFailed(id, 'Its nonce was used by another transaction');
    assert.equal((await world.read(id)).transferStatus, 'replaced');
    const again = await world.operator('wallets.accept-foreign', { ...wallet, transactionHash: foreign });
    assert.equal(again.status, 409);
    assert.equal((await world.operator('wallets.resume', wallet)).status, 200);
    await letTimePass(world);
    await world.pay();
    await world.expectPaid(later, next);
  });

  test('before ours was sent at all: ours is not sent, and the lane halts at once', async (t) => {
    const world = await makeWorld(t, chain);
    const { worker } = world;
    const id = await world.withdraw();
    await worker.hold();
    await worker.sign();
    await sendForeign(world, 0);
    assert.equal(await worker.send(), 0);
    await expectHalted(world, worker, /nonce 0 was used by a transaction that is not ours/);
    assert.equal((await world.paid()).length, 1);
    assert.equal((await world.read(id)).status, 'processing');
  });

  test('that paid the recipient all the same, without our mark: an operator accepts it as paid', async (t) => {
    const world = await makeWorld(t, chain);
    const { worker } = world;
    const id = await world.withdraw();
    await worker.hold();
    await worker.sign();
    const { toAddress, amount } = await world.read(id);
    const hash = await sendForeign(world, 0, { to: toAddress, amount });
    await chain.mine(2);
    const wallet = { network: 'polygon', address: world.wallet, transactionHash: hash };
    const { status, body } = await world.operator('wallets.accept-foreign', wallet);
    assert.deepEqual([status, body], [200, { withdrawalId: id, outcome: 'paid' }]);
    await worker.settle();
    await world.expectPaid(id);
  });

  test('that turns out to be the very transfer, signed before a restore: it is paid, and once', async (t) => {
    const world = await makeWorld(t, chain);
    const { worker } = world;
    const id = await world.withdraw();
    await worker.hold();
    await worker.sign();
    const { toAddress: to, amount } = await world.read(id);
    const { network, signer } = worker.lane;
    const token = world.settings.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
    const { raw, hash } = await signer.signTransfer({
      chainId: network.chainId,
      nonce: 0,
      gas: 150_000n,
      token,
      to,
      amount,
      reference: id,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 10n ** 11n,
    });
    await chain.call('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
    const accept = () =>
      world.operator('wallets.accept-foreign', {
        network: 'polygon',
        address: world.wallet,
        transactionHash: hash,
      });
    assert.deepEqual((await accept()).body.error, 'The transaction is not in a final block');
    await chain.mine(2);
    assert.deepEqual((await accept()).body, { withdrawalId: id, outcome: 'paid' });
    await worker.settle();
    await world.expectPaid(id);
  });

  test('on a nonce that we have not given out: nothing is signed any more', async (t) => {
    const world = await makeWorld(t, chain);
    const { worker } = world;
    const first = await world.withdraw();
    await world.pay();
    await sendForeign(world, 1);
    const id = await world.withdraw();
    await world.pay();
    await expectHalted(world, worker, /has sent 2 transactions and this database knows 1/);
    await world.expectPaid(first);
    assert.equal((await world.read(id)).waitingFor, 'halted');
  });
});

test('a lane that is halted while its withdrawals are being checked signs none of them', async (t) => {
  const proxy = await startProxy(t, chain.rpcUrl);
  const world = await makeWorld(t, chain);
  const worker = world.makeWorker({ rpcUrls: [proxy.url] });
  const id = await world.withdraw();
  await worker.hold();
  proxy.meddle = async ({ method, params }, forward) => {
    const isTransfer =
      method === 'eth_call' && (params as { data: string }[])[0]!.data.startsWith('0xa9059cbb');
    if (isTransfer)
      await world.db.query(`update payout_signers set halted_at = now(), halted_reason = 'a test'`);
    return forward();
  };
  assert.equal(await worker.sign(), 0);
  assert.equal((await world.read(id)).status, 'pending');
  assert.deepEqual(await world.db.query('select 1 from payout_slots'), []);
});

describe('a node that is not what the settings say', () => {
  const tellsTrouble = (worker: Worker, words: RegExp) =>
    assert.ok(worker.lines.some(({ level, trouble }) => level === 'warn' && words.test(String(trouble))));

  test('another chain: nothing is signed or sent', async (t) => {
    const proxy = await startProxy(t, chain.rpcUrl);
    const world = await makeWorld(t, chain);
    const [signed, pending] = [await world.withdraw(), await world.withdraw()];
    await world.worker.hold();
    await world.db.query('update withdrawals set checked_at = now() where id = $1', [pending]);
    await world.worker.sign();
    await letTimePass(world);
    const worker = world.makeWorker({ rpcUrls: [proxy.url] });
    proxy.meddle = ({ method }, forward) => (method === 'eth_chainId' ? '0x1' : forward());
    await worker.sign();
    await worker.send();
    worker.advance(world.settings.bumpAfterMs);
    await worker.bump();
    tellsTrouble(worker, /the node of polygon is on chain 1, not 137/);
    assert.equal((await world.read(pending)).waitingFor, 'disagreement');
    assert.equal(proxy.counts.get('eth_sendRawTransaction'), undefined);
    proxy.meddle = undefined;
    await worker.sign();
    await worker.send();
    await chain.mine(2);
    await worker.settle();
    await world.expectPaid(signed, pending);
  });

  test('one of two nodes on another chain does not sign, whatever the other said a moment ago', async (t) => {
    const proxy = await startProxy(t, chain.rpcUrl);
    proxy.meddle = ({ method }, forward) => (method === 'eth_chainId' ? '0x1' : forward());
    const world = await makeWorld(t, chain);
    const worker = world.makeWorker({ rpcUrls: [chain.rpcUrl, proxy.url] });
    await worker.sign();
    const id = await world.withdraw();
    await worker.hold();
    const [right, wrong] = [await worker.sign(), await worker.sign()].toSorted();
    assert.deepEqual([right, wrong], [0, 1], 'one turn at each node, and only one of them signs');
    tellsTrouble(worker, /is on chain 1/);
    await world.worker.send();
    await chain.mine(2);
    await world.worker.settle();
    await world.expectPaid(id);
  });

  test('a token with other decimals: nothing is signed', async (t) => {
    const tokens = chain.settings.tokens.map((token) => ({
      ...token,
      decimals: token.symbol === 'USDT' ? 8 : 6,
    }));
    const world = await makeWorld(t, chain, { tokens });
    const id = await world.withdraw();
    await world.pay();
    tellsTrouble(world.worker, /USDT on polygon has 6 decimals, not 8/);
    assert.deepEqual(
      [(await world.read(id)).status, (await world.read(id)).waitingFor],
      ['pending', 'disagreement'],
    );
    assert.deepEqual(await world.paid(), []);
  });

  test('stored bytes that were tampered with are not sent', async (t) => {
    const proxy = await startProxy(t, chain.rpcUrl);
    const world = await makeWorld(t, chain);
    const id = await world.withdraw();
    await world.worker.hold();
    await world.worker.sign();
    const forged = await world.worker.lane.signer.signTransfer({
      chainId: 137,
      nonce: 0,
      gas: 150_000n,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 10n ** 11n,
      token: chain.settings.tokens[0]!.address,
      to: makeAddress(),
      amount: 5n,
      reference: id,
    });
    const superuser = new pg.Client({ connectionString: world.databaseUrl });
    await superuser.connect();
    await superuser.query('set session_replication_role = replica');
    await superuser.query('update payout_attempts set raw = $1', [forged.raw]);
    await superuser.end();
    const worker = world.makeWorker({ rpcUrls: [proxy.url] });
    await worker.send();
    await worker.sign();
    tellsTrouble(worker, /the stored bytes of 0x[0-9a-f]{64} are not what was signed/);
    assert.equal(proxy.counts.get('eth_sendRawTransaction'), undefined);
    assert.equal((await world.read(id)).status, 'processing');
  });
});

describe('wallets.resume', () => {
  test('404, 409, 503: an unknown wallet, one that is not halted, a nonce that is not the chain’s, no node', async (t) => {
    const world = await makeWorld(t, chain);
    await world.worker.sign();
    const resume = (more: object = {}) =>
      world.operator('wallets.resume', { network: 'polygon', address: world.wallet, ...more });
    const expect = async (answer: ReturnType<typeof resume>, status: number, code: string) => {
      const { status: got, body } = await answer;
      assert.deepEqual([got, body.code], [status, code]);
    };
    await expect(resume({ address: makeAddress() }), 404, 'wallet_not_found');
    await expect(resume({ address: 'nonsense' }), 404, 'wallet_not_found');
    await expect(resume({ network: 'base' }), 404, 'wallet_not_found');
    await expect(resume(), 409, 'wallet_not_halted');
    await world.withdraw();
    await world.pay();
    await sendForeign(world, 1);
    await world.worker.sign();
    await world.withdraw();
    await world.pay();
    await expect(resume(), 409, 'nonce_not_on_chain');
    await expect(resume({ nextNonce: 1 }), 409, 'nonce_not_on_chain');
    await expect(resume({ nextNonce: 3 }), 409, 'nonce_not_on_chain');
    await expect(resume({ nextNonce: 0 }), 409, 'nonce_below_known');
    const away = await makeWorld(t, chain, {
      databaseUrl: world.databaseUrl,
      signerKeys: world.settings.signerKeys!,
      rpcUrls: ['http://127.0.0.1:1'],
    });
    const { status, body } = await away.operator('wallets.resume', {
      network: 'polygon',
      address: world.wallet,
    });
    assert.deepEqual([status, body.code], [503, 'node_away']);
    const [shown] = (await away.operator('wallets.show')).body.wallets;
    assert.equal(shown.onChain, null);
  });

  test('200: with the chain’s count it goes on, and the audit has who said so', async (t) => {
    const world = await makeWorld(t, chain);
    const first = await world.withdraw();
    await world.pay();
    await sendForeign(world, 1);
    const id = await world.withdraw();
    await world.pay();
    const { status, body } = await world.operator('wallets.resume', {
      network: 'polygon',
      address: world.wallet,
      nextNonce: 2,
    });
    assert.deepEqual([status, body.nextNonce], [200, 2]);
    const [change] = await world.db.query<{ actor: string; action: string }>(
      `select actor_id as actor, action from audit_log where action = 'wallets.resume'`,
    );
    assert.match(change!.actor, /tester/);
    await letTimePass(world);
    await world.pay();
    await world.expectPaid(first, id);
    const [shown] = (await world.operator('wallets.show')).body.wallets;
    assert.deepEqual(
      {
        halted: shown.haltedAt,
        next: shown.nextNonce,
        count: shown.onChain.transactionCount,
        depth: shown.laneDepth,
      },
      { halted: null, next: 3, count: 3, depth: 0 },
    );
    assert.deepEqual(
      shown.onChain.tokens.find(({ currency }: { currency: string }) => currency === 'USDC'),
      { currency: 'USDC', balance: '999997' },
    );
    assert.match(await world.metrics(), /causeway_payouts_halted{[^}]*} 0/);
  });
});

/** Another holder of our key pays 1 USDC to any address, without our mark. */
async function sendForeign(
  { settings, chain: on }: World,
  nonce: number,
  { to = makeAddress(), amount = unit } = {},
): Promise<string> {
  const { address: token } = settings.tokens.find(({ symbol }) => symbol === 'USDC')!;
  const raw = await privateKeyToAccount(settings.signerKeys![0]!).signTransaction({
    type: 'eip1559',
    chainId: 137,
    nonce,
    gas: 150_000n,
    to: token as `0x${string}`,
    value: 0n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 11n,
    data: `0xa9059cbb${to.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`,
  });
  return on.call('eth_sendRawTransaction', raw);
}
