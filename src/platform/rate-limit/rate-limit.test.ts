import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { processFile } from '#test/bundle/process-file';
import { cloneDatabase, testLog } from '#test/harness';
import type { HammerOrder, HammerReport } from '#test/processes/hammer-limiter';
import { sized } from '#test/sizes';
import { createPool, type Db, type Pool } from '../db/db.ts';
import {
  createMemoryLimiter,
  createPostgresLimiter,
  type RateLimiter,
  type RatePolicy,
  type RateVerdict,
  rateHeaders,
  sweepRateLimits,
} from './index.ts';

const minuteMs = 60_000;
const mcp: RatePolicy = { name: 'mcp', quota: 60, windowMs: 10_000 };
// A window of minutes: on a loaded machine, a step of a test may take seconds.
const three: RatePolicy = { name: 'three', quota: 3, windowMs: 10 * minuteMs };

let databaseUrl: string;
let db: Pool;
const openPool = (connectionsMax: number) =>
  createPool({
    url: databaseUrl,
    connectionsMax,
    log: testLog(),
    connectTimeoutMs: minuteMs,
    lockTimeoutMs: minuteMs,
    statementTimeoutMs: 2 * minuteMs,
  });
before(async () => {
  databaseUrl = await cloneDatabase();
  db = openPool(10);
});
after(() => db.end());

let subjectsMade = 0;
const newSubject = () => `subject ${++subjectsMade}`;

interface Rig {
  limiter: RateLimiter;
  advance(ms: number): Promise<void>;
}

/** How long the steps of a case may take: a memory limiter's clock stands still, PostgreSQL's runs. */
const rigs: Record<string, { start(): Rig; slackMs: number }> = {
  memory: {
    slackMs: 0.001,
    start() {
      let nowMs = 1_000;
      return {
        limiter: createMemoryLimiter(() => nowMs),
        advance: async (ms) => {
          nowMs += ms;
        },
      };
    },
  },
  postgres: {
    slackMs: minuteMs,
    // PostgreSQL's clock cannot be moved, so what it wrote is moved into the past instead.
    start: () => ({ limiter: createPostgresLimiter(db), advance: (ms) => shiftHits(-ms) }),
  },
};

async function shiftHits(ms: number): Promise<void> {
  await db.query(
    `update rate_windows set expires_at = expires_at + $1::interval,
       hits = array(select h + $1::interval from unnest(hits) h order by h)`,
    [`${ms} milliseconds`],
  );
}

async function admitTimes(limiter: RateLimiter, policy: RatePolicy, subject: string, times: number) {
  const verdicts: RateVerdict[] = [];
  for (let time = 0; time < times; time++) verdicts.push(await limiter.admit(policy, subject));
  return verdicts;
}

const outcomes = (verdicts: RateVerdict[]) =>
  verdicts.map(({ admitted }) => (admitted ? 'admitted' : 'refused'));

for (const [store, { start, slackMs }] of Object.entries(rigs)) {
  const title = (what: string) => `${store}: ${what}`;

  test(title('the quota is admitted, counted down, and then refused'), async () => {
    const { limiter } = start();
    const verdicts = await admitTimes(limiter, three, newSubject(), 5);
    assert.deepEqual(outcomes(verdicts), ['admitted', 'admitted', 'admitted', 'refused', 'refused']);
    assert.deepEqual(
      verdicts.map(({ remaining }) => remaining),
      [2, 1, 0, 0, 0],
    );
  });

  test(title('a refused request does not count'), async () => {
    const { limiter, advance } = start();
    const subject = newSubject();
    await admitTimes(limiter, three, subject, 3);
    await advance(5 * minuteMs);
    assert.deepEqual(new Set(outcomes(await admitTimes(limiter, three, subject, 10))), new Set(['refused']));
    await advance(5 * minuteMs);
    assert.deepEqual(outcomes(await admitTimes(limiter, three, subject, 4)), [
      'admitted',
      'admitted',
      'admitted',
      'refused',
    ]);
  });

  test(title('one place comes free exactly when the oldest leaves, not before'), async () => {
    const { limiter, advance } = start();
    const subject = newSubject();
    await limiter.admit(three, subject);
    await advance(4 * minuteMs);
    await admitTimes(limiter, three, subject, 2);
    await advance(6 * minuteMs - slackMs);
    assert.deepEqual(outcomes(await admitTimes(limiter, three, subject, 1)), ['refused']);
    await advance(slackMs);
    assert.deepEqual(outcomes(await admitTimes(limiter, three, subject, 2)), ['admitted', 'refused']);
    await advance(4 * minuteMs);
    assert.deepEqual(outcomes(await admitTimes(limiter, three, subject, 3)), [
      'admitted',
      'admitted',
      'refused',
    ]);
  });

  test(title('resetMs is what is left until the oldest leaves, admitted or refused'), async () => {
    const { limiter, advance } = start();
    const subject = newSubject();
    const near = (actual: number, expected: number) => {
      assert.ok(actual <= expected && actual >= expected - slackMs, `${actual} is not about ${expected}`);
    };
    near((await limiter.admit(three, subject)).resetMs, 10 * minuteMs);
    await advance(3 * minuteMs);
    near((await limiter.admit(three, subject)).resetMs, 7 * minuteMs);
    near((await limiter.admit(three, subject)).resetMs, 7 * minuteMs);
    const refused = await limiter.admit(three, subject);
    near(refused.resetMs, 7 * minuteMs);
    await advance(refused.resetMs);
    assert.ok((await limiter.admit(three, subject)).admitted, 'a caller who waits for resetMs is admitted');
  });

  test(title('subjects and policies do not share an allowance'), async () => {
    const { limiter } = start();
    const [one, other] = [newSubject(), newSubject()];
    const sameButNamed = { ...three, name: 'other three' };
    await admitTimes(limiter, three, one, 4);
    assert.equal((await limiter.admit(three, other)).remaining, 2);
    assert.equal((await limiter.admit(sameButNamed, one)).remaining, 2);
    assert.equal((await limiter.admit(three, one)).admitted, false);
  });

  test(title('a subject that stays away for long starts with the whole quota'), async () => {
    const { limiter, advance } = start();
    const subject = newSubject();
    await admitTimes(limiter, three, subject, 4);
    await advance(86_400_000);
    const back = await limiter.admit(three, subject);
    assert.deepEqual([back.admitted, back.remaining], [true, 2]);
    assert.ok(back.resetMs > 10 * minuteMs - slackMs);
  });
}

test('headers: the policy, what remains, whole seconds rounded up, Retry-After only on a refusal', () => {
  assert.deepEqual(rateHeaders(mcp, { admitted: true, remaining: 12, resetMs: 3_001 }), {
    'ratelimit-policy': '"mcp";q=60;w=10',
    ratelimit: '"mcp";r=12;t=4',
  });
  assert.deepEqual(rateHeaders(mcp, { admitted: false, remaining: 0, resetMs: 4_000 }), {
    'ratelimit-policy': '"mcp";q=60;w=10',
    ratelimit: '"mcp";r=0;t=4',
    'retry-after': '4',
  });
  const almostFree = rateHeaders(mcp, { admitted: false, remaining: 0, resetMs: 0 });
  assert.equal(almostFree['retry-after'], '1', 'a refused client is never asked to retry at once');
});

test('memory: whatever the instants, a request is refused if and only if its window is full', async () => {
  const gap = fc.oneof(
    fc.constant(0),
    fc.double({ min: 0, max: 60, noNaN: true }),
    fc.integer({ min: 0, max: 200_000 }),
  );
  const call = fc.record({ gapMs: gap, subject: fc.constantFrom('a', 'b'), policyAt: fc.nat({ max: 1 }) });
  const policy = fc.record({
    quota: fc.integer({ min: 1, max: 4 }),
    windowMs: fc.integer({ min: 1, max: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.tuple(policy, policy), fc.array(call, { maxLength: 60 }), async (terms, calls) => {
      let nowMs = 0;
      const limiter = createMemoryLimiter(() => nowMs);
      const admittedAt: Record<string, number[]> = {};
      for (const { gapMs, subject, policyAt } of calls) {
        nowMs += gapMs;
        const policy = { name: `policy ${policyAt}`, ...terms[policyAt]! };
        const key = `${policyAt} ${subject}`;
        const all = admittedAt[key] ?? [];
        admittedAt[key] = all;
        const inWindow = all.filter((at) => at > nowMs - policy.windowMs);
        const verdict = await limiter.admit(policy, subject);
        assert.equal(verdict.admitted, inWindow.length < policy.quota);
        if (verdict.admitted) {
          all.push(nowMs);
          inWindow.push(nowMs);
        }
        assert.equal(verdict.remaining, policy.quota - inWindow.length);
        assert.equal(verdict.resetMs, inWindow[0]! + policy.windowMs - nowMs);
      }
    }),
    { numRuns: 500 },
  );
});

test('memory: very many other subjects neither free a place nor hold the process up', async () => {
  let nowMs = 0;
  const limiter = createMemoryLimiter(() => nowMs);
  const [full, half] = [newSubject(), newSubject()];
  await admitTimes(limiter, mcp, full, 60);
  await admitTimes(limiter, mcp, half, 30);
  const others = sized(200_000, 1_000_000);
  let slowestMs = 0;
  let newest: Promise<RateVerdict> | undefined;
  for (let other = 0; other < others; other++) {
    nowMs += 9_000 / others;
    newest = limiter.admit(mcp, `other ${other}`);
  }
  assert.equal((await newest)?.remaining, 59);
  assert.equal((await limiter.admit(mcp, full)).admitted, false);
  assert.equal((await limiter.admit(mcp, half)).remaining, 29);
  for (let windows = 0; windows < 4; windows++) {
    nowMs += mcp.windowMs;
    const before = process.cpuUsage();
    await limiter.admit(mcp, newSubject());
    const { user, system } = process.cpuUsage(before);
    slowestMs = Math.max(slowestMs, (user + system) / 1000);
  }
  assert.ok(slowestMs < 200, `forgetting ${others} empty windows took ${slowestMs} ms of CPU`);
  assert.equal((await limiter.admit(mcp, full)).remaining, 59);
});

/** Four processes of four connections each, on one subject. */
async function hammer(policy: RatePolicy, subject: string, durationMs: number, workers: ChildProcess[]) {
  const reports = await Promise.all(
    workers.map(async (worker) => {
      worker.send({ policy, subject, durationMs } satisfies HammerOrder);
      const [report] = (await once(worker, 'message')) as [HammerReport];
      return report;
    }),
  );
  const sum = (name: keyof HammerReport) => reports.reduce((total, report) => total + report[name], 0);
  return { admitted: sum('admitted'), refused: sum('refused') };
}

async function withFourProcesses(work: (workers: ChildProcess[]) => Promise<void>): Promise<void> {
  const script = processFile('test/processes/hammer-limiter.ts');
  const workers = Array.from({ length: 4 }, () => fork(script, [databaseUrl]));
  const exits = workers.map((worker) => once(worker, 'exit'));
  try {
    const failed = Promise.race(exits).then(() =>
      Promise.reject(new Error('a process ended before its time')),
    );
    await Promise.race([Promise.all(workers.map((worker) => once(worker, 'message'))), failed]);
    await Promise.race([work(workers), failed]);
  } finally {
    for (const worker of workers) if (worker.connected) worker.disconnect();
    await Promise.all(exits);
  }
}

/** Every answer by the database's own instant, noted by a trigger inside the answer's transaction. */
async function noteAnswers(): Promise<void> {
  await db.query(`create table if not exists answers
    (id bigint generated always as identity, policy text, subject text, admitted boolean, at timestamptz)`);
  await db.query(`create or replace function note_answer() returns trigger language plpgsql as $$
    begin
      insert into answers (policy, subject, admitted, at) values (new.policy, new.subject, new.admitted,
        case when new.admitted then new.hits[cardinality(new.hits)] else clock_timestamp() end);
      return null;
    end $$`);
  await db.query(`create or replace trigger note_answer after insert or update on rate_windows
    for each row execute function note_answer()`);
}

/** In the order in which they were given: the row's lock makes one. */
function answersTo(policy: RatePolicy, subject: string): Promise<{ admitted: boolean; ms: number }[]> {
  return db.query(
    `select admitted, (extract(epoch from at) * 1000)::float8 as ms from answers
     where policy = $1 and subject = $2 order by id`,
    [policy.name, subject],
  );
}

test('postgres: four processes on one subject never pass the quota in any window and leave no place unused', async () => {
  const short: RatePolicy = { name: 'short', quota: 12, windowMs: 1_500 };
  await noteAnswers();
  try {
    await withFourProcesses(async (workers) => {
      const subject = newSubject();
      const { admitted, refused } = await hammer(short, subject, 5_000, workers);
      const answers = await answersTo(short, subject);
      const at = answers.filter((answer) => answer.admitted).map(({ ms }) => ms);
      assert.equal(at.length, admitted, 'what the callers got is what was stored');
      assert.ok(
        admitted > short.quota && refused > admitted,
        `${admitted} and ${refused}: there was a crowd`,
      );
      for (const [place, instant] of at.entries()) {
        const before = at[place - short.quota];
        if (before === undefined) continue;
        const freeForMs = instant - before - short.windowMs;
        assert.ok(freeForMs >= 0, `admission ${place} came ${-freeForMs} ms too early`);
      }
      const hits: number[] = [];
      let wrong = 0;
      for (const answer of answers) {
        if (answer.admitted) hits.push(answer.ms);
        else if (answer.ms - (hits.at(-short.quota) ?? 0) - short.windowMs > 200) wrong += 1;
      }
      // The instant of a refusal is noted after it was decided, and a process can be held up in between.
      assert.ok(wrong * 50 < refused, `${wrong} of ${refused} were refused though a place was free`);

      const burst = await hammer(
        { ...short, name: 'burst', windowMs: 10 * minuteMs },
        subject,
        1_000,
        workers,
      );
      assert.equal(burst.admitted, short.quota, 'and another policy’s allowance at once');
    });
  } finally {
    await db.query('drop trigger note_answer on rate_windows');
  }
});

test('postgres: sixteen first requests of one subject at once: the quota and no more', async () => {
  const limiter = createPostgresLimiter(db);
  for (let round = 0; round < 30; round++) {
    const subject = newSubject();
    const verdicts = await Promise.all(Array.from({ length: 16 }, () => limiter.admit(three, subject)));
    assert.equal(verdicts.filter(({ admitted }) => admitted).length, 3);
    assert.deepEqual(
      verdicts
        .filter(({ admitted }) => admitted)
        .map(({ remaining }) => remaining)
        .sort(),
      [0, 1, 2],
    );
  }
});

test('postgres: the clock is read once the lock of the row is held, not when the request came', async () => {
  const limiter = createPostgresLimiter(db);
  const subject = newSubject();
  await limiter.admit(three, subject);
  let waiting: Promise<RateVerdict> | undefined;
  let releasedAt: Date | undefined;
  await db.transaction(async (held) => {
    await held.query('select from rate_windows where subject = $1 for update', [subject]);
    waiting = limiter.admit(three, subject);
    await untilSomebodyWaits();
    await sleep(50);
    const [row] = await held.query<{ at: Date }>('select clock_timestamp() as at');
    releasedAt = row!.at;
  });
  assert.ok((await waiting)?.admitted);
  const [row] = await db.query<{ last: Date }>(
    'select hits[2] as last from rate_windows where subject = $1',
    [subject],
  );
  assert.ok(row!.last >= releasedAt!, `${row!.last.toISOString()} is before ${releasedAt!.toISOString()}`);
});

async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const waiting = await db.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (waiting.length > 0) return;
    await sleep(5);
  }
}

test('postgres: a clock that leapt hours ahead and was set right locks nobody out for longer than a window', async () => {
  const limiter = createPostgresLimiter(db);
  const subject = newSubject();
  await admitTimes(limiter, three, subject, 2);
  await shiftHits(5 * 3_600_000);
  const [third, fourth] = await admitTimes(limiter, three, subject, 2);
  assert.deepEqual([third!.admitted, fourth!.admitted], [true, false], 'what was admitted still counts');
  assert.ok(fourth!.resetMs <= three.windowMs, `${fourth!.resetMs} ms`);
  await shiftHits(-three.windowMs);
  assert.deepEqual(outcomes(await admitTimes(limiter, three, subject, 4)), [
    'admitted',
    'admitted',
    'admitted',
    'refused',
  ]);
});

test('postgres: a clock set back by less than a window admits nobody early', async () => {
  const limiter = createPostgresLimiter(db);
  const subject = newSubject();
  await admitTimes(limiter, three, subject, 3);
  await shiftHits(4 * minuteMs);
  const refused = await limiter.admit(three, subject);
  assert.equal(refused.admitted, false);
  assert.ok(refused.resetMs > 9 * minuteMs && refused.resetMs <= 10 * minuteMs, `${refused.resetMs} ms`);
});

test('postgres: a release that lowers a quota answers with nothing left until the window is below it', async () => {
  const limiter = createPostgresLimiter(db);
  const subject = newSubject();
  await admitTimes(limiter, { ...three, quota: 4 }, subject, 2);
  await shiftHits(-5 * minuteMs);
  await admitTimes(limiter, { ...three, quota: 4 }, subject, 2);
  const { admitted, remaining, resetMs } = await limiter.admit({ ...three, quota: 2 }, subject);
  assert.deepEqual({ admitted, remaining }, { admitted: false, remaining: 0 });
  assert.ok(
    resetMs > 9 * minuteMs,
    `two must leave before one more may come, and the next goes in ${resetMs} ms`,
  );
});

test('postgres: an update stays on its page and touches no index', async () => {
  const one = openPool(1);
  const readCounts = async () => {
    // A session hands its counts over when it has been idle for a while; this asks for it now.
    await one.query('select pg_stat_force_next_flush()');
    const [row] = await one.query<{ updated: bigint; hot: bigint }>(
      `select n_tup_upd as updated, n_tup_hot_upd as hot from pg_stat_user_tables where relname = 'rate_windows'`,
    );
    return row!;
  };
  try {
    const before = await readCounts();
    const limiter = createPostgresLimiter(one);
    for (const subject of [newSubject(), newSubject()]) await admitTimes(limiter, mcp, subject, 101);
    const after = await readCounts();
    const [updated, hot] = [Number(after.updated - before.updated), Number(after.hot - before.hot)];
    assert.equal(updated, 200);
    assert.ok(hot >= 180, `${hot} of ${updated} updates were made within their page`);
  } finally {
    await one.end();
  }
});

test('postgres: very many other subjects change no verdict and no cost, and a sweep removes only empty windows', async () => {
  const limiter = createPostgresLimiter(db);
  const others = sized(100_000, 1_000_000);
  // Long enough that nothing leaves while the test runs.
  const policy = { ...mcp, windowMs: 60_000 };
  await db.query('truncate rate_windows');
  await limiter.admit(policy, newSubject());
  await shiftHits(-3_600_000);
  await db.query(
    `insert into rate_windows (policy, subject, hits, admitted, expires_at)
     select 'mcp', 'other ' || n, array[t.at], true, t.at + interval '10 seconds'
     from generate_series(1, ${others}) n,
       lateral (select now() + case when n % 2 = 0 then interval '1 hour' else interval '-1 hour' end as at) t`,
  );
  const [full, half] = [newSubject(), newSubject()];
  await admitTimes(limiter, policy, half, 30);
  await admitTimes(limiter, policy, full, 60);
  assert.equal((await limiter.admit(policy, full)).admitted, false);
  assert.equal((await limiter.admit(policy, half)).remaining, 29);
  assert.equal((await limiter.admit(policy, newSubject())).remaining, 59);

  const plan = await explainAdmission(full);
  assert.match(JSON.stringify(plan), /"Conflict Arbiter Indexes":\["rate_windows_pkey"\]/);
  assert.doesNotMatch(JSON.stringify(plan), /Seq Scan/);
  assert.ok(
    plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] < 30,
    'a few pages of a table of thousands',
  );

  const countRows = async () =>
    Number((await db.query<{ n: bigint }>('select count(*) as n from rate_windows'))[0]!.n);
  for (let sweeps = 0; sweeps < 3; sweeps++) await sweepRateLimits(db);
  assert.equal(await countRows(), others / 2 + 3, 'all empty windows are gone, in bounded statements');
  await sweepRateLimits(db);
  assert.equal(await countRows(), others / 2 + 3, 'and nothing else');
  assert.equal((await limiter.admit(policy, full)).admitted, false);
});

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/** The plan of the limiter's own statement, run for real. */
async function explainAdmission(subject: string): Promise<Plan> {
  let plan: Plan | undefined;
  const explaining: Db = {
    transaction: (work) => db.transaction(work),
    async query(text, values) {
      const [row] = await db.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `explain (analyze, buffers, format json) ${text}`,
        values,
      );
      plan = row!['QUERY PLAN'][0]!.Plan;
      return [{ admitted: false, remaining: 0, reset_ms: 0 }] as never;
    },
  };
  await createPostgresLimiter(explaining).admit(mcp, subject);
  return plan!;
}
