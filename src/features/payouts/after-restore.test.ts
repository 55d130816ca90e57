import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { parseTransaction } from 'viem';
import { checksumAddress, readMark } from '#adapters/evm';
import { makeAddress, makeFunds } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { backUp, letTimePass, makeWorld, unit, type World } from '#test/worlds/payout';

const chain = useChain();

const signerOf = async ({ db }: World) => {
  const [signer] = await db.query<{ nextNonce: bigint; reason: string | null }>(
    'select next_nonce as "nextNonce", halted_reason as reason from payout_signers',
  );
  return signer!;
};

/** A world, and a second one restored from a backup that lacks what `since` did. */
async function makeRestored(t: TestContext, since: (world: World) => Promise<void>) {
  const first = await makeWorld(t, chain);
  await first.withdraw();
  await first.pay();
  const fromBlock = Number(await chain.call<string>('eth_blockNumber'));
  const backup = await backUp(first);
  await since(first);
  const restored = await makeWorld(t, chain, { ...first.settings, databaseUrl: backup });
  const recover = (more: object = {}) =>
    restored.operator('wallets.recover', {
      network: 'polygon',
      address: restored.wallet,
      fromBlock,
      ...more,
    });
  return { restored, recover };
}

const payTurns = async (world: World) => {
  await letTimePass(world);
  await world.pay();
  await letTimePass(world);
  await world.pay();
};

describe('a restore, then a partner that repeats a request', () => {
  const wanted = { amount: '5', idempotencyKey: 'order-1', to: makeAddress() };

  test('before recover: the repeated request is bound to the payment, which is not made again', async (t) => {
    const { restored, recover } = await makeRestored(t, async (original) => {
      await original.withdraw(wanted);
      await original.pay();
    });
    const id = await restored.withdraw(wanted);
    await payTurns(restored);
    const { status, body } = await recover();
    assert.equal(status, 200, body.error);
    assert.deepEqual([body.recovered, body.unknown, body.isHalted], [[id], [], false]);
    await payTurns(restored);
    await restored.expectPaid(id);
    assert.deepEqual(await restored.funds(), { balance: 994n * unit, held: 0n });
    assert.deepEqual(await signerOf(restored), { nextNonce: 2n, reason: null });
  });

  test('after recover: the wallet stays halted until then, and the answer is the first one', async (t) => {
    let first: Awaited<ReturnType<World['request']>> | undefined;
    const { restored, recover } = await makeRestored(t, async (original) => {
      first = await original.request(wanted);
      await original.pay();
    });
    await restored.worker.sign();
    const found = await recover();
    assert.deepEqual([found.status, found.body.isHalted], [200, true]);
    assert.deepEqual(
      found.body.unknown.map(({ withdrawalId }: { withdrawalId: string }) => withdrawalId),
      [first!.id],
    );
    assert.match((await signerOf(restored)).reason!, /1 payment.*wallets recover/);
    const later = await restored.withdraw();
    await payTurns(restored);
    assert.notEqual((await restored.read(later)).status, 'processing');
    const repeated = await restored.request(wanted);
    assert.deepEqual([repeated.id, repeated.bulkId], [first!.id, first!.bulkId]);
    assert.deepEqual(await restored.request(wanted), { ...repeated, isReplay: true });
    await payTurns(restored);
    await restored.expectPaid(first!.id);
    const again = await recover();
    assert.deepEqual([again.status, again.body.unknown, again.body.isHalted], [200, [], false]);
    await payTurns(restored);
    await restored.expectPaid(later, first!.id);
  });

  test('422: another request under the key of a payment that was found', async (t) => {
    const { restored, recover } = await makeRestored(t, async (original) => {
      await original.withdraw(wanted);
      await original.pay();
    });
    await restored.worker.sign();
    await recover();
    for (const other of [{ amount: '6' }, { to: makeAddress() }, { currency: 'USDT' as const }]) {
      await assert.rejects(restored.request({ ...wanted, ...other }), { code: 'idempotency_key_reused' });
    }
    assert.equal(
      (await restored.db.query('select 1 from withdrawals where idempotency_key is not null')).length,
      0,
    );
  });

  test('another amount under the key, before recover: it is not paid, and shows what it waits for', async (t) => {
    const { restored, recover } = await makeRestored(t, async (original) => {
      await original.withdraw(wanted);
      await original.pay();
    });
    const id = await restored.withdraw({ ...wanted, amount: '6' });
    await restored.worker.sign();
    const [{ hash }] = (await recover()).body.unknown;
    assert.equal((await recover({ accept: [hash] })).body.isHalted, false);
    const other = await restored.withdraw();
    await payTurns(restored);
    await restored.expectPaid(other);
    const { status, waitingFor } = await restored.read(id);
    assert.deepEqual([status, waitingFor], ['pending', 'found payment']);
    assert.match(
      await restored.metrics(),
      /causeway_payouts_waiting{network="polygon",reason="found payment"} 1/,
    );
    const canceled = await restored.operator('withdrawals.cancel', { withdrawalId: id, reason: 'test' });
    assert.equal(canceled.status, 200, canceled.body.error);
    assert.deepEqual(await restored.funds(), { balance: 998n * unit, held: 0n });
  });

  test('409: the user lacks balance; the refusal names user, wallet, network, amount and payment', async (t) => {
    const { restored, recover } = await makeRestored(t, async (original) => {
      await original.withdraw(wanted);
      await original.pay();
    });
    await restored.withdraw({ amount: '998' });
    await restored.worker.hold();
    await restored.withdraw(wanted);
    await restored.worker.sign();
    const { hash } = (await restored.paid()).at(-1)!;
    const { status, body } = await recover();
    assert.deepEqual([status, body.code], [409, 'funds_missing']);
    for (const name of [restored.userId, '5 USDC on polygon', checksumAddress(restored.wallet), hash])
      assert.ok(body.error.includes(name), body.error);
    await restored.worker.bind();
    assert.equal((await restored.funds()).held, 998n * unit, 'nothing is held for a part');
    await makeFunds(restored.harness, restored.userId, 'polygon', 'USDC', '4');
    assert.equal((await recover()).status, 200);
  });

  test('the recipient was blocked since: the repetition is bound all the same, because it is paid', async (t) => {
    const { restored, recover } = await makeRestored(t, async (original) => {
      await original.withdraw(wanted);
      await original.pay();
    });
    await restored.worker.sign();
    await recover();
    const blocked = await restored.operator('users.block-address', { address: wanted.to, reason: 'test' });
    assert.equal(blocked.status, 200, blocked.body.error);
    const other = { ...wanted, idempotencyKey: 'order-9' };
    await assert.rejects(restored.request(other), { code: 'receiver_not_eligible' });
    const id = await restored.withdraw(wanted);
    await payTurns(restored);
    await restored.expectPaid(id);
  });

  test('accepted by an operator, a later repetition is still bound to the payment', async (t) => {
    const { restored, recover } = await makeRestored(t, async (original) => {
      await original.withdraw(wanted);
      await original.pay();
    });
    await restored.worker.sign();
    const [{ hash }] = (await recover()).body.unknown;
    const strange = await recover({ accept: [`0x${'ab'.repeat(32)}`] });
    assert.deepEqual([strange.status, strange.body.code], [409, 'payment_not_found']);
    const { body } = await recover({ accept: [hash] });
    assert.deepEqual([body.unknown, body.isHalted], [[], false]);
    const [change] = await restored.db.query<{ after: { accepted: string[] } }>(
      `select after from audit_log where action = 'wallets.recover' order by id desc limit 1`,
    );
    assert.deepEqual(change!.after.accepted, [hash]);
    const id = await restored.withdraw(wanted);
    await payTurns(restored);
    await restored.expectPaid(id);
  });
});

test('a withdrawal whose payment was found is not canceled: 409', async (t) => {
  const { restored, recover } = await makeRestored(t, async (original) => {
    await original.withdraw({ idempotencyKey: 'order-2', to: makeAddress() });
    await original.pay();
  });
  await restored.worker.sign();
  await recover();
  const { to } = (await restored.paid()).at(-1)!;
  const withdrawalId = await restored.withdraw({ idempotencyKey: 'order-2', to });
  const canceled = await restored.operator('withdrawals.cancel', { withdrawalId, reason: 'test' });
  assert.deepEqual([canceled.status, canceled.body.code], [409, 'already_signed']);
});

test('before recover, nothing that may have been paid is canceled: 409; afterwards it is', async (t) => {
  const first = await makeWorld(t, chain);
  await first.withdraw();
  await first.pay();
  const fromBlock = Number(await chain.call<string>('eth_blockNumber'));
  const paid = await first.withdraw();
  await first.worker.hold();
  const backup = await backUp(first);
  await first.pay();
  const restored = await makeWorld(t, chain, { ...first.settings, databaseUrl: backup });
  const wallet = { network: 'polygon', address: restored.wallet };
  const unpaid = await restored.withdraw();
  const cancel = async (withdrawalId: string) => {
    const { status, body } = await restored.operator('withdrawals.cancel', { withdrawalId, reason: 'test' });
    return [status, body.code];
  };
  await restored.operator('wallets.halt', { ...wallet, reason: 'restored' });
  assert.deepEqual(await cancel(paid), [409, 'wallet_halted']);
  assert.deepEqual(await cancel(unpaid), [409, 'wallet_halted']);
  await letTimePass(restored);
  const { body } = await restored.operator('wallets.recover', { ...wallet, fromBlock });
  assert.deepEqual([body.recovered, body.isHalted], [[paid], false]);
  assert.deepEqual(await cancel(paid), [409, 'already_signed']);
  assert.deepEqual(await cancel(unpaid), [200, undefined]);
  await payTurns(restored);
  await restored.expectPaid(paid);
});

test('a payout whose fees are raised carries the same calldata', async (t) => {
  const world = await makeWorld(t, chain);
  const id = await world.withdraw({ idempotencyKey: 'order-3' });
  await world.worker.hold();
  await world.worker.sign();
  world.worker.advance(world.settings.bumpAfterMs);
  assert.equal(await world.worker.bump(), 1);
  const attempts = await world.attempts(id);
  const inputs = attempts.map(({ raw }) => parseTransaction(`0x02${raw.toString('hex').slice(2)}`).data!);
  assert.equal(inputs.length, 2);
  assert.equal(inputs[0], inputs[1]);
  const { reference, keyMark } = readMark(inputs[0]!)!;
  assert.equal(reference, id);
  const [{ partnerId }] = (await world.db.query('select partner_id as "partnerId" from withdrawals')) as [
    { partnerId: string },
  ];
  const expected = createHash('sha256').update(`key ${partnerId} order-3`).digest().subarray(0, 16);
  assert.deepEqual(keyMark, expected);
});

describe('wallets.recover', () => {
  test('a payment for another recipient or amount than the withdrawal that it names is unknown', async (t) => {
    const { restored, recover } = await makeRestored(t, async () => undefined);
    const pending = await restored.withdraw({ amount: '2' });
    const { toAddress, amount } = await restored.read(pending);
    const { signer, network } = restored.worker.lane;
    const token = restored.settings.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
    const right = { token, to: toAddress, amount };
    const wrongs = [{ to: makeAddress() }, { amount: amount + 1n }];
    for (const [at, wrong] of wrongs.entries()) {
      const { raw } = await signer.signTransfer({
        chainId: network.chainId,
        nonce: 1 + at,
        gas: 150_000n,
        reference: pending,
        ...right,
        ...wrong,
        maxFeePerGas: 10n ** 12n,
        maxPriorityFeePerGas: 10n ** 11n,
      });
      await chain.call('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
    }
    await chain.mine(2);
    await restored.worker.sign();
    const { body } = await recover();
    assert.deepEqual([body.recovered, body.unknown.length, body.isHalted], [[], 2, true]);
    assert.equal((await restored.read(pending)).transactionHash, null);
  });

  test('nor is it the payment of a nonce that was given to that withdrawal: it waits for another nonce', async (t) => {
    const world = await makeWorld(t, chain);
    const id = await world.withdraw({ amount: '2' });
    await world.worker.hold();
    await world.worker.sign();
    const { amount } = await world.read(id);
    const { signer, network } = world.worker.lane;
    const token = world.settings.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
    const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
    const call = { chainId: network.chainId, nonce: 0, gas: 150_000n, reference: id, token, amount, ...fees };
    const { hash, raw } = await signer.signTransfer({ ...call, to: makeAddress() });
    await chain.call('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
    await chain.mine(2);
    const wallet = { network: 'polygon', address: world.wallet };
    await world.operator('wallets.halt', { ...wallet, reason: 'test' });
    const { body } = await world.operator('wallets.recover', { ...wallet, fromBlock: 0 });
    assert.deepEqual([body.recovered, body.requeued, body.isHalted], [[], [id], true], JSON.stringify(body));
    assert.deepEqual(body.unknown, [{ hash, withdrawalId: id }]);
    assert.equal((await world.read(id)).status, 'pending');
  });

  test('what it found is known to be sent: the lane goes on without another halt', async (t) => {
    const { restored, recover } = await makeRestored(t, async () => undefined);
    const id = await restored.withdraw();
    await restored.worker.hold();
    const copy = await makeWorld(t, chain, { ...restored.settings, databaseUrl: await backUp(restored) });
    await copy.pay();
    await restored.worker.sign();
    assert.equal((await recover()).status, 200);
    await restored.worker.send();
    await restored.worker.send();
    assert.equal((await signerOf(restored)).reason, null);
    await restored.worker.settle();
    await restored.expectPaid(id);
  });

  test('200: with a database that is ahead of the chain', async (t) => {
    const world = await makeWorld(t, chain);
    const id = await world.withdraw();
    await world.worker.hold();
    await world.worker.sign();
    const wallet = { network: 'polygon', address: world.wallet };
    await world.operator('wallets.halt', { ...wallet, reason: 'test' });
    const { status, body } = await world.operator('wallets.recover', { ...wallet, fromBlock: 0 });
    assert.deepEqual([status, body.nextNonce, body.isHalted], [200, 1, false]);
    await payTurns(world);
    await world.expectPaid(id);
  });
});
