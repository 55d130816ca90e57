import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IssuedKey } from '#features/keys';
import { makeAddress, makeKey, makeUser } from '#test/data/factories';
import { lockRows } from '#test/database/lock-rows';
import { noteSecret, useHarness } from '#test/harness';
import { operatorNamed, publish } from '#test/worlds/rules';
import { addAddress, removeAddress } from './addresses/change-book.ts';
import { draftRules } from './draft-rules.ts';
import { publishRules } from './publish-rules.ts';
import { replayRules } from './replay-rules.ts';
import type { Rule } from './wire.ts';

const harness = useHarness();
const everything: Rule = { name: 'Everything', verdict: 'allow' };

afterEach(async () => {
  await publish(harness, []);
});

const pay = (key: IssuedKey, fields: object = {}, userId = key.userId) =>
  harness.request('POST', `/api/crypto/${userId}/withdraw`, {
    token: key.token,
    body: { amount: '1', to: makeAddress(), ...fields },
  });

/** The statuses of payments, one after another. */
async function statusesOf(key: IssuedKey, ...payments: object[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const fields of payments) statuses.push((await pay(key, fields)).status);
  return statuses;
}

const denialOf = async (key: IssuedKey, fields: object = {}) => {
  const { status, body } = await pay(key, fields);
  return [status, body.error, body.code, body.details?.[0].message];
};

const forbidden = 'Forbidden: the rules for withdrawals deny it';
const denied = (rule: string) => [403, forbidden, 'denied_by_rule', `The rule “${rule}” denies it`];

test('without rules, and after they were taken back, every payment is allowed', async () => {
  const key = await makeKey(harness);
  assert.equal((await pay(key)).status, 200);
  await publish(harness, [{ name: 'Nothing', verdict: 'deny' }]);
  assert.deepEqual(await denialOf(key), denied('Nothing'));
  await publish(harness, []);
  assert.equal((await pay(key)).status, 200);
});

test('if rules exist and no rule matches, a payment is denied', async () => {
  const key = await makeKey(harness);
  await publish(harness, [{ name: 'On base', verdict: 'allow', networks: ['base'] }]);
  assert.deepEqual(await denialOf(key), [403, forbidden, 'denied_by_rule', 'No rule allows it']);
  assert.equal((await pay(key, { network: 'base', currency: 'USDC' })).status, 200);
});

test('deny wins over approve and approve over allow, in whatever order they stand', async () => {
  const key = await makeKey(harness);
  const deny: Rule = { name: 'No', verdict: 'deny', amount: { over: '10' } };
  const approve: Rule = {
    name: 'Ask',
    verdict: 'approve',
    approvals: { count: 1, role: 'compliance' },
    amount: { over: '5' },
  };
  const orders = [
    [everything, approve, deny],
    [deny, approve, everything],
    [approve, everything, deny],
    [everything, deny, approve],
  ];
  for (const rules of orders) {
    await publish(harness, rules);
    assert.deepEqual(
      await statusesOf(key, { amount: '5' }, { amount: '6' }, { amount: '10.000001' }),
      [200, 200, 403],
    );
    const verdicts = await harness.deps.db.query<{ verdict: string; needs: unknown }>(
      `select v.verdict, v.needs from rule_verdicts v join withdrawals w on w.id = v.withdrawal_id
       where w.partner_id = $1 order by w.id desc limit 1`,
      [key.partnerId],
    );
    assert.deepEqual(verdicts, [
      { verdict: 'approve', needs: [{ rule: 'Ask', count: 1, role: 'compliance' }] },
    ]);
  }
});

test('of several rules that deny, the first one is named', async () => {
  const key = await makeKey(harness);
  const [one, other]: Rule[] = [
    { name: 'One', verdict: 'deny' },
    { name: 'Other', verdict: 'deny', amount: { upTo: '5' } },
  ];
  await publish(harness, [one!, other!]);
  assert.deepEqual(await denialOf(key), denied('One'));
  await publish(harness, [other!, one!]);
  assert.deepEqual(await denialOf(key), denied('Other'));
});

test('each condition holds for what it names, and not for the rest', async () => {
  const [one, other] = [await makeKey(harness), await makeKey(harness)];
  const cases: [Partial<Rule>, Parameters<typeof pay>, Parameters<typeof pay>][] = [
    [{ partners: [one.partnerId] }, [one], [other]],
    [{ users: [one.userId.toUpperCase()] }, [one], [other]],
    [{ keys: [one.id] }, [one], [other]],
    [{ sources: ['api'] }, [one], [one]],
    [{ networks: ['polygon'] }, [one], [one, { network: 'base', currency: 'USDC' }]],
    [{ currencies: ['USDT'] }, [one], [one, { currency: 'USDC' }]],
    [{ amount: { over: '1' } }, [one, { amount: '1.000001' }], [one, { amount: '1' }]],
    [{ amount: { upTo: '1' } }, [one, { amount: '1' }], [one, { amount: '1.000001' }]],
  ];
  for (const [condition, inside, outside] of cases) {
    await publish(harness, [everything, { name: 'No', verdict: 'deny', ...condition }]);
    assert.equal((await pay(...inside)).status, 403, JSON.stringify(condition));
    if (!condition.sources) assert.equal((await pay(...outside)).status, 200, JSON.stringify(condition));
  }
  await publish(harness, [everything, { name: 'No', verdict: 'deny', sources: ['refill'] }]);
  assert.equal((await pay(one)).status, 200);
});

test('destinations: the address book, of the partner, of all, on a network; a user’s wallet; first time', async () => {
  const [key, other] = [await makeKey(harness), await makeKey(harness)];
  const ctx = operatorNamed(harness, 'tester');
  const [own, common, onBase, wallet] = [makeAddress(), makeAddress(), makeAddress(), makeAddress()];
  const entry = await addAddress(ctx, { address: own, name: 'Own', partnerId: key.partnerId });
  await addAddress(ctx, { address: common, name: 'Common' });
  await addAddress(ctx, { address: onBase, name: 'On base', network: 'base' });
  const { id: userId } = await makeUser(harness);
  await harness.operator('users.add-wallet', {
    userId,
    network: 'polygon',
    address: wallet,
    custody: 'self',
  });

  await publish(harness, [{ name: 'Known', verdict: 'allow', destinations: ['book', 'user'] }]);
  assert.deepEqual(
    await statusesOf(key, { to: own }, { to: common }, { to: onBase }, { to: wallet }, {}),
    [200, 200, 403, 200, 403],
  );
  assert.equal((await pay(key, { to: onBase, network: 'base', currency: 'USDC' })).status, 200);
  assert.deepEqual(await statusesOf(other, { to: own }, { to: common }), [403, 200]);
  await removeAddress(ctx, { id: entry.id });
  assert.equal((await pay(key, { to: own })).status, 403);

  await publish(harness, [everything, { name: 'New', verdict: 'deny', destinations: ['first-time'] }]);
  assert.equal((await pay(key, { to: common })).status, 403, 'nothing was completed yet');
});

test('a sum counts this payment and those of the window, for each currency', async () => {
  const key = await makeKey(harness);
  const limit = { over: '10', window: 'day', per: 'partner' } as const;
  await publish(harness, [everything, { name: 'Daily', verdict: 'deny', sum: limit }]);
  assert.deepEqual(
    await statusesOf(key, { amount: '6' }, { amount: '4.000001' }, { amount: '4' }, {}),
    [200, 403, 200, 403],
  );
  assert.equal((await pay(key, { amount: '10', currency: 'USDC' })).status, 200, 'another currency');
  assert.equal(
    (await pay(key, { currency: 'USDC', network: 'base' })).status,
    403,
    'on all networks together',
  );
  assert.equal((await pay(await makeKey(harness), { amount: '10' })).status, 200, 'another partner');
});

test('a window moves with the time, to the microsecond, and its edge does not admit double', async () => {
  const key = await makeKey(harness);
  const limit = { over: '10', window: 'hour', per: 'partner' } as const;
  await publish(harness, [everything, { name: 'Hourly', verdict: 'deny', sum: limit }]);
  const shift = (interval: string) =>
    harness.deps.db.query(
      `update rule_spends s set at = at - $1::interval from rule_counters c
       where c.id = s.counter_id and c.subject = 'USDT ' || $2`,
      [interval, key.partnerId],
    );
  assert.equal((await pay(key, { amount: '6' })).status, 200);
  await shift('30 minutes');
  assert.deepEqual(await statusesOf(key, { amount: '4' }, {}), [200, 403]);
  await shift('29 minutes 50 seconds');
  assert.equal((await pay(key)).status, 403, 'the first is 59 minutes and 50 seconds old');
  await shift('11 seconds');
  assert.deepEqual(
    await statusesOf(key, { amount: '6' }, {}),
    [200, 403],
    'the second is still in the window',
  );
});

test('a payment leaves the window when it is exactly as old as the window, and not sooner', async () => {
  const key = await makeKey(harness);
  assert.equal((await pay(key, { amount: '6' })).status, 200);
  const limit = { over: '10', window: 'hour', per: 'partner' } as const;
  await publish(harness, [everything, { name: 'Hourly', verdict: 'deny', sum: limit }]);
  // As a replay counts the same payment again, in a space that no other payment has, at an instant of ours.
  const admit = async (space: string, at: string) => {
    const [row] = await harness.deps.db.query<{ verdict: string }>(
      `select a.verdict from rule_sets s,
         rules_admit(array(select w from withdrawals w where w.partner_id = $1), s.revision, $2, $3) a where s.is_current`,
      [key.partnerId, space, at],
    );
    return row!.verdict;
  };
  for (const [space, later, verdict] of [
    ['sooner ', '2026-01-01T00:59:59.999999Z', 'deny'],
    ['exactly ', '2026-01-01T01:00:00Z', 'allow'],
  ] as const) {
    assert.equal(await admit(space, '2026-01-01T00:00:00Z'), 'allow');
    assert.equal(await admit(space, later), verdict, later);
  }
  // One that failed leaves at the same instant as its return, which else would make room for another.
  assert.equal(await admit('failed ', '2026-01-01T00:00:00Z'), 'allow');
  await harness.deps.db.query(
    `insert into rule_returns (counter_id, at, amount) select s.counter_id, s.at, s.amount from rule_spends s
     join rule_counters c on c.id = s.counter_id where starts_with(c.selection, 'failed ')`,
  );
  assert.equal(await admit('failed ', '2026-01-01T00:30:00Z'), 'allow');
  assert.equal(await admit('failed ', '2026-01-01T01:00:00Z'), 'deny');
  // What partners are shown has the same edge.
  const sums = await harness.deps.db.query(
    `select rules_sum(c.id, '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z') / 10::numeric ^ 18 = 12 as "isTwelve"
     from rule_counters c where starts_with(c.selection, 'failed ')`,
  );
  assert.deepEqual(sums, [{ isTwelve: true }]);
});

test('windows of the same payments share a counter, and each holds', async () => {
  const key = await makeKey(harness);
  const limit = (window: 'hour' | 'day', over: string): Rule => ({
    name: `A ${window}`,
    verdict: 'deny',
    sum: { over, window, per: 'partner' },
  });
  await publish(harness, [everything, limit('hour', '2'), limit('day', '3')]);
  assert.deepEqual(await statusesOf(key, {}, {}), [200, 200]);
  assert.deepEqual(await denialOf(key), denied('A hour'));
  await harness.deps.db.query(`update rule_spends set at = at - interval '2 hours'`);
  assert.equal((await pay(key)).status, 200);
  assert.deepEqual(await denialOf(key), denied('A day'));
});

test('sums per user, key, destination and network are separate', async () => {
  const key = await makeKey(harness);
  const second = await makeKey(harness, { partnerId: key.partnerId, userId: key.userId });
  const third = await makeKey(harness, { partnerId: key.partnerId });
  const to = makeAddress();
  const limit = (per: 'user' | 'key' | 'destination' | 'network' | 'everything') =>
    publish(harness, [
      everything,
      { name: 'Limit', verdict: 'deny', partners: [key.partnerId], sum: { over: '1', window: 'day', per } },
    ]);
  await limit('user');
  assert.deepEqual(
    [await pay(key), await pay(second), await pay(third)].map(({ status }) => status),
    [200, 403, 200],
  );
  await limit('key');
  assert.equal((await pay(second)).status, 200);
  assert.equal((await pay(second)).status, 403);
  await limit('destination');
  assert.deepEqual(await statusesOf(key, { to }, {}, { to }), [200, 200, 403]);
  await limit('network');
  const onBase = { network: 'base', currency: 'USDT' };
  assert.equal((await pay(key)).status, 403, 'what was paid before the publication counts');
  assert.deepEqual(await statusesOf(key, onBase, onBase), [200, 403]);
  await limit('everything');
  assert.equal((await pay(third)).status, 403);
});

test('a rotated key keeps the limits of the key that it replaces', async () => {
  const key = await makeKey(harness);
  const sum = { over: '10', window: 'day' } as const;
  await publish(harness, [
    everything,
    { name: 'Of the key', verdict: 'deny', keys: [key.id], sum: { ...sum, per: 'user' } },
    { name: 'Of each key', verdict: 'deny', sum: { ...sum, over: '20', per: 'key' } },
  ]);
  assert.deepEqual(await statusesOf(key, { amount: '11' }, { amount: '6' }), [403, 200]);
  const { body } = await harness.operator('keys.rotate', { keyId: key.id });
  noteSecret(body.data.token.split('_')[2]);
  const next = { ...key, ...body.data } as IssuedKey;
  assert.deepEqual(await statusesOf(next, { amount: '5' }, { amount: '4' }), [403, 200]);
  assert.deepEqual(await statusesOf(key, {}), [403], 'both share one sum');
});

test('an allow rule with a sum admits up to its sum; beyond it, no rule matches', async () => {
  const key = await makeKey(harness);
  const sum = { upTo: '10', window: '30 days', per: 'partner' } as const;
  await publish(harness, [{ name: 'Budget', verdict: 'allow', sum }]);
  assert.deepEqual(
    await statusesOf(key, { amount: '10.000001' }, { amount: '10' }, { amount: '0.000001' }),
    [403, 200, 403],
  );
});

test('a denied payment stores nothing, and its idempotency key can be used again', async () => {
  const key = await makeKey(harness);
  const headers = { 'idempotency-key': 'once' };
  const create = () =>
    harness.request('POST', `/api/crypto/${key.userId}/withdraw`, {
      token: key.token,
      headers,
      body: { amount: '1', to: '0x00000000000000000000000000000000000000aa' },
    });
  await publish(harness, [
    { name: 'No', verdict: 'deny', sum: { over: '0', window: 'day', per: 'partner' } },
  ]);
  assert.equal((await create()).status, 403);
  const counted = await harness.deps.db.query('select from rule_counters where subject = $1', [
    `USDT ${key.partnerId}`,
  ]);
  assert.deepEqual(counted, []);
  await publish(harness, [
    { name: 'Yes', verdict: 'allow', sum: { upTo: '1', window: 'day', per: 'partner' } },
  ]);
  const first = await create();
  assert.equal(first.status, 200);
  const again = await create();
  assert.deepEqual([again.status, again.body], [200, first.body], 'a repeated request does not count twice');
  assert.equal((await pay(key)).status, 403);
});

test('a withdrawal that failed no longer counts, also after its rules were published again', async () => {
  const key = await makeKey(harness);
  const sum = { over: '10', window: 'day', per: 'partner' } as const;
  const daily: Rule = { name: 'Daily', verdict: 'deny', sum };
  const cancel = async (bulkId: string) => {
    const [row] = await harness.deps.db.query<{ id: string }>(
      'select id from withdrawals where bulk_id = $1',
      [bulkId],
    );
    const { status } = await harness.operator('withdrawals.cancel', {
      withdrawalId: row!.id,
      reason: 'a test',
    });
    assert.equal(status, 200);
  };
  const before = (await pay(key, { amount: '3' })).body.data.bulkId;
  await publish(harness, [everything, daily]);
  const first = (await pay(key, { amount: '7' })).body.data.bulkId;
  assert.equal((await pay(key)).status, 403);
  await cancel(first);
  assert.deepEqual(await statusesOf(key, { amount: '7' }, {}), [200, 403]);
  await publish(harness, [
    everything,
    { ...daily, name: 'Daily again' },
    { name: 'Large', verdict: 'deny', amount: { over: '50' } },
  ]);
  assert.equal((await pay(key)).status, 403, 'the counter goes on');
  await cancel(before);
  assert.deepEqual(await statusesOf(key, { amount: '3' }, {}), [200, 403]);
});

test('a limit holds from its publication on: payments of the last 30 days count, failed ones do not', async () => {
  const key = await makeKey(harness);
  assert.deepEqual(await statusesOf(key, { amount: '4' }, { amount: '5' }), [200, 200]);
  await publish(harness, [
    everything,
    { name: 'Monthly', verdict: 'deny', sum: { over: '10', window: '30 days', per: 'partner' } },
  ]);
  assert.deepEqual(await statusesOf(key, { amount: '1.000001' }, { amount: '1' }), [403, 200]);
});

test('409: somebody else must publish; a set is published once, and never over a newer one', async () => {
  const [ana, bob] = [operatorNamed(harness, 'ana'), operatorNamed(harness, 'bob')];
  const { revision } = await draftRules(ana, { rules: [everything] });
  const newer = await draftRules(ana, { rules: [everything] });
  await assert.rejects(publishRules(ana, { revision }), { code: 'same_operator' });
  await publishRules(bob, { revision: newer.revision });
  await assert.rejects(publishRules(bob, { revision }), { code: 'is_outdated' });
  await assert.rejects(publishRules(bob, { revision: newer.revision }), { code: 'already_published' });
  await assert.rejects(publishRules(bob, { revision: 999_999 }), { code: 'set_not_found' });
});

test('400: rules that could never match, and those that name what does not exist', async () => {
  const faults: [object, RegExp][] = [
    [{ verdict: 'approve' }, /rules\[1\] needs approvals/],
    [{ verdict: 'deny', approvals: { count: 1, role: 'finance' } }, /has approvals, but does not approve/],
    [{ verdict: 'deny', amount: { over: '10', upTo: '9.5' } }, /nothing/],
    [{ verdict: 'deny', amount: { over: '10', upTo: '10.0' } }, /nothing/],
    [{ verdict: 'deny', networks: ['atlantis'] }, /network atlantis, which is not configured/],
    [{ verdict: 'deny', currencies: ['DOGE'] }, /currency DOGE/],
    [{ verdict: 'deny', partners: ['0198a6a0-0000-7000-8000-00000000ffff'] }, /partner .* does not exist/],
    [{ verdict: 'deny', keys: ['abcdefghijklmnop'] }, /key abcdefghijklmnop, which does not exist/],
    [{ verdict: 'deny', users: ['0198a6a0-0000-7000-8000-00000000ffff'] }, /user .* does not exist/],
    [{ name: 'Everything', verdict: 'deny' }, /twice/],
  ];
  for (const [fields, message] of faults) {
    const { status, body } = await harness.operator('rules.draft', {
      rules: [everything, { name: 'X', ...fields }],
    });
    assert.deepEqual([status, message.test(body.error)], [400, true], body.error);
  }
});

test('a replay says what a draft would have done, and changes nothing', async () => {
  const key = await makeKey(harness);
  await statusesOf(key, { amount: '4' }, { amount: '7' }, { amount: '6' }, { amount: '20' });
  const { revision } = await draftRules(operatorNamed(harness, 'ana'), {
    rules: [
      { name: 'Others', verdict: 'allow' },
      { name: 'Ask', verdict: 'approve', approvals: { count: 2, role: 'finance' }, amount: { over: '5' } },
      {
        name: 'Daily',
        verdict: 'deny',
        partners: [key.partnerId],
        sum: { over: '10', window: 'day', per: 'partner' },
      },
    ],
  });
  const state = () =>
    harness.deps.db.query(
      `select (select count(*) from rule_counters) as counters, (select count(*) from rule_spends) as spends,
         (select count(*) from rule_returns) as returns, (select count(*) from rule_verdicts) as verdicts`,
    );
  const before = await state();
  const { verdicts } = await replayRules(operatorNamed(harness, 'ana'), { revision });
  assert.deepEqual(await state(), before);
  const said = Object.fromEntries(verdicts.map(({ verdict, rule, count }) => [`${verdict} ${rule}`, count]));
  // 4 and 6 are the day's 10: the 7 before the 6 is denied and does not count, as 20 is.
  assert.equal(said['deny Daily'], 2);
  assert.ok(said['approve Ask']! >= 1);
});

test('a payment that fails while rules are published no longer counts afterwards', async (t) => {
  const key = await makeKey(harness);
  const { bulkId } = (await pay(key, { amount: '10' })).body.data;
  const [row] = await harness.deps.db.query<{ id: string }>('select id from withdrawals where bulk_id = $1', [
    bulkId,
  ]);
  const { revision } = await draftRules(operatorNamed(harness, 'ana'), {
    rules: [
      everything,
      { name: 'Daily', verdict: 'deny', sum: { over: '10', window: 'day', per: 'partner' } },
    ],
  });
  // The publication has counted the payment and cannot commit yet: its audit row waits.
  const audit = await lockRows(t, harness.databaseUrl, 'lock table audit_log in share row exclusive mode');
  const publishing = publishRules(operatorNamed(harness, 'bob'), { revision });
  await sleep(300);
  const failing = harness.deps.db.query(
    `update withdrawals set status = 'failed', error_message = 'a test' where id = $1`,
    [row!.id],
  );
  await sleep(300);
  await audit.release();
  await publishing;
  await failing;
  assert.deepEqual(await statusesOf(key, { amount: '10' }, {}), [200, 403]);
});
