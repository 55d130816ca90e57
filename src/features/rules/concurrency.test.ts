import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { processFile } from '#test/bundle/process-file';
import { makeKey } from '#test/data/factories';
import { useHarness } from '#test/harness';
import type { RulesOrder, RulesReport } from '#test/processes/hammer-rules';
import { sized } from '#test/sizes';
import { publish } from '#test/worlds/rules';
import type { Rule } from './wire.ts';

const processes = 4;
const connections = sized(4, 16);
const tries = sized(1_200, 20_000);

const harness = useHarness();
let hammers: ChildProcess[] = [];
before(async () => {
  const file = processFile('test/processes/hammer-rules.ts');
  hammers = Array.from({ length: processes }, () => fork(file, [harness.databaseUrl, String(connections)]));
  await Promise.all(hammers.map((hammer) => once(hammer, 'message')));
});
after(() => {
  for (const hammer of hammers) hammer.disconnect();
});

const everything: Rule = { name: 'Everything', verdict: 'allow' };

/** Three users of one partner, whose payments all add to its sum. */
async function makePayers(): Promise<Pick<RulesOrder, 'partnerId' | 'keyIds' | 'userIds'>> {
  const key = await makeKey(harness);
  const others = [
    await makeKey(harness, { partnerId: key.partnerId }),
    await makeKey(harness, { partnerId: key.partnerId }),
  ];
  return {
    partnerId: key.partnerId,
    keyIds: [key, ...others].map(({ id }) => id),
    userIds: [key, ...others].map(({ userId }) => userId),
  };
}

async function hammer(order: Omit<RulesOrder, 'tries' | 'together'>, together = 1): Promise<RulesReport> {
  const each = { ...order, tries: tries / processes, together };
  const reports = await Promise.all(
    hammers.map(async (one) => {
      one.send(each);
      const [report] = (await Promise.race([
        once(one, 'message'),
        once(one, 'exit').then(([code]) => assert.fail(`a process ended with ${code}`)),
      ])) as [RulesReport];
      return report;
    }),
  );
  return reports.reduce((sum, one) => ({
    admitted: sum.admitted + one.admitted,
    denied: sum.denied + one.denied,
  }));
}

const perPartner = (over: string): Rule => ({
  name: 'Limit',
  verdict: 'deny',
  sum: { over, window: 'day', per: 'partner' },
});

test('tries of several processes get exactly the limit, never more, and not fewer', async () => {
  const payers = await makePayers();
  const room = Math.floor(tries / 4);
  await publish(harness, [everything, perPartner(String(room))]);
  const { admitted, denied } = await hammer({ ...payers, amounts: [1] });
  assert.deepEqual([admitted, denied], [room, tries - room]);
});

test('payments of unlike amounts, under limits of the partner and of each user: each is used up exactly', async () => {
  const payers = await makePayers();
  const perUser: Rule = {
    name: 'Of a user',
    verdict: 'deny',
    sum: { over: '97', window: 'hour', per: 'user' },
  };
  await publish(harness, [everything, perPartner('200'), perUser]);
  await hammer({ ...payers, amounts: [1, 1, 2, 3, 5, 7] });
  const rows = await harness.deps.db.query<{ subject: string; total: number }>(
    `select subject, (total / 10 ^ 18::numeric)::integer as total from rule_counters where subject = any($1::text[]) order by 2 desc`,
    [[payers.partnerId, ...payers.userIds].map((id) => `USDC ${id}`)],
  );
  const totals = new Map(rows.map(({ subject, total }) => [subject.slice(5), total]));
  assert.equal(totals.get(payers.partnerId), 200);
  const ofUsers = payers.userIds.map((id) => totals.get(id) ?? 0);
  assert.ok(
    ofUsers.every((total) => total <= 97),
    String(ofUsers),
  );
  assert.equal(
    ofUsers.reduce((sum, one) => sum + one),
    200,
  );
});

test('payments that are stored together lock in one order: no deadlock', async () => {
  const payers = await makePayers();
  const per = (per: 'partner' | 'user' | 'key' | 'destination'): Rule => ({
    name: per,
    verdict: 'deny',
    sum: { over: String(tries), window: 'day', per },
  });
  await publish(harness, [everything, per('user'), per('destination'), per('key'), per('partner')]);
  const countDeadlocks = async () => {
    const [row] = await harness.deps.db.query<{ count: bigint }>(
      'select deadlocks as count from pg_stat_database where datname = current_database()',
    );
    return row!.count;
  };
  const before = await countDeadlocks();
  const { admitted, denied } = await hammer({ ...payers, amounts: [1] }, 7);
  assert.deepEqual([admitted, denied], [tries, 0]);
  const [sum] = await harness.deps.db.query<{ total: number }>(
    'select (total / 10 ^ 18::numeric)::integer as total from rule_counters where subject = $1',
    [`USDC ${payers.partnerId}`],
  );
  assert.equal(sum!.total, tries);
  // Servers report their counts within a second.
  await sleep(1_500);
  assert.equal(await countDeadlocks(), before);
});

test('a window that rolls admits in any of its positions what is allowed, and no more', async () => {
  const payers = await makePayers();
  await publish(harness, [everything, perPartner('10')]);
  // No window of the product is this short.
  const windowMs = 300;
  await harness.deps.db.query('update rules set sum_window = $1 where sum_window is not null', [
    `${windowMs} milliseconds`,
  ]);
  const startedAt = performance.now();
  const { admitted } = await hammer({ ...payers, amounts: [1] });
  const tookMs = performance.now() - startedAt;
  const rows = await harness.deps.db.query<{ us: bigint }>(
    `select (extract(epoch from s.at) * 1000000)::bigint as us from rule_spends s join rule_counters c on c.id = s.counter_id
     where c.subject = $1 order by s.at`,
    [`USDC ${payers.partnerId}`],
  );
  const at = rows.map(({ us }) => Number(us));
  assert.equal(at.length, admitted);
  assert.ok(admitted > 10, 'the window never moved');
  for (let n = 10; n < at.length; n += 1) {
    assert.ok(at[n]! - at[n - 10]! >= windowMs * 1000, `eleven payments in ${at[n]! - at[n - 10]!} µs`);
  }
  const most = 10 * (Math.floor(tookMs / windowMs) + 1);
  assert.ok(admitted <= most, `${admitted} of at most ${most}`);
});

test('publications while payments are made lose no payment of a sum', async () => {
  const payers = await makePayers();
  const room = Math.floor(tries / 2);
  await publish(harness, [everything, perPartner(String(room))]);
  let isOver = false;
  const publishing = (async () => {
    for (let n = 0; !isOver; n += 1) {
      // Another selection each time, filled from the payments so far; the limit of the partner goes on.
      const fresh: Rule = {
        name: 'Fresh',
        verdict: 'deny',
        amount: { over: `0.${'0'.repeat(n % 17)}1` },
        sum: { over: String(room), window: 'day', per: 'partner' },
      };
      const startedAt = performance.now();
      await publish(harness, n % 2 === 0 ? [everything, fresh] : [everything, perPartner(String(room))]);
      // As long as it took: creations for one user wait for each other, and must get their turn.
      await sleep(Math.max(1_000, performance.now() - startedAt));
    }
  })();
  const { admitted } = await hammer({ ...payers, amounts: [1] });
  isOver = true;
  await publishing;
  assert.equal(admitted, room);
});
