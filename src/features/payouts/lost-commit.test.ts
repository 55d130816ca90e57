import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { makeAddress } from '#test/data/factories';
import { setStandbys } from '#test/database/set-standbys';
import { useChain } from '#test/outside/chain';
import { backUp, letTimePass, makeWorld, unit, type World } from '#test/worlds/payout';
import { shortfallReason } from './queries/signers.ts';
import { stuckAfterMs } from './timing.ts';

const chain = useChain();

const signerOf = async ({ db }: World) => {
  const [signer] = await db.query<{ nextNonce: bigint; reason: string | null }>(
    'select next_nonce as "nextNonce", halted_reason as reason from payout_signers',
  );
  return signer!;
};

const payTurns = async (world: World) => {
  for (let turn = 0; turn < 2; turn++) {
    await letTimePass(world);
    await world.pay();
  }
};

/** Keeps a withdrawal from the next signing, as a worker that checks it does. */
const hold = (world: World, id: string) =>
  world.db.query('update withdrawals set checked_at = now() where id = $1', [id]);

/**
 * A is signed at nonce 0 on a server whose last commits are lost in a promotion. The new server, a copy from
 * before, gives nonce 0 to B; then A is mined. `isRequestLost`: the request for A is lost as well. `to`: both
 * pay the same amount to this recipient.
 */
async function makeFailover(
  t: TestContext,
  { isRequestLost = false, to }: { isRequestLost?: boolean; to?: string } = {},
) {
  const old = await makeWorld(t, chain);
  const request = { idempotencyKey: 'order-1', amount: '2', ...(to && { to }) };
  let databaseUrl = isRequestLost ? await backUp(old) : '';
  const a = await old.withdraw(request);
  await old.worker.hold();
  databaseUrl ||= await backUp(old);
  await old.worker.sign();
  const promoted = await makeWorld(t, chain, { ...old.settings, databaseUrl });
  if (!isRequestLost) await hold(promoted, a);
  const b = await promoted.withdraw(to ? { amount: '2', to } : {});
  await promoted.worker.hold();
  await promoted.worker.sign();
  assert.equal((await promoted.read(b)).status, 'processing');
  await old.worker.send();
  await chain.mine(2);
  const { hash } = (await old.attempts(a))[0]!;
  const wallet = { network: 'polygon', address: promoted.wallet };
  const recover = (more: object = {}) =>
    promoted.operator('wallets.recover', { ...wallet, fromBlock: 0, ...more });
  return { old, promoted, a, b, hash, wallet, recover, request };
}

describe('a failover that lost the commit of a signed payout, whose nonce another one got', () => {
  test('recover: the lost payment is of its withdrawal, and the other one gets another nonce', async (t) => {
    const { promoted, a, b, wallet, recover } = await makeFailover(t);
    await promoted.worker.send();
    assert.match((await signerOf(promoted)).reason!, /nonce 0 was used by a transaction that is not ours/);
    const resumed = await promoted.operator('wallets.resume', wallet);
    assert.deepEqual([resumed.status, resumed.body.code], [409, 'nonce_taken']);
    const { status, body } = await recover();
    assert.equal(status, 200, body.error);
    assert.deepEqual([body.recovered, body.requeued, body.unknown, body.isHalted], [[a], [b], [], false]);
    assert.equal((await promoted.read(b)).status, 'pending');
    await payTurns(promoted);
    await promoted.expectPaid(a, b);
    assert.deepEqual(await promoted.funds(), { balance: 997n * unit, held: 0n });
    assert.deepEqual(await signerOf(promoted), { nextNonce: 2n, reason: null });
  });

  test('accept-foreign: the same, by the transaction’s hash', async (t) => {
    const { promoted, a, b, hash, wallet } = await makeFailover(t);
    await promoted.worker.send();
    const accepted = await promoted.operator('wallets.accept-foreign', { ...wallet, transactionHash: hash });
    assert.deepEqual([accepted.status, accepted.body], [200, { withdrawalId: b, outcome: 'requeued' }]);
    assert.equal((await promoted.operator('wallets.resume', wallet)).status, 200);
    await payTurns(promoted);
    await promoted.expectPaid(a, b);
  });

  test('accept-foreign: also if both pay the same amount to the same recipient, because the mark decides', async (t) => {
    const { promoted, a, b, hash, wallet } = await makeFailover(t, { to: makeAddress() });
    await promoted.worker.send();
    const accepted = await promoted.operator('wallets.accept-foreign', { ...wallet, transactionHash: hash });
    assert.deepEqual([accepted.status, accepted.body], [200, { withdrawalId: b, outcome: 'requeued' }]);
    assert.equal((await promoted.operator('wallets.resume', wallet)).status, 200);
    await payTurns(promoted);
    const [first, second] = [await promoted.read(a), await promoted.read(b)];
    assert.deepEqual([first.status, second.status], ['completed', 'completed']);
    assert.equal(first.transactionHash, hash);
    assert.notEqual(second.transactionHash, hash);
    assert.equal((await promoted.paid()).length, 2);
  });

  test('the request is lost, too: halted until it is repeated, and nobody is paid twice', async (t) => {
    const { promoted, a, b, hash, wallet, recover, request } = await makeFailover(t, { isRequestLost: true });
    await promoted.worker.send();
    const { body } = await recover();
    assert.deepEqual([body.requeued, body.isHalted], [[b], true]);
    assert.deepEqual(body.unknown, [{ hash, withdrawalId: a }]);
    const resumed = await promoted.operator('wallets.resume', wallet);
    assert.deepEqual([resumed.status, resumed.body.code], [409, 'payments_unknown']);
    const { to } = (await promoted.paid()).at(-1)!;
    assert.equal(await promoted.withdraw({ ...request, to }), a);
    await payTurns(promoted);
    await promoted.expectPaid(a);
    assert.equal((await recover()).body.isHalted, false);
    await payTurns(promoted);
    await promoted.expectPaid(a, b);
  });

  test('the lost one is signed again at another nonce and not sent: it is paid once', async (t) => {
    const { promoted, a, b, recover } = await makeFailover(t);
    await letTimePass(promoted);
    // Its twin is on chain; this node does not have it yet.
    await promoted.db.query('update withdrawals set checked_at = null where id = $1', [a]);
    await promoted.worker.sign();
    assert.equal((await promoted.read(a)).status, 'processing');
    await promoted.worker.send();
    const { status, body } = await recover();
    assert.equal(status, 200, body.error);
    assert.deepEqual([body.recovered, body.requeued, body.isHalted], [[a], [b], false]);
    await payTurns(promoted);
    await promoted.expectPaid(a, b);
    assert.equal(
      (await signerOf(promoted)).nextNonce,
      2n,
      'the nonce that was never sent is used by the other',
    );
  });
});

describe('wallets.void', () => {
  test('200: bytes that were never sent; the withdrawal is signed again at that nonce', async (t) => {
    const world = await makeWorld(t, chain);
    const id = await world.withdraw();
    await world.worker.hold();
    await world.worker.sign();
    const wallet = { network: 'polygon', address: world.wallet };
    const running = await world.operator('wallets.void', { ...wallet, nonce: 0 });
    assert.deepEqual([running.status, running.body.code], [409, 'wallet_not_halted']);
    await world.operator('wallets.halt', { ...wallet, reason: 'test' });
    const none = await world.operator('wallets.void', { ...wallet, nonce: 7 });
    assert.deepEqual([none.status, none.body.code], [404, 'payout_not_found']);
    const { status, body } = await world.operator('wallets.void', { ...wallet, nonce: 0 });
    assert.deepEqual([status, body], [200, { withdrawalId: id, nonce: 0 }]);
    assert.equal((await world.read(id)).status, 'pending');
    assert.equal((await world.funds()).held, unit);
    await world.operator('wallets.resume', wallet);
    await payTurns(world);
    await world.expectPaid(id);
    assert.equal((await signerOf(world)).nextNonce, 1n);
  });

  test('a voided nonce below a sent one whose withdrawal is canceled: the halt names the gap, and how to end it', async (t) => {
    const world = await makeWorld(t, chain);
    const { worker } = world;
    const first = await world.withdraw();
    await worker.hold();
    await worker.sign();
    const wallet = { network: 'polygon', address: world.wallet };
    const second = await world.withdraw();
    await worker.hold();
    await worker.sign();
    await world.db.query(`update payout_attempts set sent_at = now() + interval '1 hour' where nonce = 0`);
    await worker.send();
    await world.operator('wallets.halt', { ...wallet, reason: 'test' });
    assert.equal((await world.operator('wallets.void', { ...wallet, nonce: 0 })).status, 200);
    await world.operator('wallets.resume', wallet);
    const canceled = await world.operator('withdrawals.cancel', { withdrawalId: first, reason: 'test' });
    assert.equal(canceled.status, 200, canceled.body.error);
    worker.advance(stuckAfterMs);
    await worker.settle();
    assert.match(
      (await signerOf(world)).reason!,
      new RegExp(
        `^nonce 1 \\(withdrawal ${second}\\) waits for nonce 0, which no transaction .* takes nonce 0\\. .* --fill-nonces 1, which halts every wallet of the network until it is recovered$`,
      ),
    );
    const recover = (fillNonces: number) =>
      world.operator('wallets.recover', { ...wallet, fromBlock: 0, fillNonces });
    assert.equal((await recover(1)).status, 200);
    await letTimePass(world);
    await worker.fill();
    await chain.mine(2);
    const { status, body } = await world.operator('wallets.recover', { ...wallet, fromBlock: 0 });
    assert.deepEqual([status, body.isHalted], [200, false], body.error);
    await worker.settle();
    await world.expectPaid(second);
    await world.expectFailed(first, /./);
  });

  test('409: bytes that were sent may be mined', async (t) => {
    const world = await makeWorld(t, chain);
    const id = await world.withdraw();
    await world.worker.hold();
    await world.worker.sign();
    await world.db.query('update payout_attempts set sends = 1, sent_at = now()');
    const wallet = { network: 'polygon', address: world.wallet };
    await world.operator('wallets.halt', { ...wallet, reason: 'test' });
    const sent = await world.operator('wallets.void', { ...wallet, nonce: 0 });
    assert.deepEqual([sent.status, sent.body.code], [409, 'payout_sent']);
    // Sent by another process, such as a worker on a server that is gone.
    await world.db.query('update payout_attempts set sends = 0, sent_at = null');
    const { raw } = (await world.attempts(id))[0]!;
    await chain.call('evm_setAutomine', false);
    t.after(() => chain.call('evm_setAutomine', true));
    await chain.call('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
    const known = await world.operator('wallets.void', { ...wallet, nonce: 0 });
    assert.deepEqual([known.status, known.body.code], [409, 'payout_sent']);
  });
});

describe('another database server than the one on which the lane last signed', () => {
  const promote = ({ db }: World, server = `database_server() || '0'`) =>
    db.query(`update payout_signers set server = ${server}`);

  test('halts the lane before anything is signed, until recover has looked a minute later', async (t) => {
    const world = await makeWorld(t, chain);
    const first = await world.withdraw();
    await world.pay();
    await promote(world);
    const id = await world.withdraw();
    const tooMuch = await world.withdraw({ amount: '5000' });
    assert.equal(await world.worker.hold(), 0);
    const canceled = await world.operator('withdrawals.cancel', { withdrawalId: id, reason: 'test' });
    assert.deepEqual([canceled.status, canceled.body.code], [409, 'wallet_halted']);
    assert.equal(await world.worker.sign(), 0);
    for (const one of [id, tooMuch]) assert.equal((await world.read(one)).status, 'queued');
    assert.match((await signerOf(world)).reason!, /database server changed.*wallets recover/);
    const wallet = { network: 'polygon', address: world.wallet };
    const resumed = await world.operator('wallets.resume', wallet);
    assert.deepEqual([resumed.status, resumed.body.code], [409, 'server_changed']);
    const input = { ...wallet, fromBlock: 0, fillNonces: 0 };
    const early = await world.operator('wallets.recover', input);
    assert.deepEqual([early.status, early.body.code], [409, 'too_early']);
    world.worker.advance(61_000);
    const { status, body } = await world.operator('wallets.recover', input);
    assert.deepEqual([status, body.isHalted], [200, false]);
    await payTurns(world);
    await world.expectPaid(first, id);
  });

  test('takes the place of a halt for a shortfall, of which the minute counts from then', async (t) => {
    const world = await makeWorld(t, chain);
    const first = await world.withdraw();
    await world.pay();
    const id = await world.withdraw();
    await world.worker.hold();
    const wallet = { network: 'polygon', address: world.wallet };
    await world.operator('wallets.halt', { ...wallet, reason: `${shortfallReason}5 USDC` });
    world.worker.advance(3_600_000);
    await world.worker.sign();
    assert.match((await signerOf(world)).reason!, /^the treasury lacks 5 USDC/);
    await promote(world);
    await world.worker.sign();
    assert.match((await signerOf(world)).reason!, /database server changed.*wallets recover/);
    const input = { ...wallet, fromBlock: 0, fillNonces: 0 };
    assert.equal((await world.operator('wallets.recover', input)).body.code, 'too_early');
    // Neither a shortfall nor an operator's halt replaces it.
    await world.operator('wallets.halt', { ...wallet, reason: `${shortfallReason}6 USDC` });
    assert.match((await signerOf(world)).reason!, /database server changed/);
    world.worker.advance(61_000);
    assert.equal((await world.operator('wallets.recover', input)).body.isHalted, false);
    await payTurns(world);
    await world.expectPaid(first, id);
  });

  test('also of a former wallet: it may have paid what the new one would pay again', async (t) => {
    const world = await makeWorld(t, chain);
    const first = await world.withdraw();
    await world.pay();
    const former = makeAddress();
    await world.db.query(
      `insert into payout_signers (network, address, next_nonce, created_at, server)
       values ('polygon', $1, 0, now(), database_server() || '0')`,
      [former],
    );
    const id = await world.withdraw();
    await world.pay();
    assert.equal((await world.read(id)).status, 'queued');
    const [halted] = await world.db.query<{ address: string; reason: string }>(
      'select address, halted_reason as reason from payout_signers where halted_at is not null',
    );
    assert.deepEqual([halted!.address, /database server changed/.test(halted!.reason)], [former, true]);
    world.worker.advance(61_000);
    const input = { network: 'polygon', address: former, fromBlock: 0, fillNonces: 0 };
    const { status, body } = await world.operator('wallets.recover', input);
    assert.deepEqual([status, body.isHalted], [200, false], body.error);
    await payTurns(world);
    await world.expectPaid(first, id);
  });

  test('a promotion between the look and the signature signs nothing', async (t) => {
    const world = await makeWorld(t, chain);
    await world.withdraw();
    await world.pay();
    await world.withdraw();
    await world.worker.hold();
    const { lane } = world.worker;
    const { name } = lane.network;
    assert.equal(name, 'polygon');
    await world.db.query(`create function note_check() returns trigger language plpgsql as $$
      begin update payout_signers set server = database_server() || '0'; return null; end $$`);
    await world.db.query(`create trigger note_check after update of checked_at on withdrawals
      for each statement execute function note_check()`);
    assert.equal(await world.worker.sign(), 0);
    assert.deepEqual(await world.db.query(`select 1 from payout_slots where state = 'open'`), []);
  });

  test('goes on where replication is synchronous, but not on another cluster', async (t) => {
    const world = await makeWorld(t, chain, { isReplicationSynchronous: true });
    const first = await world.withdraw();
    await world.pay();
    await promote(world);
    const second = await world.withdraw();
    await world.pay();
    await world.expectPaid(first, second);
    await promote(world, `'1' || database_server()`);
    const third = await world.withdraw();
    await world.worker.hold();
    assert.equal(await world.worker.sign(), 0);
    assert.equal((await world.read(third)).status, 'queued');
  });

  test('signs nothing where replication is to be synchronous and the promoted server has no standbys', async (t) => {
    const world = await makeWorld(t, chain, { isReplicationSynchronous: true });
    const first = await world.withdraw();
    await world.pay();
    await world.expectPaid(first);
    await promote(world);
    const second = await world.withdraw();
    await world.worker.hold();
    await setStandbys(world.db, '');
    await world.worker.sign();
    const { status, waitingFor } = await world.read(second);
    assert.deepEqual([status, waitingFor], ['pending', 'replication']);
    const cancel = () => world.operator('withdrawals.cancel', { withdrawalId: second, reason: 'test' });
    assert.equal((await cancel()).status, 503, 'the next promotion could lose it, and pay what was canceled');
    await setStandbys(world.db, 'ANY 1 (*)');
    await letTimePass(world);
    await world.pay();
    await world.expectPaid(first, second);
  });

  test('a payout that is not sent because there are no standbys does not halt its wallet', async (t) => {
    const world = await makeWorld(t, chain, { isReplicationSynchronous: true });
    const id = await world.withdraw();
    await world.worker.hold();
    await world.worker.sign();
    await setStandbys(world.db, '');
    world.worker.advance(stuckAfterMs);
    assert.equal(await world.worker.send(), 0);
    await world.worker.settle();
    await setStandbys(world.db, 'ANY 1 (*)');
    // Settling goes on beside sending, and may come first.
    await world.worker.settle();
    assert.equal((await signerOf(world)).reason, null);
    await payTurns(world);
    await world.expectPaid(id);
  });

  for (const standbys of ['ANY 1 (*)', '']) {
    test(`halts a wallet whose signature was lost, with standbys "${standbys}", and refuses to cancel`, async (t) => {
      const old = await makeWorld(t, chain);
      await old.withdraw();
      await old.pay();
      const lost = await old.withdraw();
      await old.worker.hold();
      const databaseUrl = await backUp(old);
      await old.worker.sign();
      await old.worker.send();
      await chain.mine(2);
      const settings = { ...old.settings, databaseUrl, isReplicationSynchronous: true };
      const promoted = await makeWorld(t, chain, settings);
      await setStandbys(promoted.db, standbys);
      assert.equal(await promoted.worker.sign(), 0);
      assert.match(
        (await signerOf(promoted)).reason!,
        /the hot wallet has sent 2 transactions and this database knows 1/,
      );
      await setStandbys(promoted.db, 'ANY 1 (*)');
      const canceled = await promoted.operator('withdrawals.cancel', { withdrawalId: lost, reason: 'test' });
      assert.deepEqual([canceled.status, canceled.body.code], [409, 'wallet_halted']);
      assert.equal((await promoted.funds()).held, unit);
    });
  }
});

test('a transaction with the lane’s lock commits durably, also if the server does not by default', async (t) => {
  const world = await makeWorld(t, chain);
  await world.worker.sign();
  const { lockSigner } = await import('./queries/signers.ts');
  const shown = 'select current_setting($1) as value';
  const outside = await world.db.query<{ value: string }>(shown, ['synchronous_commit']);
  const inside = await world.db.transaction(async (db) => {
    await lockSigner(db, 'polygon', world.wallet);
    return db.query<{ value: string }>(shown, ['synchronous_commit']);
  });
  assert.deepEqual([outside, inside], [[{ value: 'off' }], [{ value: 'on' }]]);
});

test('an ordinary role may read which server it is on', async (t) => {
  const { db } = await makeWorld(t, chain);
  const [row] = await db.transaction(async (db) => {
    await db.query('set local role pg_read_all_data');
    return db.query<{ server: string }>('select database_server() as server');
  });
  assert.match(row!.server, /^\d+\/[0-9A-F]{8}$/);
});

test('the database refuses to give up a nonce that may be mined, and to pay or fail what was found paid', async (t) => {
  const world = await makeWorld(t, chain);
  const { db, wallet } = world;
  await world.withdraw();
  await world.worker.hold();
  await world.worker.sign();
  const giveUp = (minedHash: string | null) =>
    db.query(
      `update payout_slots set state = 'void', void_of = withdrawal_id, withdrawal_id = null, settled_at = now(),
         mined_hash = $1`,
      [minedHash],
    );
  const [{ hash }] = (await db.query('select hash from payout_attempts')) as [{ hash: string }];
  await db.query('update payout_attempts set sends = 1');
  await assert.rejects(giveUp(null), /a slot is void only if/);
  await assert.rejects(giveUp(hash), /a slot is void only if/);
  const found = await world.withdraw();
  await db.query(
    `insert into found_payments (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, withdrawal_id,
       token_address, to_address, amount, found_at)
     select $2, network, $3, 5, '\\x00', 1, 1, id, token_address, to_address, amount, now() from withdrawals where id = $1`,
    [found, `0x${'ab'.repeat(32)}`, wallet],
  );
  const open = (nonce: number) =>
    db.query(
      `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at) values ('polygon', $1, $2, $3, now())`,
      [wallet, nonce, found],
    );
  await assert.rejects(open(1), /a payment that was found on chain is not made again/);
  const fail = `update withdrawals set status = 'failed', error_message = 'test' where id = $1`;
  await assert.rejects(db.query(fail, [found]), /ends only with a final transaction/);
  await world.worker.hold();
  await letTimePass(world);
  await world.worker.sign();
  assert.equal((await world.read(found)).status, 'queued');
  await open(5);
});
