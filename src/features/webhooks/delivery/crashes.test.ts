import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSealer } from '#platform/secrets/seal';
import { processFile } from '#test/bundle/process-file';
import { noteSecret, testFolder } from '#test/harness';
import type { WebhookOrders } from '#test/processes/webhook-worker';
import { waitUntil } from '#test/wait-until';
import { useWebhooks } from '#test/worlds/webhook';
import { openKeys, sealKeys } from './seal-keys.ts';

const { world, createEndpoint, makeSteps, startDelivering, arrived, allAre, deliveries, drain } =
  useWebhooks();
const { harness } = world;
const workerFile = processFile('test/processes/webhook-worker.ts');
const encryptionKey = noteSecret(randomBytes(32).toString('base64'));
const sealer = createSealer(new Map([[9, Buffer.from(encryptionKey, 'base64')]]));

/** Seals an endpoint's keys for the worker processes, which have another encryption key. */
async function sealForWorkers(id: string): Promise<void> {
  const { db } = harness.deps;
  const [row] = await db.query('select secret from webhook_endpoints where id = $1', [id]);
  const keys = openKeys(harness.deps.sealer, id, row!.secret as Buffer);
  await db.query('update webhook_endpoints set secret = $2 where id = $1', [id, sealKeys(sealer, id, keys)]);
}

function startWorker(t: TestContext, claimMs: number) {
  const child = spawn(process.execPath, ['--no-warnings', workerFile], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const logFile = path.join(testFolder(), 'causeway.log');
  const orders: WebhookOrders = { databaseUrl: harness.databaseUrl, logFile, encryptionKey, claimMs };
  child.stdin.write(`${JSON.stringify(orders)}\n`);
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  return {
    kill: () => {
      child.kill('SIGKILL');
      return exited;
    },
  };
}

const distinctIds = () => new Set(world.receiver.received.map(({ event }) => event.id)).size;

test('a worker that is killed while it sends holds nothing: another one sends again what it had', async (t) => {
  const { id } = await createEndpoint();
  await sealForWorkers(id);
  world.receiver.answer = () => undefined;
  await makeSteps(Array.from({ length: 12 }, (_, at) => `r${at}`));
  const worker = startWorker(t, 2_000);
  await arrived(10);
  await worker.kill();
  assert.ok((await deliveries(id)).every(({ status, attempts }) => status === 'due' && attempts === 0));
  world.receiver.answer = (_request, response) => void response.writeHead(204).end();
  startDelivering({}, { ...harness.deps, sealer });
  await allAre('delivered', id, 12);
  assert.equal(distinctIds(), 12);
});

test('workers that are killed again and again lose nothing', async (t) => {
  const { id } = await createEndpoint();
  await sealForWorkers(id);
  world.receiver.answer = (_request, response) =>
    void setTimeout(() => response.writeHead(Math.random() < 0.3 ? 500 : 204).end(), 10);
  await makeSteps(Array.from({ length: 150 }, (_, at) => `r${at}`));
  for (let killed = 0; killed < 5; killed++) {
    const before = world.receiver.received.length;
    const worker = startWorker(t, 1_000);
    await waitUntil('it sends', () => world.receiver.received.length > before + 5);
    await worker.kill();
  }
  startDelivering({}, { ...harness.deps, sealer });
  await drain();
  await allAre('delivered', id, 150);
  assert.equal(distinctIds(), 150);
});

test('a worker that stops returns what was not answered, and another one sends it at once', async () => {
  const { id } = await createEndpoint();
  world.receiver.answer = () => undefined;
  await makeSteps(['one', 'two']);
  const stopping = startDelivering({ claimMs: 86_400_000 });
  await arrived(2);
  await stopping.stop();
  const rows = await harness.deps.db.query(
    'select attempts, claimed_until from webhook_deliveries where endpoint_id = $1',
    [id],
  );
  assert.deepEqual(rows, Array(2).fill({ attempts: 0, claimed_until: null }));
  world.receiver.answer = (_request, response) => void response.writeHead(204).end();
  startDelivering();
  await allAre('delivered', id, 2);
});

test('a worker that stops stores what is answered meanwhile', async () => {
  const { id } = await createEndpoint();
  world.receiver.answer = (_request, response) => void setTimeout(() => response.writeHead(204).end(), 300);
  await makeSteps(['one', 'two']);
  const stopping = startDelivering();
  await arrived(2);
  await stopping.stop();
  assert.ok((await deliveries(id)).every(({ status }) => status === 'delivered'));
  assert.equal(world.receiver.received.length, 2);
});

/** Statements with this word fail while `isAway` is set, as they do when the database restarts. */
function losingDb(word: string) {
  const state = { isAway: true, refused: 0 };
  const { db } = harness.deps;
  const query: typeof db.query = (text, values) => {
    if (!state.isAway || !text.includes(word)) return db.query(text, values);
    state.refused += 1;
    return Promise.reject(new Error('the connection was lost'));
  };
  return { state, db: { ...db, query } };
}

test('outcomes that cannot be stored while the database is away are stored later, without a second request', async () => {
  const { id } = await createEndpoint();
  const { state, db } = losingDb('webhook_attempts');
  await makeSteps(['one', 'two', 'three']);
  startDelivering({}, { ...harness.deps, db });
  await arrived(3);
  await waitUntil('it tried to store', () => state.refused >= 2);
  state.isAway = false;
  await allAre('delivered', id, 3);
  assert.equal(world.receiver.received.length, 3);
});

test('a worker that stops while the database is away ends, and what it sent is sent again', async () => {
  const { id } = await createEndpoint();
  const { state, db } = losingDb('webhook_attempts');
  await makeSteps(['one']);
  const stopping = startDelivering({}, { ...harness.deps, db });
  await arrived(1);
  await waitUntil('it tried to store', () => state.refused >= 1);
  await stopping.stop();
  startDelivering();
  await allAre('delivered', id, 1);
  assert.equal(distinctIds(), 1);
});

test('a worker that cannot claim for a moment goes on later', async () => {
  const { id } = await createEndpoint();
  const { state, db } = losingDb('with recursive waiting');
  await makeSteps(['one']);
  startDelivering({}, { ...harness.deps, db });
  await waitUntil('it tried to claim', () => state.refused >= 2);
  state.isAway = false;
  await allAre('delivered', id, 1);
});

test('a delivery whose claim ended is sent by another worker, and a late success still counts', async () => {
  const { id } = await createEndpoint();
  const late: (() => void)[] = [];
  world.receiver.answer = (_request, response) => void late.push(() => response.writeHead(204).end());
  await makeSteps(['one']);
  startDelivering({ claimMs: 60_000 });
  await arrived(1);
  harness.advance(61_000);
  startDelivering({ claimMs: 3_600_000 });
  await arrived(2);
  late[0]!();
  await allAre('delivered', id, 1);
  for (const answer of late.slice(1)) answer();
  await drain();
  assert.equal((await deliveries(id))[0]!.attempts, 1);
});
