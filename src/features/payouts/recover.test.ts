import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '#platform/commands/verdict';
import { makeAddress } from '#test/data/factories';
import { cloneDatabase } from '#test/harness';
import { useChain } from '#test/outside/chain';
import { makeWorld, startProxy, type World } from '#test/worlds/payout';
import { walletCommands } from './commands.ts';

const chain = useChain();
const verdict = walletCommands.find(({ name }) => name === 'wallets.recover')!.verdict!;

const restore = async (world: World) => cloneDatabase(new URL(world.databaseUrl).pathname.slice(1));

const signerOf = async ({ db }: World) => {
  const [signer] = await db.query<{ nextNonce: bigint; reason: string | null }>(
    'select next_nonce as "nextNonce", halted_reason as reason from payout_signers',
  );
  return signer!;
};

test('what was paid after the backup is found on chain and settled, and nothing is paid twice', async (t) => {
  const original = await makeWorld(t, chain);
  const before = await original.withdraw({ amount: '1' });
  await original.pay();
  const queued = await original.withdraw({ amount: '2' });
  const pending = await original.withdraw({ amount: '3', currency: 'USDT' });
  await original.worker.hold();
  const held = await original.withdraw({ amount: '4' });
  const fromBlock = Number(await chain.call<string>('eth_blockNumber'));
  await original.worker.deps.db.end();
  const backup = await restore(original);
  const { settings, databaseUrl } = original;

  // The deployment continues after the backup, with one more withdrawal that the backup lacks.
  const goingOn = await makeWorld(t, chain, { ...settings, databaseUrl });
  const lost = await goingOn.withdraw({ amount: '5' });
  await goingOn.pay();
  await goingOn.expectPaid(before, queued, pending, held, lost);

  const restored = await makeWorld(t, chain, { ...settings, databaseUrl: backup });
  const later = await restored.withdraw({ amount: '6' });
  // One of its nodes lags and does not have the payments since; the other one does.
  const lagging = await startProxy(t, chain.rpcUrl);
  lagging.meddle = ({ method }, forward) => (method === 'eth_getTransactionCount' ? '0x1' : forward());
  const worker = restored.makeWorker({ rpcUrls: [lagging.url, chain.rpcUrl] });
  for (let turn = 0; turn < 3; turn++) {
    await worker.hold();
    await worker.sign();
    await worker.send();
  }
  assert.equal((await restored.paid()).length, 5);
  assert.match((await signerOf(restored)).reason!, /restored from an older backup/);
  const wallet = { network: 'polygon', address: original.wallet };
  const tooLate = await restored.operator('wallets.recover', { ...wallet, fromBlock: fromBlock + 1_000 });
  assert.equal(tooLate.status, 409);
  assert.match(tooLate.body.error, /No payment was found for the nonces 1, 2, 3, 4/);
  assert.equal((await signerOf(restored)).nextNonce, 1n);
  const { status, body } = await restored.operator('wallets.recover', { ...wallet, fromBlock });
  assert.equal(status, 200, body.error);
  assert.equal(body.nextNonce, 5);
  assert.deepEqual(new Set(body.recovered), new Set([queued, pending, held]));
  assert.deepEqual(
    body.unknown.map(({ withdrawalId }: { withdrawalId: string }) => withdrawalId),
    [lost],
  );
  const stays = judge(verdict, body);
  assert.ok(stays.hasFault);
  assert.match(stays.text, /^The wallet stays halted\. Unknown payments: 1\. Let partners repeat/);
  await restored.worker.settle();
  await restored.expectPaid(before, queued, pending, held);
  await restored.pay();
  assert.equal((await restored.read(later)).status, 'pending', 'nothing is signed before all is known');
  const [{ hash }] = body.unknown;
  const accepted = await restored.operator('wallets.recover', { ...wallet, fromBlock, accept: [hash] });
  assert.deepEqual([accepted.status, accepted.body.isHalted], [200, false]);
  assert.deepEqual(judge(verdict, accepted.body), {
    hasFault: false,
    text: 'All payments are known. The wallet signs again, from nonce 5 on.',
  });
  await restored.db.query('update withdrawals set checked_at = null where id = $1', [later]);
  await restored.pay();
  await restored.expectPaid(later);
  assert.deepEqual(await signerOf(restored), { nextNonce: 6n, reason: null });
  assert.equal((await restored.paid()).length, 6);
});

test('409: a wallet that is not halted, or has transactions on their way that are not ours', async (t) => {
  const world = await makeWorld(t, chain);
  const recover = () =>
    world.operator('wallets.recover', { network: 'polygon', address: world.wallet, fromBlock: 0 });
  const halt = () => world.db.query(`update payout_signers set halted_at = now(), halted_reason = 'test'`);
  const id = await world.withdraw();
  await world.worker.hold();
  await world.worker.sign();
  const running = await recover();
  assert.deepEqual([running.status, running.body.error], [409, 'The wallet is not halted']);
  await chain.call('evm_setAutomine', false);
  t.after(() => chain.call('evm_setAutomine', true));
  await world.worker.send();
  await halt();
  assert.equal((await recover()).status, 200, 'ours is known to be on its way');
  const { raw } = await world.worker.lane.signer.signTransfer({
    chainId: 137,
    nonce: 1,
    gas: 150_000n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 11n,
    token: chain.settings.tokens[0]!.address,
    to: makeAddress(),
    amount: 1n,
    reference: id,
  });
  await chain.call('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
  await halt();
  const busy = await recover();
  assert.equal(busy.status, 409);
  assert.match(busy.body.error, /not final/);
});
