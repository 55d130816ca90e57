import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEvm } from '#adapters/evm';
import { tracePool } from '#platform/db/trace-pool';
import { traceJobs } from '#platform/observe/traces/trace-runs';
import { createTraces, type Traces } from '#platform/observe/traces/traces';
import { attributeOf, startTraceReceiver } from '#test/outside/trace-receiver';
import { networksWithoutNodes, testLog, useHarness } from './harness.ts';

const harness = useHarness();

/** What `work` exported. */
async function record(work: (traces: Traces) => Promise<unknown>) {
  const receiver = await startTraceReceiver();
  const traces = createTraces({ endpoint: receiver.url, log: testLog(), onDrop: () => undefined });
  await work(traces);
  await traces.stop();
  await receiver.stop();
  return receiver;
}

test('each turn of a job is a trace with its statements and calls to nodes', async () => {
  const receiver = await record(async (traces) => {
    const db = tracePool(harness.deps.db, traces);
    const evm = createEvm(networksWithoutNodes(), undefined, traces);
    const run = async () => {
      await db.query(`select 'hidden-word', $1::text`, ['hidden-value']);
      const { node } = evm.get('polygon')!;
      await node
        .pick()
        .call('eth_call', ['hidden-value'])
        .catch(() => undefined);
      await node.pick().batch([
        { method: 'eth_getLogs', params: [] },
        { method: 'eth_getLogs', params: [] },
      ]);
      return 1;
    };
    const [job] = traceJobs([{ name: 'test.count', everyMs: 1, run }], traces);
    assert.equal(await job!.run(), 1);
    await job!.run();
  });
  const roots = receiver.spans().filter(({ name }) => name === 'job test.count');
  assert.equal(new Set(roots.map(({ traceId }) => traceId)).size, 2);
  const [statement, call, batch] = receiver.childrenOf(roots[0]!);
  assert.equal(statement!.name, 'select ?, $1::text');
  assert.deepEqual([call!.name, call!.status], ['polygon eth_call', { code: 2 }]);
  assert.deepEqual([batch!.name, attributeOf(batch!, 'rpc.calls')], ['polygon eth_getLogs', '2']);
  assert.ok(receiver.received.every(({ body }) => !body.includes('hidden')));
});

test('a job that fails fails as before, and its span says so', async () => {
  const fault = new RangeError('too far');
  const receiver = await record(async (traces) => {
    const run = () => Promise.reject(fault);
    const [job] = traceJobs([{ name: 'test.fail', everyMs: 1, run }], traces);
    await assert.rejects(job!.run(), fault);
  });
  assert.equal(attributeOf(receiver.spans()[0]!, 'error.type'), 'RangeError');
});

test('statements of a transaction are below it; what no span runs is not recorded', async () => {
  const receiver = await record(async (traces) => {
    const db = tracePool(harness.deps.db, traces);
    await db.query('select 1');
    await db.transaction((tx) => tx.query('select 2'));
    await traces.inNewTrace('work', {}, async () => {
      await db.transaction((tx) => tx.transaction((inner) => inner.query('select 3')));
      await db.onConnection((own) => own.query('select 4'));
      await assert.rejects(db.query('select 1/0'));
    });
  });
  const root = receiver.spans().find(({ name }) => name === 'work')!;
  const [transaction, alone, failed] = receiver.childrenOf(root);
  assert.deepEqual(
    receiver.childrenOf(transaction!).map(({ name }) => name),
    ['select 3'],
  );
  assert.equal(alone!.name, 'select 4');
  assert.equal(attributeOf(failed!, 'error.type'), '22012');
  assert.equal(receiver.spans().length, 5);
});

test('loaders batch across requests as without traces: reading() is the pool', async () => {
  await record(async (traces) => {
    const db = tracePool(harness.deps.db, traces);
    assert.equal(db.reading(), db);
  });
});
