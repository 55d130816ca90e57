import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '#test/harness';
import { hiddenIn, linksIn, signIn, unescaped } from '#test/worlds/console';

const harness = useHarness();

async function storeComparison({ shortfall }: { shortfall: number }): Promise<void> {
  const { db } = harness.deps;
  await db.query('delete from treasury_networks');
  await db.query('delete from treasury_assets');
  await db.query('delete from treasury_totals');
  await db.query(
    `insert into treasury_networks (network, opening_block, opening_posting, opening_gas, opening_sent, block_number, block_hash,
       posting, is_counting, gas, sent, reconciled_at)
     values ('polygon', 1, 0, 0, 0, 4711, '0x', 0, false, 0, 0, now())`,
  );
  await db.query(
    `insert into treasury_assets (network, currency, chain, owed, shortfall) values ('polygon', 'USDT', 95000000, 100000000, $1)`,
    [shortfall],
  );
  await db.query(
    `insert into treasury_totals (network, currency, name, amount, count)
     values ('polygon', 'USDT', 'unknown transfers out', -5000000, 1)`,
  );
}

test('a shortfall is shown with its cause and what to do, and its command is filled in', async () => {
  const visitor = await signIn(harness, { role: 'treasury' });
  await storeComparison({ shortfall: 5_000_000 });
  const { status, body } = await visitor.get('/console/reconcile');
  assert.equal(status, 200);
  const text = unescaped(body);
  for (const part of ['block 4711', '>95<', '>100<', '>-5<', 'unknown transfers out', 'Less is on chain'])
    assert.ok(text.includes(part), part);
  const accept = linksIn(body).find((link) => link.includes('treasury.accept'))!;
  const form = await visitor.get(accept);
  assert.ok(form.body.includes('value="5"') && form.body.includes('value="USDT"'));
  const fields = { step: 'review', network: hiddenIn(body, 'network') };
  const review = await visitor.post('/console/commands/treasury.reconcile', fields);
  assert.ok(unescaped(review.body).includes('treasury reconcile') && review.body.includes('name="once"'));
});

test('without a difference there is nothing to do, and a viewer has no buttons', async () => {
  const viewer = await signIn(harness, { role: 'viewer' });
  await storeComparison({ shortfall: 0 });
  const { body } = await viewer.get('/console/reconcile');
  assert.ok(body.includes('Nothing to do: every difference is explained.'));
  assert.ok(!body.includes('treasury.reconcile') && !body.includes('treasury.reopen'));
  assert.ok(body.includes('Never compared.'), 'a network that is configured and was not compared');
  const portuguese = await viewer.get('/console/reconcile', { 'accept-language': 'pt' });
  assert.ok(unescaped(portuguese.body).includes('Conciliação'));
});

test('halts are shown, and if they cannot be read the page says so', async (t) => {
  const visitor = await signIn(harness);
  const { db } = harness.deps;
  await storeComparison({ shortfall: 0 });
  await db.query(
    `insert into payout_signers (network, address, next_nonce, created_at, halted_at, halted_reason)
     values ('polygon', $1, 0, now(), now(), 'a test')`,
    [`0x${'ab'.repeat(20)}`],
  );
  assert.ok(
    (await visitor.get('/console/reconcile')).body.includes('A hot wallet of this network is halted'),
  );
  await db.query('alter table deposit_cursors rename to hidden');
  t.after(() => db.query('alter table hidden rename to deposit_cursors'));
  assert.ok(unescaped((await visitor.get('/console/reconcile')).body).includes('Could not be read: Halts'));
});
