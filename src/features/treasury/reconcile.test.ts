import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createEvm, type NetworkSettings } from '#adapters/evm';
import { fundAccount, postDeposits } from '#features/ledger';
import { makeAddress, makeFunds } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { startProxy, unit } from '#test/worlds/payout';
import { makeTreasury } from '#test/worlds/treasury';
import { treasuryCommands } from './commands.ts';
import { treasuryGauges } from './gauges.ts';
import { treasuryJobs } from './jobs.ts';
import { selectPosition } from './queries.ts';

const chain = useChain();

test('the first comparison calls what it finds the opening, and another at once finds nothing new', async (t) => {
  const world = await makeTreasury(t, chain);
  const first = await world.compare();
  assert.deepEqual([first.held, first.owed], [1_000_000n * unit, 1_000n * unit]);
  assert.deepEqual(first.amounts, { opening: 999_000n * unit });
  assert.deepEqual([first.unexplained, first.shortfall], [0n, 0n]);
  assert.deepEqual((await world.compare()).amounts, first.amounts);
});

test('a deposit is named until it is posted, and then matches', async (t) => {
  const world = await makeTreasury(t, chain, { depositMinimums: new Map([['USDC', 10_000n]]) });
  const { address } = await world.makeOwner();
  await world.watch();
  await world.compare();
  await chain.mint('USDC', address, 5n * unit);
  await chain.mint('USDC', address, 9_999n);
  await chain.mine(2);
  const found = await world.compare();
  assert.equal(found.amounts['deposits not posted yet'], 5n * unit);
  assert.equal(found.amounts['transfers in below the minimum'], 9_999n);
  await world.watch();
  const posted = await world.compare();
  assert.equal(posted.amounts['deposits not posted yet'], undefined);
  assert.equal(posted.amounts['transfers in below the minimum'], 9_999n);
  assert.deepEqual([posted.unexplained, posted.shortfall], [0n, 0n]);
});

test('a payout is named while it is open, and matches when it is settled', async (t) => {
  const world = await makeTreasury(t, chain);
  await world.compare();
  const id = await world.withdraw({ amount: '7' });
  await world.worker.hold();
  await world.worker.sign();
  await world.worker.send();
  await chain.mine(2);
  assert.equal((await world.compare()).amounts['open payouts'], -7n * unit);
  await world.worker.settle();
  const { amounts, report } = await world.compare();
  assert.deepEqual(amounts, { opening: 999_000n * unit });
  assert.equal(report.isCounting, false);
  await world.expectPaid(id);
});

test('what is settled before its block is final for all amounts is ahead of the block', async (t) => {
  const world = await makeTreasury(t, chain, { finality: { rule: 0, above: { amount: '500', rule: 5 } } });
  await chain.mine(5);
  await world.compare();
  await world.withdraw({ amount: '7' });
  await world.pay();
  for (let turn = 0; turn < 2; turn++) {
    const { amounts, unexplained } = await world.compare();
    assert.deepEqual([amounts['ahead of the block'], unexplained], [7n * unit, 0n]);
  }
  await chain.mine(5);
  assert.deepEqual((await world.compare()).amounts, { opening: 999_000n * unit });
});

test('what is open while the opening is made is named as from before', async (t) => {
  const world = await makeTreasury(t, chain);
  const { address } = await world.makeOwner();
  await world.watch();
  await chain.mint('USDC', address, 5n * unit);
  await world.withdraw({ amount: '7' });
  await world.worker.hold();
  await world.worker.sign();
  await world.worker.send();
  await chain.mine(2);
  await world.compare();
  await world.watch();
  await world.worker.settle();
  await world.compare();
  const { amounts, unexplained, shortfall } = await world.compare();
  assert.deepEqual(amounts, { opening: 998_998n * unit, 'from before the count': 2n * unit });
  assert.deepEqual([unexplained, shortfall], [0n, 0n]);
});

test('postings by hand and funding of the hot wallet are named', async (t) => {
  const world = await makeTreasury(t, chain);
  await world.compare();
  await makeFunds(world.harness, world.userId, 'polygon', 'USDC', '12.5');
  await chain.mint('USDC', world.wallet, 40n * unit);
  await chain.mine(2);
  const { amounts, unexplained, asset } = await world.compare();
  assert.deepEqual(amounts, {
    'hot wallet funding': 40n * unit,
    'manual postings': -12_500_000n,
    opening: 999_000n * unit,
  });
  assert.equal(unexplained, 0n);
  assert.match(
    asset.explanations.find(({ name }) => name === 'hot wallet funding')!.examples[0]!,
    /^0x\w{64}:\d+$/,
  );
});

test('a posting by hand that names its transfer matches it', async (t) => {
  const world = await makeTreasury(t, chain, { depositMinimums: new Map([['USDC', 10n * unit]]) });
  const { userId, address } = await world.makeOwner();
  await world.watch();
  await world.compare();
  const from = makeAddress();
  await chain.mint('USDC', from, unit);
  const transactionHash = await world.transfer(from, address, unit);
  await chain.mine(2);
  await world.watch();
  const [item] = (await world.compare()).asset.explanations.filter(({ name }) =>
    name.startsWith('transfers in'),
  );
  const posted = await world.operator('ledger.post', {
    key: 'a test',
    lines: [
      {
        userId,
        transactionType: 'buy',
        network: 'polygon',
        assetReceived: 'USDC',
        amountReceived: '1',
        description: 'By hand',
        transactionHash,
        logIndex: Number(item!.examples[0]!.split(':')[1]),
      },
    ],
  });
  assert.equal(posted.status, 200, JSON.stringify(posted.body));
  assert.deepEqual((await world.compare()).amounts, { opening: 999_000n * unit });
});

test('a transfer between two platform wallets credits the receiver only, which is a shortfall until it is corrected', async (t) => {
  const world = await makeTreasury(t, chain);
  const [one, other] = [await world.makeOwner(), await world.makeOwner()];
  await chain.mint('USDC', one.address, 5n * unit);
  await chain.mine(2);
  await world.watch();
  await world.compare();
  await world.transfer(one.address, other.address, 2n * unit);
  await chain.mine(2);
  assert.equal((await world.compare()).shortfall, 0n);
  await world.watch();
  const { amounts, shortfall, unexplained } = await world.compare();
  assert.equal(amounts['credits between own wallets'], -2n * unit);
  assert.deepEqual([shortfall, unexplained], [2n * unit, 0n]);
});

test('what is swept into the hot wallet, and a withdrawal to a user, change nothing', async (t) => {
  const world = await makeTreasury(t, chain);
  const { address } = await world.makeOwner();
  await chain.mint('USDC', address, 5n * unit);
  await chain.mine(2);
  await world.compare();
  await world.transfer(address, world.wallet, 3n * unit);
  await world.withdraw({ to: address, amount: '2' });
  await world.pay();
  const { held, amounts, unexplained } = await world.compare();
  assert.equal(held, 1_000_005n * unit);
  assert.deepEqual([amounts, unexplained], [{ opening: 999_005n * unit }, 0n]);
});

for (const owner of ['the hot wallet', 'a platform wallet']) {
  test(`an unknown transfer out of ${owner} is named, and a shortfall until an operator accepts it`, async (t) => {
    const world = await makeTreasury(t, chain);
    const { address } = await world.makeOwner();
    await chain.mint('USDC', address, 5n * unit);
    await chain.mine(2);
    await world.compare();
    const hash = await world.transfer(
      owner === 'the hot wallet' ? world.wallet : address,
      makeAddress(),
      3n * unit,
    );
    await chain.mine(2);
    const { amounts, shortfall, unexplained, asset } = await world.compare();
    assert.equal(amounts['unknown transfers out'], -3n * unit);
    assert.deepEqual([shortfall, unexplained], [3n * unit, 0n]);
    const unknown = asset.explanations.find(({ name }) => name === 'unknown transfers out')!;
    assert.ok(unknown.examples[0]!.startsWith(hash));
    assert.equal(await world.figure('shortfall'), 3);
    assert.equal((await world.operator('wallets.show')).body.wallets[0]?.haltedReason ?? null, null);

    const acceptance = { network: 'polygon', currency: 'USDC', reason: 'a test' };
    const other = await world.operator('treasury.accept', { ...acceptance, amount: '2' });
    assert.deepEqual([other.status, other.body.error], [409, 'The shortfall is 3']);
    assert.equal((await world.operator('treasury.accept', { ...acceptance, amount: '3' })).status, 200);
    const after = await world.compare();
    assert.deepEqual([after.shortfall, after.unexplained], [0n, 0n]);
    assert.equal(after.amounts['accepted by an operator'], -3n * unit);
  });
}

test('a balance that changes without a transfer is unexplained, halts the wallets, and goes on after accept and resume', async (t) => {
  const world = await makeTreasury(t, chain, { haltShortfall: '0' });
  await world.worker.sign();
  await world.compare();
  await world.setBalance(world.wallet, 999_990n * unit);
  await chain.mine(3);
  const { unexplained, shortfall } = await world.compare();
  assert.deepEqual([unexplained, shortfall], [-10n * unit, 10n * unit]);
  assert.equal(await world.figure('unexplained'), -10);
  const wallets = async () => (await world.operator('wallets.show')).body.wallets;
  const [halted] = await wallets();
  assert.match(
    halted.haltedReason,
    /lacks 10 USDC: see "The treasury does not match" in docs\/operating\.md/,
  );

  const asset = { network: 'polygon', currency: 'USDC' };
  assert.equal(
    (await world.operator('treasury.accept', { ...asset, amount: '10', reason: 'the bank paid' })).status,
    200,
  );
  const resumed = await world.operator('wallets.resume', { network: 'polygon', address: halted.address });
  assert.equal(resumed.status, 200, JSON.stringify(resumed.body));
  const after = await world.compare();
  assert.deepEqual([after.unexplained, after.shortfall], [0n, 0n]);
  assert.equal((await wallets())[0].haltedReason, null);
});

test('a shortfall up to RECONCILE_HALT_SHORTFALL halts nothing', async (t) => {
  const world = await makeTreasury(t, chain, { haltShortfall: '10' });
  await world.worker.sign();
  await world.compare();
  await world.setBalance(world.wallet, 999_990n * unit);
  await chain.mine(3);
  assert.equal((await world.compare()).shortfall, 10n * unit);
  assert.equal((await world.operator('wallets.show')).body.wallets[0]?.haltedReason ?? null, null);
});

test('a shortfall halts the wallets also while others are still to be counted', async (t) => {
  const proxy = await startProxy(t, chain.rpcUrl);
  const world = await makeTreasury(t, chain, { rpcUrls: [proxy.url], haltShortfall: '0' });
  await world.worker.sign();
  await world.compare();
  await world.setBalance(world.wallet, 999_990n * unit);
  await chain.mine(3);
  // Gas is read after balances: a wallet that is registered then is left to the next turn, of which a
  // comparison has 50.
  proxy.meddle = async ({ method }, forward) => {
    if (method === 'eth_getBalance') await world.makeOwner();
    return forward();
  };
  const { report, shortfall } = await world.compare();
  assert.deepEqual([report.isCounting, shortfall], [true, 10n * unit]);
  assert.match((await world.operator('wallets.show')).body.wallets[0].haltedReason, /lacks 10 USDC/);
});

test('a deposit in the ledger that the chain does not have is named, and a shortfall', async (t) => {
  const world = await makeTreasury(t, chain);
  const { userId } = await world.makeOwner();
  await world.compare();
  const transactionHash = `0x${randomBytes(32).toString('hex')}`;
  const place = { transactionHash, logIndex: 0, at: new Date() };
  await postDeposits(world.context(), [
    { userId, network: 'polygon', currency: 'USDC', amount: 4n * unit, ...place },
  ]);
  const { amounts, shortfall, unexplained } = await world.compare();
  assert.equal(amounts['credits without a transfer'], -4n * unit);
  assert.deepEqual([shortfall, unexplained], [4n * unit, 0n]);
});

test('a figure of the house that no posting explains is unexplained', async (t) => {
  const world = await makeTreasury(t, chain);
  await world.compare();
  await world.db.query(`insert into ledger_house values ('polygon', 'USDC', -1000000)
    on conflict (network, currency) do update set balance = ledger_house.balance - 1000000`);
  const { unexplained, shortfall } = await world.compare();
  assert.deepEqual([unexplained, shortfall], [-unit, unit]);
});

test('a posting that commits after one with a higher number is not missed', async (t) => {
  const world = await makeTreasury(t, chain);
  const { userId } = await world.makeOwner();
  await world.compare();
  const funds = { network: 'polygon', currency: 'USDC' };
  await world.db.transaction(async (db) => {
    await fundAccount(
      { ...world.harness.operatorContext(), db },
      { ...funds, userId: world.userId, amount: '3' },
    );
    // Without its audit row, which waits for the other transaction.
    const place = { transactionHash: `0x${randomBytes(32).toString('hex')}`, logIndex: 0, at: new Date() };
    await postDeposits(world.context(), [{ ...funds, userId, amount: 4n * unit, ...place }]);
    const { amounts, unexplained } = await world.compare();
    assert.deepEqual([amounts['manual postings'], unexplained], [undefined, 0n]);
    assert.equal(amounts['credits without a transfer'], -4n * unit);
  });
  const { amounts, unexplained } = await world.compare();
  assert.deepEqual([amounts['manual postings'], unexplained], [-3n * unit, 0n]);
});

test('nodes that are away or disagree: 503, and nothing is stored', async (t) => {
  const [one, other] = await Promise.all([startProxy(t, chain.rpcUrl), startProxy(t, chain.rpcUrl)]);
  const world = await makeTreasury(t, chain, { rpcUrls: [one.url, other.url], quorum: 2 });
  await world.compare();
  const stored = () => world.db.query('select * from treasury_networks');
  const before = await stored();
  await chain.mint('USDC', world.wallet, unit);
  await chain.mine(2);
  other.respond = (response) => response.destroy();
  const away = await world.operator('treasury.reconcile');
  assert.equal(away.status, 503);
  assert.match(away.body.error, /^polygon: Too few nodes/);
  other.respond = undefined;
  other.meddle = async ({ method, params }, forward) => {
    const isBalance = method === 'eth_call' && JSON.stringify(params).includes('70a08231');
    return isBalance ? `0x${'1'.padStart(64, '0')}` : forward();
  };
  const lying = await world.operator('treasury.reconcile');
  assert.deepEqual(
    [lying.status, lying.body.error],
    [503, 'polygon: Nothing was compared: the nodes have different balances'],
  );
  assert.deepEqual(await stored(), before);
  other.meddle = undefined;
  assert.equal((await world.compare()).amounts['hot wallet funding'], unit);
});

test('200: one network whose node is away does not hide the others, and is named', async (t) => {
  const world = await makeTreasury(t, chain);
  const away = { ...world.settings, network: 'base' as const, rpcUrls: ['http://127.0.0.1:1'] };
  const { run } = treasuryCommands.find(({ name }) => name === 'treasury.reconcile')!;
  const compare = (networks: NetworkSettings[], network?: string) =>
    run({ ...world.context(), evm: createEvm(networks) }, (network ? { network } : {}) as never);
  const answer = (await compare([away, world.settings])) as Record<string, unknown[]>;
  assert.deepEqual(answer.refused, [
    { network: 'base', error: 'base: Too few nodes of that network answer or agree: nothing was compared' },
  ]);
  assert.equal(answer.isExplained, false);
  const rows = answer.items as { network: string; what: string }[];
  assert.ok(rows.some(({ network, what }) => network === 'polygon' && what === 'held on chain'));
  assert.match(rows.at(-1)!.what, /^NOT COMPARED: base: /);
  await assert.rejects(compare([away, world.settings], 'base'), { code: 'nodes_away' });
  await assert.rejects(compare([away]), { code: 'nodes_away' });
});

test('a reorganisation below final blocks: 409 until an operator reopens', async (t) => {
  const world = await makeTreasury(t, chain);
  await chain.mine(1);
  await world.compare();
  await chain.reorg(4);
  const gone = await world.operator('treasury.reconcile', { network: 'polygon' });
  assert.equal(gone.status, 409);
  assert.match(gone.body.error, /treasury reopen/);
  assert.equal(
    (await world.operator('treasury.reopen', { network: 'polygon', reason: 'a test' })).status,
    200,
  );
  const { amounts, unexplained } = await world.compare();
  assert.deepEqual([Object.keys(amounts), unexplained], [['opening'], 0n]);
});

test('wallets that are registered, replaced or handed over with a balance are named', async (t) => {
  const world = await makeTreasury(t, chain);
  const owner = await world.makeOwner();
  await chain.mint('USDC', owner.address, 5n * unit);
  await chain.mine(2);
  await world.compare();
  const richer = makeAddress();
  await chain.mint('USDC', richer, 11n * unit);
  await chain.mine(2);
  await world.compare();
  // The one before stays ours: the platform has its keys.
  await world.makeOwner('platform', richer, owner.userId);
  const replaced = await world.compare();
  assert.equal(replaced.amounts['wallets counted later'], 11n * unit);
  assert.equal(replaced.held, 1_000_016n * unit);
  await world.makeOwner('self', richer, owner.userId);
  const handed = await world.compare();
  assert.equal(handed.amounts['wallets handed over'], -11n * unit);
  assert.deepEqual([handed.held, handed.unexplained], [1_000_005n * unit, 0n]);
});

test('the job compares when it is time, and leaves it when nodes are away', async (t) => {
  const proxy = await startProxy(t, chain.rpcUrl);
  const world = await makeTreasury(t, chain, { rpcUrls: [proxy.url] });
  const job = treasuryJobs.find(({ name }) => name === 'treasury.reconcile polygon')!;
  const readAt = async () => (await selectPosition(world.db, 'polygon'))?.reconciledAt.getTime();
  await job.run(world.worker.deps);
  const first = await readAt();
  assert.ok(first);
  for (const { name, read } of treasuryGauges) {
    assert.notDeepEqual(await read(world.worker.deps), [], name);
    assert.deepEqual(await read({ ...world.worker.deps, evm: new Map() }), [], `${name} without its network`);
  }
  world.worker.advance(590_000);
  await job.run(world.worker.deps);
  assert.equal(await readAt(), first);
  world.worker.advance(20_000);
  proxy.respond = (response) => response.destroy();
  await job.run(world.worker.deps);
  assert.equal(await readAt(), first);
  assert.ok(world.worker.lines.some(({ msg }) => msg === 'the treasury was not compared'));
  proxy.respond = undefined;
  await job.run(world.worker.deps);
  assert.ok((await readAt())! > first);
});

test('comparisons at the same time: each ends, and nothing is counted twice', async (t) => {
  const world = await makeTreasury(t, chain);
  await world.compare();
  await chain.mint('USDC', world.wallet, 3n * unit);
  await chain.mine(2);
  const both = await Promise.all([world.compare(), world.compare()]);
  for (const { amounts, unexplained } of both)
    assert.deepEqual([amounts['hot wallet funding'], unexplained], [3n * unit, 0n]);
});
