import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { contextFor } from '#context';
import { challengeOf, verifyApprovals } from '#features/rules';
import { createWithdrawal, listAssets } from '#features/withdrawals';
import { makeAddress, makeKey } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import {
  assertionOf,
  makeApprover,
  personContext,
  replacePasskey,
  type SoftPasskey,
} from '#test/worlds/approval';
import { letTimePass, makeWorld, type NodeProxy, startProxy, type World } from '#test/worlds/payout';
import { publish } from '#test/worlds/rules';
import type { Rule } from '../../rules/wire.ts';
import { decidePayment } from './decide-payment.ts';
import { expireWaiting, waitingMs } from './expire-waiting.ts';
import { listWaiting } from './list-waiting.ts';

const chain = useChain();
const everything: Rule = { name: 'Everything', verdict: 'allow' };
const ask = (count: number, role: 'compliance' | 'finance'): Rule => ({
  name: `Ask ${role}`,
  verdict: 'approve',
  approvals: { count, role },
  amount: { over: '5' },
});

const payoutOf = async ({ db }: World, id: string) => {
  const [row] = await db.query<Parameters<typeof challengeOf>[0] & Record<string, unknown>>(
    `select w.id, w.network, w.token_address as "tokenAddress", w.to_address as "toAddress", w.amount,
       (select revision from rule_sets where is_current) as revision from withdrawals w where w.id = $1`,
    [id],
  );
  return row!;
};

const decide = async (
  world: World,
  id: string,
  who: SoftPasskey,
  decision: 'approve' | 'refuse' = 'approve',
  signed: object = {},
) => {
  const challenge = challengeOf({ ...(await payoutOf(world, id)), ...signed }, decision);
  const answer = assertionOf(world.harness, who, challenge);
  return decidePayment(personContext(world.harness, who), {
    withdrawalId: id,
    decision,
    comment: 'Checked by phone',
    answer,
  });
};

const listed = async ({ harness }: World, who: SoftPasskey) =>
  (await listWaiting(personContext(harness, who))).map(({ withdrawalId }) => withdrawalId);

const countRequested = async ({ db }: World, id: string) => {
  const recorded = await db.query(
    `select 1 from event_records where type = 'withdrawal.approval_requested' and resource = $1`,
    [`withdrawal:${id}`],
  );
  return recorded.length;
};

const payTurns = async (world: World) => {
  for (let turn = 0; turn < 2; turn += 1) {
    await world.pay();
    await letTimePass(world);
  }
};

test('a payment is paid once enough people of the role approved it, and no sooner', async (t) => {
  const world = await makeWorld(t, chain);
  await publish(world.harness, [everything, ask(2, 'compliance')]);
  const id = await world.withdraw({ amount: '6' });
  const [ana, bruno] = [
    await makeApprover(world.harness, { role: 'compliance' }),
    await makeApprover(world.harness, { role: 'admin' }),
  ];
  await payTurns(world);
  assert.equal(await countRequested(world, id), 1);
  assert.deepEqual(await listed(world, ana), [id]);
  assert.deepEqual(await listed(world, await makeApprover(world.harness, { role: 'treasury' })), []);
  const after = await decide(world, id, ana);
  assert.deepEqual(after.approvedBy, ['Ana Ribeiro']);
  await assert.rejects(decide(world, id, ana), { code: 'already_decided' });
  await payTurns(world);
  assert.equal((await world.read(id)).waitingFor, 'approval');
  await decide(world, id, bruno);
  await payTurns(world);
  await world.expectPaid(id);
  const { body } = await world.operator('audit.list', { subject: `withdrawal:${id}` });
  const actions = body.items.map(({ action }: { action: string }) => action);
  assert.equal(actions.filter((action: string) => action === 'approvals.approve-payment').length, 2);
});

test('who replaced their passkey decides again what the former one had approved', async (t) => {
  const world = await makeWorld(t, chain);
  await publish(world.harness, [everything, ask(1, 'compliance')]);
  const id = await world.withdraw({ amount: '6' });
  await payTurns(world);
  const ana = await makeApprover(world.harness, { role: 'compliance' });
  await decide(world, id, ana);
  const fresh = await replacePasskey(world.harness, ana);
  assert.deepEqual((await decide(world, id, fresh)).approvedBy, ['Ana Ribeiro']);
  await payTurns(world);
  await world.expectPaid(id);
});

test('one refusal ends it, with who and why', async (t) => {
  const world = await makeWorld(t, chain);
  await publish(world.harness, [everything, ask(1, 'compliance')]);
  const id = await world.withdraw({ amount: '6' });
  await payTurns(world);
  await decide(world, id, await makeApprover(world.harness, { role: 'compliance' }), 'refuse');
  await world.expectFailed(id, 'Canceled: refused by Ana Ribeiro: Checked by phone');
  assert.equal((await world.funds()).held, 0n);
});

test('an approval of anything else is refused: amount, recipient, network, token, id, revision, a refusal', async (t) => {
  const world = await makeWorld(t, chain);
  await publish(world.harness, [everything, ask(1, 'compliance')]);
  const [id, other] = [await world.withdraw({ amount: '6' }), await world.withdraw({ amount: '7' })];
  const ana = await makeApprover(world.harness, { role: 'compliance' });
  const { revision } = await payoutOf(world, id);
  for (const change of [
    { amount: 1n },
    { toAddress: `0x${'1'.repeat(40)}` },
    { network: 'base' },
    { tokenAddress: `0x${'2'.repeat(40)}` },
    { id: other },
    { revision: revision - 1 },
  ]) {
    await assert.rejects(decide(world, id, ana, 'approve', change), { code: 'passkey_refused' });
  }
  const refusal = challengeOf(await payoutOf(world, id), 'refuse');
  for (const answer of [
    assertionOf(world.harness, ana, refusal),
    assertionOf(world.harness, ana, challengeOf(await payoutOf(world, id), 'approve'), {
      origin: 'https://evil.example',
    }),
    assertionOf(world.harness, ana, challengeOf(await payoutOf(world, id), 'approve'), { flags: 0x01 }),
  ]) {
    const given = { withdrawalId: id, decision: 'approve' as const, answer };
    await assert.rejects(decidePayment(personContext(world.harness, ana), given), {
      code: 'passkey_refused',
    });
  }
  await payTurns(world);
  assert.deepEqual(await world.paid(), []);
});

test('who may decide: the role that is asked for, staff of the partner for its roles, and never the key’s issuer', async (t) => {
  const world = await makeWorld(t, chain);
  await publish(world.harness, [everything, ask(1, 'finance')]);
  const id = await world.withdraw({ amount: '6' });
  const [row] = await world.db.query<{ partnerId: string; keyId: string }>(
    'select partner_id as "partnerId", key_id as "keyId" from withdrawals where id = $1',
    [id],
  );
  const { partnerId, keyId } = row!;
  const elsewhere = (await world.operator('partners.create', { name: 'Other' })).body.id;
  const staff = (role: string, ofPartner = partnerId) =>
    makeApprover(world.harness, { kind: 'partner', partnerId: ofPartner, role });
  await assert.rejects(decide(world, id, await makeApprover(world.harness, { role: 'admin' })), {
    code: 'other_role',
  });
  await assert.rejects(decide(world, id, await staff('developer')), { code: 'other_role' });
  await assert.rejects(decide(world, id, await staff('finance', elsewhere)), { code: 'payment_not_found' });
  const issuer = await staff('finance');
  await decide(world, id, issuer);
  await world.db.query('update api_keys set issued_by = $2 where id = $1', [keyId, issuer.personId]);
  await assert.rejects(decide(world, id, issuer), { code: 'own_payment' });
  await payTurns(world);
  assert.equal((await world.read(id)).waitingFor, 'approval', 'what is stored does not count either');
  await decide(world, id, await staff('owner'));
  await payTurns(world);
  await world.expectPaid(id);
});

test('who asked by session never approves it, not with another passkey either; removed, it is still paid', async (t) => {
  const world = await makeWorld(t, chain);
  const { harness } = world;
  await publish(harness, [everything, ask(1, 'finance')]);
  const { partnerId, userId } = await makeKey(harness, { userId: world.userId });
  const staff = (role: string) => makeApprover(harness, { kind: 'partner', partnerId, role });
  const asker = await staff('owner');
  const { personId } = asker;
  const ctx = contextFor(harness.deps, { kind: 'person', personId, partnerId } as const, harness.deps.log);
  const [asset] = listAssets(world.worker.deps.evm, []);
  const { bulkId } = await createWithdrawal(ctx, {
    userId,
    asset: asset!,
    amount: 6_000_000n,
    to: makeAddress(),
    externalId: undefined,
    idempotencyKey: undefined,
  });
  const [row] = await world.db.query<{ id: string }>('select id from withdrawals where bulk_id = $1', [
    bulkId,
  ]);
  const { id } = row!;
  await payTurns(world);
  assert.equal((await world.read(id)).waitingFor, 'approval');
  assert.deepEqual(await listWaiting(personContext(harness, asker)), []);
  await assert.rejects(decide(world, id, asker), { code: 'own_payment' });
  const again = await replacePasskey(harness, asker);
  await assert.rejects(decide(world, id, again), { code: 'own_payment' });
  // Stored past the check, it still does not count when it is signed.
  const { revision } = await payoutOf(world, id);
  const bytes = Buffer.from('x');
  await world.db.query(
    `insert into rule_approvals (withdrawal_id, revision, person_id, decision, credential_id, client_data, authenticator_data,
       signature, decided_at) values ($1, $2, $3, 'approve', $4, $5, $5, $5, now())`,
    [id, revision, personId, again.credentialId, bytes],
  );
  assert.deepEqual(await world.db.query('select 1 from rules_approvers($1, $2)', [id, revision]), []);
  await payTurns(world);
  assert.equal((await world.read(id)).waitingFor, 'approval');
  await world.operator('people.remove', { personId });
  await decide(world, id, await staff('finance'));
  await payTurns(world);
  await world.expectPaid(id);
});

test('an approval ends with its person, its passkey and its rules', async (t) => {
  const world = await makeWorld(t, chain);
  await publish(world.harness, [everything, ask(1, 'compliance')]);
  const id = await world.withdraw({ amount: '6' });
  await payTurns(world);
  const waits = async () => {
    await payTurns(world);
    return (await world.read(id)).waitingFor;
  };
  const [ana, bruno, carla] = [
    await makeApprover(world.harness, { role: 'compliance' }),
    await makeApprover(world.harness, { role: 'compliance' }),
    await makeApprover(world.harness, { role: 'compliance' }),
  ];
  // The hot wallet is paused, so that nothing is paid between the steps.
  await world.operator('payouts.pause', { reason: 'a test' });
  await decide(world, id, ana);
  await world.db.query('update people set removed_at = now() where id = $1', [ana.personId]);
  await world.operator('payouts.resume');
  assert.equal(await waits(), 'approval');
  await world.operator('payouts.pause', { reason: 'a test' });
  await decide(world, id, bruno);
  await world.db.query('delete from person_passkeys where person_id = $1', [bruno.personId]);
  await world.operator('payouts.resume');
  assert.equal(await waits(), 'approval');
  await world.operator('payouts.pause', { reason: 'a test' });
  await decide(world, id, carla);
  await publish(world.harness, [everything, ask(1, 'compliance')]);
  await world.operator('payouts.resume');
  const { revision } = await payoutOf(world, id);
  assert.deepEqual(await world.db.query('select 1 from rules_approvers($1, $2)', [id, revision]), []);
  assert.equal(await waits(), 'approval', 'the new rules ask again');
  await decide(world, id, carla);
  await payTurns(world);
  await world.expectPaid(id);
});

test('a row that somebody wrote into the table pays nothing: the code that signs verifies it again', async (t) => {
  const world = await makeWorld(t, chain);
  await publish(world.harness, [everything, ask(1, 'compliance')]);
  const [small, large] = [await world.withdraw({ amount: '6' }), await world.withdraw({ amount: '600' })];
  const ana = await makeApprover(world.harness, { role: 'compliance' });
  await world.worker.hold();
  await decide(world, small, ana);
  // An approval of the small payment, moved to the large one.
  await world.db.query('update rule_approvals set withdrawal_id = $2 where withdrawal_id = $1', [
    small,
    large,
  ]);
  await payTurns(world);
  assert.deepEqual(await world.paid(), []);
  assert.equal((await world.read(large)).status, 'pending');
  assert.ok(world.worker.lines.some(({ msg }) => msg === 'an approval does not fit what is to be paid'));
  assert.equal((await verifyApprovals({ ...world.harness.operatorContext() }, [large])).size, 0);
});

test('a payment that nobody decides about fails after three days', async (t) => {
  const world = await makeWorld(t, chain);
  await publish(world.harness, [everything, ask(1, 'compliance')]);
  const id = await world.withdraw({ amount: '6' });
  await payTurns(world);
  await expireWaiting(world.worker.deps);
  assert.equal((await world.read(id)).status, 'pending');
  world.worker.advance(waitingMs + 60_000);
  await expireWaiting(world.worker.deps);
  await world.expectFailed(id, 'Canceled: not approved within 72 hours');
});

test('payments of a network whose wallet is halted do not keep those of others from failing', async (t) => {
  const world = await makeWorld(t, chain);
  await publish(world.harness, [everything, ask(1, 'compliance')]);
  await world.withdraw({ amount: '6' });
  await payTurns(world);
  await world.db.query(
    `insert into payout_signers (network, address, next_nonce, halted_at, halted_reason, created_at)
     values ('base', $1, 0, now(), 'a test', now())`,
    [makeAddress()],
  );
  await world.db.transaction(async (db) => {
    await db.query('set local session_replication_role = replica');
    await db.query(
      `insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals,
         amount, to_address, created_at, updated_at, status, waiting_for)
       select list_id, position + n, partner_id, user_id, key_id, 'base', currency, token_address, decimals, amount,
         to_address, created_at, updated_at, status, waiting_for from withdrawals, generate_series(1, 100) n`,
    );
  });
  await world.db.query('update withdrawal_lists set last_position = 101');
  const id = await world.withdraw({ amount: '6' });
  await payTurns(world);
  world.worker.advance(waitingMs + 60_000);
  await expireWaiting(world.worker.deps);
  assert.equal((await world.read(id)).status, 'failed');
  const left = await world.db.query(
    `select 1 from withdrawals where status = 'pending' and network = 'base'`,
  );
  assert.equal(left.length, 100);
});

for (const [trouble, reason, begin, end] of [
  [
    'the node is away',
    'node',
    (_, proxy) => {
      proxy.respond = (response) => response.destroy();
    },
    (_, proxy) => {
      proxy.respond = undefined;
    },
  ],
  [
    'the wallet is halted',
    'halted',
    (world) => operate(world, 'wallets.halt', { ...walletOf(world), reason: 'a test' }),
    (world) => operate(world, 'wallets.resume', walletOf(world)),
  ],
] as [string, string, Change, Change][]) {
  describe(`while ${trouble}, a payment that waits for approval`, () => {
    /** `id` has asked for its approval; `other` needs none, and waits because of the trouble. */
    async function makeTrouble(t: TestContext) {
      const proxy = await startProxy(t, chain.rpcUrl);
      const world = await makeWorld(t, chain, { rpcUrls: [proxy.url] });
      await publish(world.harness, [everything, ask(1, 'compliance')]);
      const ana = await makeApprover(world.harness, { role: 'compliance' });
      const id = await world.withdraw({ amount: '6' });
      await payTurns(world);
      const other = await world.withdraw();
      await world.worker.hold();
      await begin(world, proxy);
      const turns = async () => {
        for (let turn = 0; turn < 2; turn += 1) {
          await letTimePass(world);
          await world.worker.sign();
        }
      };
      await turns();
      assert.equal((await world.read(other)).waitingFor, reason);
      return { world, ana, id, other, turns, end: () => end(world, proxy) };
    }

    test('stays in the list of those who may approve it', async (t) => {
      const { world, ana, id } = await makeTrouble(t);
      assert.equal((await world.read(id)).waitingFor, 'approval');
      assert.deepEqual(await listed(world, ana), [id]);
    });

    test('has one event that asks for it, also after the others were paid', async (t) => {
      const { world, id, other, end } = await makeTrouble(t);
      await end();
      await payTurns(world);
      await world.expectPaid(other);
      assert.equal((await world.read(id)).waitingFor, 'approval');
      assert.equal(await countRequested(world, id), 1);
    });

    test('fails after three days', async (t) => {
      const { world, id, end } = await makeTrouble(t);
      world.worker.advance(waitingMs + 60_000);
      await expireWaiting(world.worker.deps);
      // A halted wallet may have paid more than the database knows, so nothing is canceled before it resumes.
      if (reason === 'halted') {
        assert.equal((await world.read(id)).status, 'pending');
        await end();
        await expireWaiting(world.worker.deps);
      }
      await world.expectFailed(id, 'Canceled: not approved within 72 hours');
    });

    test('waits for the wallet once it is approved, does not fail, and is paid later', async (t) => {
      const { world, ana, id, turns, end } = await makeTrouble(t);
      await decide(world, id, ana);
      world.worker.advance(waitingMs + 60_000);
      await expireWaiting(world.worker.deps);
      await turns();
      assert.equal((await world.read(id)).waitingFor, reason);
      assert.deepEqual(await listed(world, ana), []);
      await expireWaiting(world.worker.deps);
      await end();
      await payTurns(world);
      await world.expectPaid(id);
      assert.equal(await countRequested(world, id), 1);
    });
  });
}

type Change = (world: World, proxy: NodeProxy) => unknown;

const walletOf = ({ wallet }: World) => ({ network: 'polygon', address: wallet });

async function operate(world: World, command: string, input: object): Promise<void> {
  const { status, body } = await world.operator(command, input);
  assert.equal(status, 200, body.error);
}

test('a payment that comes while the node is away asks for its approval at once', async (t) => {
  const proxy = await startProxy(t, chain.rpcUrl);
  const world = await makeWorld(t, chain, { rpcUrls: [proxy.url] });
  await publish(world.harness, [everything, ask(1, 'compliance')]);
  const ana = await makeApprover(world.harness, { role: 'compliance' });
  proxy.respond = (response) => response.destroy();
  const id = await world.withdraw({ amount: '6' });
  await world.worker.hold();
  await world.worker.sign();
  assert.deepEqual(await listed(world, ana), [id]);
  assert.equal(await countRequested(world, id), 1);
});

test('a payment asks for its approval once, also while payouts are paused and its user is suspended', async (t) => {
  const world = await makeWorld(t, chain);
  await publish(world.harness, [everything, ask(1, 'compliance')]);
  const ana = await makeApprover(world.harness, { role: 'compliance' });
  const id = await world.withdraw({ amount: '6' });
  await payTurns(world);
  const { userId } = world;
  await operate(world, 'payouts.pause', { reason: 'a test' });
  await operate(world, 'users.suspend', { userId, reason: 'a test' });
  await payTurns(world);
  assert.deepEqual(await listed(world, ana), [id]);
  await decide(world, id, ana);
  await payTurns(world);
  assert.equal((await world.read(id)).waitingFor, 'user suspended');
  assert.deepEqual(await listed(world, ana), []);
  await operate(world, 'users.resume', { userId });
  await payTurns(world);
  assert.equal((await world.read(id)).waitingFor, 'paused');
  await operate(world, 'payouts.resume', {});
  await payTurns(world);
  await world.expectPaid(id);
  assert.equal(await countRequested(world, id), 1);
});
