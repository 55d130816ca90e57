import { applyForIntegration, findApplication } from '#features/connect/applications';
import type { Db } from '#platform/db/db';
import { createSecret } from '#platform/secrets/secret';
import { commands } from '../../src/app.ts';
import type { HistoryWorld } from '../history/world.ts';
import { operatorContext } from '../withdrawals/world.ts';

const wallet = `0x${'c4'.repeat(20)}`;

/**
 * Records of the other pages: deposits and changes by the hundred thousand, payouts with their transactions,
 * findings in ledgers, deliveries. The two large users have their share, because their pages are measured.
 */
export async function seedRecords(world: HistoryWorld): Promise<string[]> {
  const { db } = world;
  const [big = '', payer = ''] = world.userIds;
  await db.transaction(async (db) => {
    await db.query('set local session_replication_role = replica');
    await addDeposits(db, big);
    await addChanges(db, payer);
    await addPayouts(db);
    await addFindings(db, big);
    await addComparison(db);
  });
  await addDeliveries(world);
  await run(world, 'rules.draft', { rules: Array.from({ length: 40 }, (_one, at) => ruleOf(at)) });
  const applicationId = await addApplication(world);
  const uploadId = await addUpload(world);
  return [`/console/applications/${applicationId}`, `/partner/payouts/upload/${uploadId}`];
}

/** A file with as many payouts as one may have. */
async function addUpload({ db, partnerId, userIds, key }: HistoryWorld): Promise<string> {
  const items = Array.from({ length: 1_000 }, (_one, at) => ({
    row: at + 2,
    to: wallet,
    amount: '12.50',
    currency: 'USDC',
    network: 'polygon',
    externalId: `invoice-${at}`,
  }));
  const [row] = await db.query<{ id: string }>(
    `insert into withdrawal_uploads (partner_id, user_id, person_id, items, created_at)
     select $1, $2, id, $3, now() from people where partner_id = $1 order by id limit 1 returning id`,
    [partnerId, userIds[1] ?? key.userId, JSON.stringify(items)],
  );
  return row!.id;
}

/** A hundred thousand of one user, each credited by a line of the user's list. */
async function addDeposits(db: Db, userId: string): Promise<void> {
  await db.query(
    `insert into deposit_cursors (network, next_block, last_hash, last_block_at, posted, updated_at)
     values ('polygon', 200001, '0x' || repeat('ab', 32), now(), 100000, now())`,
  );
  await db.query(
    `insert into deposits (network, transaction_hash, log_index, block_number, user_id, wallet, currency, amount)
     select 'polygon', '0x' || md5(n::text) || md5(n::text), n % 7, 2 * n, $1, $2, 'USDC', 1000000 + n
     from generate_series(1, 100000) n`,
    [userId, wallet],
  );
  await db.query(
    `insert into ledger_postings (id, kind, operation_id, description, posted_at, list_id, line_number, line_count) overriding system value
     select 100000000 + n, 'deposit', 'polygon:0x' || md5(n::text) || md5(n::text) || ':' || n % 7, 'Deposit', now(), l.id, n, 1
     from ledger_lists l, generate_series(1, 100000) n where l.user_id = $1 and l.is_settled`,
    [userId],
  );
}

/** Three hundred thousand rows of the audit log, a thousand of them about one user. */
async function addChanges(db: Db, userId: string): Promise<void> {
  await db.query(
    `insert into audit_log (id, at, actor_kind, actor_id, action, subject, before, after, hash)
     select 1000000 + n, now() - (300000 - n) * interval '1 minute', 'operator', 'operator-' || n % 5,
       case n % 3 when 0 then 'users.update' when 1 then 'keys.revoke' else 'users.suspend' end,
       'user:' || case when n % 300 = 0 then $1 else md5(n::text)::uuid::text end,
       jsonb_build_object('givenName', 'Ana ' || n, 'suspendedReason', null, 'updatedAt', now()),
       jsonb_build_object('givenName', 'Ana ' || n, 'suspendedReason', 'Ticket ' || n, 'updatedAt', now()), sha256(n::text::bytea)
     from generate_series(1, 300000) n`,
    [userId],
  );
}

/** The hot wallet has signed the newest that are final or on their way, ten thousand and more. */
async function addPayouts(db: Db): Promise<void> {
  await db.query(
    `insert into payout_signers (network, address, next_nonce, halted_at, halted_reason, server, created_at)
     values ('polygon', $1, 11000, now(), 'no block has nonce 10900 for 31 minutes', database_server(), now())`,
    [wallet],
  );
  await db.query('insert into payout_wallets (network, address, updated_at) values ($1, $2, now())', [
    'polygon',
    wallet,
  ]);
  await db.query(
    `insert into payout_slots (network, address, nonce, withdrawal_id, state, mined_hash, opened_at, settled_at)
     select 'polygon', $1, 11000 - row_number() over (order by id desc), id,
       case status when 'completed' then 'final' else 'open' end, case status when 'completed' then transaction_hash end,
       created_at, case status when 'completed' then created_at + interval '20 s' end
     from (select * from withdrawals where status in ('completed', 'processing') and transaction_hash is not null
           order by id desc limit 11000) w`,
    [wallet],
  );
  await db.query(
    `insert into payout_attempts (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at,
       sent_at, sends, last_answer)
     select w.transaction_hash, s.network, s.address, s.nonce, '', 100000000000, 30000000000, s.opened_at, s.opened_at, 1, 'accepted'
     from payout_slots s join withdrawals w on w.id = s.withdrawal_id`,
  );
  await db.query(
    `insert into withdrawal_moves (withdrawal_id, status, at)
     select s.withdrawal_id, m.status, s.opened_at + m.after from payout_slots s, (values ('pending', interval '1 s'),
       ('processing', interval '2 s'), ('completed', interval '20 s')) as m (status, after)
     where s.state = 'final' or m.status <> 'completed'`,
  );
}

/** The last verification of every ledger, some of them with faults. */
async function addFindings(db: Db, userId: string): Promise<void> {
  await db.query(
    `insert into ledger_verdicts (subject, fault_count, faults, since_last, last_number, last_hash, actor_kind, actor_id, checked_at)
     select id::text, case when n % 50 = 0 or id = $1 then 30 else 0 end,
       case when n % 50 = 0 or id = $1 then (select jsonb_agg(jsonb_build_object('subject', 'line ' || f, 'message', 'the hash is wrong'))
         from generate_series(1, 20) f) else '[]' end, false, 100, 'ab', 'operator', 'tester', now()
     from (select id, row_number() over (order by id) as n from users) u on conflict (subject) do nothing`,
    [userId],
  );
}

/** What the last comparison of chain and ledger found. */
async function addComparison(db: Db): Promise<void> {
  await db.query(
    `insert into treasury_networks (network, opening_block, opening_posting, opening_gas, opening_sent, block_number, block_hash,
       posting, is_counting, gas, sent, reconciled_at)
     values ('polygon', 1, 0, 0, 0, 4711, '0x', 0, true, 0, 0, now()) on conflict do nothing`,
  );
  await db.query(
    `insert into treasury_assets (network, currency, chain, owed, shortfall)
     select 'polygon', currency, 95000000, 100000000, 5000000 from unnest(array['USDT', 'USDC']) currency on conflict do nothing`,
  );
  await db.query(
    `insert into treasury_totals (network, currency, name, amount, count)
     values ('polygon', 'USDT', 'unknown transfers out', -5000000, 1) on conflict do nothing`,
  );
}

/** An endpoint of the app, and twenty of the partner: one has received a hundred thousand events. */
async function addDeliveries(world: HistoryWorld): Promise<void> {
  const { db, partnerId } = world;
  for (let made = 0; made < 20; made++) {
    const url = `https://hooks.example.com/${made}`;
    await run(world, 'webhooks.create', { url, partnerId, description: `Endpoint ${made}` });
  }
  const [app] = await db.query<{ id: string }>('select id from integrations limit 1');
  await run(world, 'webhooks.create', { url: 'https://hooks.example.com/app', integrationId: app!.id });
  await db.transaction(async (db) => {
    await db.query('set local session_replication_role = replica');
    const [stream] = await db.query<{ id: bigint }>('select id from event_streams where partner_id = $1', [
      partnerId,
    ]);
    await db.query(
      `insert into events (stream_id, sequence, id, type, resource, recorded_at, numbered_at, body)
       select $1, n, 'evt_' || md5(n::text), 'withdrawal.completed', coalesce((select 'withdrawal:' || id from withdrawals order by id desc limit 1), ''),
         now(), now(), '{"id":"evt"}' from generate_series(1000, 101000) n`,
      [stream!.id],
    );
    await db.query(
      `insert into webhook_deliveries (id, endpoint_id, stream_id, sequence, resource, status, attempts, due_at, created_at, ended_at)
       overriding system value
       select 1000000 + n, e.id, $1, n, 'withdrawal:' || n, case when n % 20 = 0 then 'failed' else 'delivered' end, 1, now(), now(), now()
       from (select id from webhook_endpoints order by id limit 1) e, generate_series(1000, 101000) n`,
      [stream!.id],
    );
    await db.query(
      `insert into webhook_attempts (delivery_id, number, url, started_at, duration_ms, status, answer)
       select id, 1, 'https://hooks.example.com/0', now(), 42, case status when 'failed' then 500 else 200 end, 'ok' from webhook_deliveries
       where id > 1000000`,
    );
  });
}

const ruleOf = (at: number) => ({
  name: `Rule ${at}`,
  verdict: at % 2 === 0 ? 'approve' : 'deny',
  ...(at % 2 === 0 && { approvals: { count: 2, role: 'compliance' } }),
  networks: ['polygon'],
  amount: { over: String(1_000_000 + at) },
});

async function addApplication({ db, deps }: HistoryWorld): Promise<string> {
  const at = { db, now: deps.clock() };
  const input = {
    name: 'Lender',
    logoColor: '#1a7f5a',
    purposes: ['Open an account'],
    scopes: ['profile', 'email'] as ('profile' | 'email')[],
    redirectUris: ['https://app.example.com/back'],
    homepageUrl: 'https://app.example.com/',
    privacyUrl: null,
    applicantName: 'Eva Souza',
    applicantEmail: 'eva@example.org',
  };
  const { linkSecret } = await applyForIntegration(at, { input, formSecret: createSecret() });
  return (await findApplication(at, linkSecret)).id;
}

function run({ deps }: HistoryWorld, name: string, input: object): Promise<unknown> {
  const command = commands.find((one) => one.name === name)!;
  return command.run(operatorContext(deps), input as never);
}
