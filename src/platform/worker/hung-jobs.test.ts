import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { processFile } from '#test/bundle/process-file';
import { useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { createLog } from '../observe/log.ts';
import { runJobs } from './jobs.ts';

const harness = useHarness();
const query = (text: string) => harness.deps.db.query(text);
const makeTable = () => query('create table if not exists job_rows (by text not null)');

const countOf = async (by: string) =>
  Number((await query(`select count(*) as count from job_rows where by = '${by}'`))[0]!.count);

const metric = async (name: string, labels: string) => {
  const text = await harness.deps.metrics.registry.getSingleMetricAsString(name);
  return Number(text.split(`{${labels}} `)[1]?.split('\n')[0] ?? Number.NaN);
};

test('another worker takes over the job of a frozen one, which commits nothing more when it wakes', async (t) => {
  await makeTable();
  const leaseMs = 1_500;
  const script = processFile('test/processes/leased-job.ts');
  const child = fork(script, [harness.databaseUrl, String(leaseMs)]);
  t.after(() => child.kill('SIGKILL'));
  await waitUntil('the child has the job', async () => (await countOf('child')) > 0);
  let takenOver = 0;
  let childRows = 0;
  const worker = runJobs(
    [
      {
        name: 'frozen',
        everyMs: 50,
        run: async ({ db }) => {
          if (takenOver === 0) childRows = await countOf('child');
          await db.query(`insert into job_rows (by) values ('parent')`);
          takenOver += 1;
        },
      },
    ],
    harness.deps,
    { leaseMs, turnMsMax: 60_000 },
  );
  t.after(() => worker.stop());
  child.kill('SIGSTOP');
  await waitUntil('the job is taken over', () => takenOver > 0);
  const report = once(child, 'message');
  child.kill('SIGCONT');
  const [outcomes] = await report;
  // Failed where it froze within a transaction for so long that the database ended it.
  assert.match(outcomes.join(), /^(?:lost|failed)$/);
  assert.equal(await countOf('child'), childRows, 'nothing of the child’s after it was taken over');
});

test('a job that hangs is reported and ended, with its transaction; the next turn does its work', async (t) => {
  await makeTable();
  const lines: { level: string; job?: string; msg: string }[] = [];
  const log = createLog({ level: 'error', destination: { write: (line) => lines.push(JSON.parse(line)) } });
  for (const isShared of [true, undefined]) {
    const name = isShared ? 'hangs shared' : 'hangs';
    let turns = 0;
    let late: Promise<unknown> | undefined;
    const worker = runJobs(
      [
        {
          name,
          everyMs: 20,
          ...(isShared && { isShared }),
          run: async ({ db }) => {
            turns += 1;
            if (turns > 1) return void (await db.query('select id from audit_heads for update nowait'));
            await db.transaction(async (tx) => {
              await tx.query('select id from audit_heads for update');
              await new Promise((resolve) => setTimeout(resolve, 4_000));
              late = tx.query(`insert into job_rows (by) values ('late')`);
              await late;
            });
          },
        },
      ],
      { ...harness.deps, log },
      { leaseMs: 1_000, turnMsMax: 500 },
    );
    t.after(() => worker.stop());
    await waitUntil(
      'a turn succeeds',
      async () => (await metric('causeway_job_runs_total', `job_name="${name}",outcome="done"`)) > 0,
    );
    assert.equal(await metric('causeway_job_runs_total', `job_name="${name}",outcome="hung"`), 1);
    const reported = lines.filter(({ job, msg }) => job === name && /hung and was ended/.test(msg));
    assert.equal(reported.length, 1);
    await waitUntil('the hung turn wakes', () => late !== undefined);
    await assert.rejects(late!);
    assert.equal(await countOf('late'), 0);
    await worker.stop();
  }
});

test('start, interval and last success of each job are in /metrics, and 0 for a job without a success', async (t) => {
  const worker = runJobs(
    [
      { name: 'succeeds', everyMs: 20, run: async () => {} },
      { name: 'fails', everyMs: 20, run: () => Promise.reject(new Error('a fault')) },
    ],
    harness.deps,
  );
  t.after(() => worker.stop());
  const last = (job: string) => metric('causeway_job_last_success_timestamp_seconds', `job_name="${job}"`);
  await waitUntil('both had a turn', async () => (await last('succeeds')) > 0 && (await last('fails')) === 0);
  assert.ok(Math.abs((await last('succeeds')) - Date.now() / 1_000) < 600);
  assert.equal(await metric('causeway_job_interval_seconds', 'job_name="fails"'), 0.02);
  const start = await metric('causeway_job_start_timestamp_seconds', 'job_name="fails"');
  assert.ok(Math.abs(start - Date.now() / 1_000) < 600);
});
