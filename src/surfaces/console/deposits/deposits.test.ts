import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeDeposit, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { linksIn, signIn, unescaped } from '#test/worlds/console';

const harness = useHarness();
const at = (day: number) => new Date(Date.UTC(2026, 2, day));

test('200 from the list, a user and a search to a deposit, with its line and its age in blocks', async () => {
  const visitor = await signIn(harness, { role: 'viewer' });
  const { id: userId } = await makeUser(harness);
  const { transactionHash } = await makeDeposit(harness, userId, { blockNumber: 900, at: at(1) });
  await makeDeposit(harness, (await makeUser(harness)).id, { blockNumber: 950, at: at(2) });
  const place = `/console/deposits/${transactionHash}`;
  const overview = await visitor.get('/console');
  assert.ok(linksIn(overview.body).includes('/console/deposits'));
  for (const path of [
    '/console/deposits',
    `/console/users/${userId}`,
    `/console/search?q=${transactionHash}`,
    `/console/commands/deposits.list?run=1&userId=${userId}`,
  ])
    assert.ok(linksIn((await visitor.get(path)).body).includes(place), path);
  const { body } = await visitor.get(place);
  assert.ok(body.includes('<h1>Deposit of 7.5 USDT</h1>'));
  assert.ok(body.includes(`<dt>Key in history</dt><dd><code>${transactionHash}:2</code>`));
  assert.ok(body.includes('<dt>Confirmations</dt><dd>51</dd>'), body);
  assert.ok(linksIn(body).includes(`/console/users/${userId}`));
  assert.ok(!linksIn(body).some((link) => link.includes('deposits.check')), 'a viewer may not check');
  const treasurer = await signIn(harness, { role: 'treasury' });
  const links = linksIn((await treasurer.get(place)).body);
  assert.ok(links.includes('/console/commands/deposits.check?network=polygon&fromBlock=900'));
});

test('200 filters keep their values over pages, and a wrong one is explained at its field', async () => {
  const visitor = await signIn(harness);
  const { id: userId } = await makeUser(harness);
  for (let day = 1; day <= 26; day++)
    await makeDeposit(harness, userId, {
      blockNumber: 2_000 + day,
      at: at(day),
      amount: BigInt(day) * 10n ** 6n,
    });
  const path = `/console/deposits?userId=${userId}&endDate=2026-03-26`;
  const { body } = await visitor.get(path);
  assert.equal(body.split('class="status good">to the ledger').length - 1, 25);
  assert.ok(body.includes('>26 USDT<') && !body.includes('>1 USDT<') && body.includes('value="2026-03-26"'));
  const next = linksIn(body).find((link) => link.includes('cursor='))!;
  assert.ok((await visitor.get(next)).body.includes('>1 USDT<'));
  const short = await visitor.get(
    `/console/deposits?userId=${userId}&startDate=2026-03-02&endDate=2026-03-03`,
  );
  assert.ok(
    short.body.includes('>2 USDT<') && short.body.includes('>3 USDT<') && !short.body.includes('>4 USDT<'),
  );
  const wrong = await visitor.get('/console/deposits?startDate=never');
  assert.equal(wrong.status, 400);
  assert.ok(unescaped(wrong.body).includes('startDate must be a year'));
  assert.ok(wrong.body.includes('aria-invalid="true"'));
});

test('200 a network that is halted or behind says so, with what the role may do', async () => {
  const { db } = harness.deps;
  await makeDeposit(harness, (await makeUser(harness)).id, { network: 'base' });
  await db.query(
    "update deposit_cursors set halted_at = now(), halted_reason = 'x' where network = 'polygon'",
  );
  await db.query(
    "update deposit_cursors set last_block_at = now() - interval '1 day' where network = 'base'",
  );
  const treasurer = await signIn(harness, { role: 'treasury' });
  const { body } = await treasurer.get('/console/deposits');
  assert.ok(body.includes('<span class="status bad">halted</span>'));
  assert.ok(body.includes('<span class="status fair">behind</span>'));
  assert.ok(linksIn(body).includes('/console/commands/deposits.resume?network=polygon'));
  const viewer = await signIn(harness, { role: 'viewer' });
  assert.ok(!linksIn((await viewer.get('/console/deposits')).body).some((link) => link.includes('resume')));
  const inPortuguese = await viewer.get('/console/deposits', { 'accept-language': 'pt-BR' });
  assert.ok(
    inPortuguese.body.includes('Até onde cada rede foi lida') && inPortuguese.body.includes('parada'),
  );
});

test('404 an unknown hash, and what is no hash', async () => {
  const visitor = await signIn(harness);
  for (const hash of [`0x${'00'.repeat(32)}`, 'x', '%25'])
    assert.equal((await visitor.get(`/console/deposits/${hash}`)).status, 404, hash);
});

test('303 a transaction with more deposits than a page shows leads to the list of them', async () => {
  const visitor = await signIn(harness, { role: 'viewer' });
  const { id: userId } = await makeUser(harness);
  const transactionHash = `0x${'5e'.repeat(32)}`;
  const place = `/console/deposits/${transactionHash}`;
  for (let logIndex = 0; logIndex < 25; logIndex++)
    await makeDeposit(harness, userId, { transactionHash, logIndex });
  assert.equal((await visitor.get(place)).status, 200);
  await makeDeposit(harness, userId, { transactionHash, logIndex: 25 });
  const { status, headers } = await visitor.get(place);
  assert.deepEqual(
    [status, headers.get('location')],
    [303, `/console/deposits?transactionHash=${transactionHash}`],
  );
});
