import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { networksWithoutNodes, useHarness } from '#test/harness';
import { signIn, unescaped } from '#test/worlds/console';

/** Accepts connections and never answers. */
const open = new Set<Socket>();
const node = createServer((socket) => open.add(socket.on('error', () => {})));

const harness = useHarness(async () => {
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  const { port } = node.address() as { port: number };
  const rpcUrls = [`http://127.0.0.1:${port}`];
  return { networks: networksWithoutNodes().map((network) => ({ ...network, rpcUrls })) };
});

after(() => {
  for (const socket of open) socket.destroy();
  node.close();
});

test('a node that hangs: many overviews and the wallets open quickly, say so, and leave room for commands', async () => {
  const visitor = await signIn(harness);
  await harness.deps.db.query(
    'insert into payout_wallets (network, address, updated_at) values ($1, $2, $3)',
    ['polygon', `0x${'ab'.repeat(20)}`, new Date()],
  );
  const startedAt = performance.now();
  const pages = await Promise.all(Array.from({ length: 12 }, () => visitor.get('/console')));
  for (const { status, body } of pages) {
    assert.equal(status, 200);
    assert.ok(unescaped(body).includes('Balances could not be read'));
  }
  const wallets = await visitor.get('/console/wallets');
  assert.equal(wallets.status, 200);
  assert.ok(unescaped(wallets.body).includes('Balances could not be read'));
  assert.equal((await harness.operator('partners.list')).status, 200);
  const ms = performance.now() - startedAt;
  assert.ok(ms < 4_000, `${ms} ms`);
});
