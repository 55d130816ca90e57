import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import pg from 'pg';
import { makeAddress, makeKey } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { isFinal, moves, type Status, statuses } from '../withdrawals/states.ts';

const harness = useHarness();
const makeHash = () => `0x${randomBytes(32).toString('hex')}`;
const wallet = makeAddress();
const other = makeAddress();
let listId: bigint;
let lastPosition = 0;
let nextNonce = 0;

const query = (text: string, values: unknown[] = []) => harness.deps.db.query(text, values);

/** A list to put withdrawals into, and two hot wallets. */
let ready: Promise<void> | undefined;
async function setUp(): Promise<void> {
  const { partnerId, userId } = await makeKey(harness);
  const [list] = await query(
    'insert into withdrawal_lists (partner_id, user_id, last_position) values ($1, $2, 0) returning id',
    [partnerId, userId],
  );
  listId = list!.id as bigint;
  await query(
    `insert into payout_signers (network, address, next_nonce, created_at)
     select 'polygon', address, 5, now() from unnest($1::text[]) address`,
    [[wallet, other]],
  );
}

/** A withdrawal in any state. */
async function make(status: Status): Promise<string> {
  ready ??= setUp();
  await ready;
  const errorMessage = status === 'failed' ? 'a reason' : null;
  return harness.deps.db.transaction(async (db) => {
    // Without triggers, because the database lets a withdrawal begin only as queued.
    await db.query('set local session_replication_role = replica');
    const [row] = await db.query(
      `insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals,
         amount, to_address, status, error_message, created_at, updated_at)
       select id, $2, partner_id, user_id, 'key', 'polygon', 'USDC', $3, 6, 1, $4, $5, $6, now(), now()
       from withdrawal_lists where id = $1 returning id`,
      [listId, ++lastPosition, makeAddress(), makeAddress(), status, errorMessage],
    );
    return row!.id as string;
  });
}

async function giveSlot(id: string, minedHash?: string): Promise<number> {
  const nonce = nextNonce++;
  await query(
    `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at, state, mined_hash, settled_at)
     values ('polygon', $1, $2, $3, now(), $4, $5, case when $5::text is null then null else now() end)`,
    [wallet, nonce, id, minedHash ? 'final' : 'open', minedHash ?? null],
  );
  return nonce;
}

/** A nonce that it had, and that is proven void. */
const giveVoidSlot = (id: string) =>
  query(
    `insert into payout_slots (network, address, nonce, void_of, opened_at, state, settled_at)
     values ('polygon', $1, $2, $3, now(), 'void', now())`,
    [wallet, nextNonce++, id],
  );

const move = (id: string, to: Status, hash: string | null = null) =>
  query(
    `update withdrawals set status = $2, transaction_hash = $3, error_message = case when $2 = 'failed' then 'a reason' end,
       updated_at = now() where id = $1`,
    [id, to, hash],
  );

const givePosting = (id: string) =>
  query(
    `insert into ledger_postings (kind, operation_id, description, posted_at) values ('withdrawal', $1, 'paid', now())
     on conflict do nothing`,
    [id],
  );

/** PostgreSQL's restrict_violation, which our triggers raise. */
const refused = (message: RegExp) => (error: Error & { code?: string }) => {
  assert.equal(error.code, '23001', error.message);
  assert.match(error.message, message);
  return true;
};

describe('the database refuses an illegal move of a withdrawal, with everything else in order', () => {
  for (const from of statuses) {
    for (const to of statuses) {
      const isLegal = moves[from].includes(to);
      if (from === to && !['completed', 'failed'].includes(from)) continue;
      test(`${from} → ${to}: ${isLegal ? 'moves' : 'refused'}`, async () => {
        const id = await make(from);
        const hash = makeHash();
        if (from === 'processing') await (to === 'pending' ? giveVoidSlot(id) : giveSlot(id, hash));
        if (from === 'pending' && to === 'processing') await giveSlot(id);
        if (to === 'completed') await givePosting(id);
        const moving = move(id, to, from === 'processing' ? hash : null);
        if (!isLegal) {
          await assert.rejects(moving, refused(from === to ? /is final/ : /does not move from/));
          return;
        }
        await moving;
        const [row] = await query('select status from withdrawal_moves where withdrawal_id = $1', [id]);
        assert.equal(row!.status, to);
      });
    }
  }
});

describe('the moves of states.ts are those of', () => {
  const asPairs = Object.entries(moves).flatMap(([from, to]) => to.map((one) => `${from} → ${one}`));
  const openOnes = statuses.filter((status) => !isFinal(status));
  const wordsIn = (text: unknown) => [...String(text).matchAll(/'(\w+)'/g)].map(([, word]) => word);
  const define = async (call: string) => (await query(`select ${call} as text`))[0]!.text;

  test('withdrawals_guard_move', async () => {
    const text = await define(`pg_get_functiondef('withdrawals_guard_move'::regproc)`);
    const list = /\(old\.status, new\.status\) not in (.*?) then/s.exec(String(text))?.[1] ?? '';
    const pairs = [...list.matchAll(/\('(\w+)', '(\w+)'\)/g)];
    assert.deepEqual(pairs.map(([, from, to]) => `${from} → ${to}`).sort(), asPairs.sort());
  });

  test('the check of the status, and the index of open withdrawals', async () => {
    const check = await define(
      `(select pg_get_constraintdef(oid) from pg_constraint where conname = 'withdrawals_status_check')`,
    );
    assert.deepEqual(wordsIn(check), statuses);
    assert.deepEqual(wordsIn(await define(`pg_get_indexdef('withdrawals_open'::regclass)`)), openOnes);
  });

  test('the diagram in ARCHITECTURE.md', () => {
    const text = readFileSync(new URL('../../../ARCHITECTURE.md', import.meta.url), 'utf8');
    const arrows = [...text.matchAll(/^ {2}(\w+) --> (\w+) :/gm)].filter(([, from, to]) => from !== to);
    const drawn = new Set(arrows.map(([, from, to]) => `${from} → ${to}`));
    assert.deepEqual([...drawn].sort(), asPairs.sort());
  });
});

describe('the database refuses', () => {
  test('a completed withdrawal that is not in the ledger', async () => {
    const id = await make('processing');
    const hash = makeHash();
    await giveSlot(id, hash);
    await assert.rejects(move(id, 'completed', hash), refused(/is in the ledger/));
  });

  const fixed = {
    amount: '2',
    to_address: makeAddress(),
    token_address: makeAddress(),
    currency: 'USDT',
    network: 'base',
    decimals: 18,
    user_id: '00000000-0000-7000-8000-000000000000',
    partner_id: '00000000-0000-7000-8000-000000000000',
    bulk_id: '00000000-0000-7000-8000-000000000000',
    created_at: '2020-01-01',
    key_id: 'a'.repeat(16),
    caller_address: '192.0.2.1',
    request_id: '00000000-0000-4000-8000-000000000000',
  };
  for (const [column, value] of Object.entries(fixed)) {
    test(`another ${column} for a withdrawal that is only queued`, async () => {
      const id = await make('queued');
      const change = query(`update withdrawals set ${column} = $2 where id = $1`, [id, value]);
      await assert.rejects(
        change,
        refused(/the amount, recipient and requester of a withdrawal cannot change/),
      );
    });
  }

  test('processing without a nonce that is stored', async () => {
    await assert.rejects(move(await make('pending'), 'processing'), refused(/before its nonce is stored/));
  });

  for (const to of ['completed', 'failed'] as const) {
    test(`${to} after signing, while its nonce is open`, async () => {
      const id = await make('processing');
      await giveSlot(id);
      await assert.rejects(move(id, to, makeHash()), refused(/ends only with a final transaction/));
      await assert.rejects(move(id, to), refused(/ends only with a final transaction/));
    });

    test(`${to} with another hash than the one that is final`, async () => {
      const id = await make('processing');
      await giveSlot(id, makeHash());
      await assert.rejects(move(id, to, makeHash()), refused(/ends only with a final transaction/));
      await assert.rejects(move(id, to), refused(/ends only with a final transaction/));
    });
  }

  test('failed before signing, though it has a nonce', async () => {
    const id = await make('pending');
    await giveSlot(id);
    await assert.rejects(move(id, 'failed'), refused(/ends only with a final transaction/));
  });

  test('failed without a reason, and a reason without failed', async () => {
    const id = await make('queued');
    const isCheck = { code: '23514' };
    await assert.rejects(query(`update withdrawals set status = 'failed' where id = $1`, [id]), isCheck);
    await assert.rejects(query(`update withdrawals set error_message = 'x' where id = $1`, [id]), isCheck);
  });

  test('amounts that are no amounts', async () => {
    for (const amount of ['0', '-1', 'NaN']) {
      const insert = query(
        `insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals,
           amount, to_address, created_at, updated_at)
         select id, -1, partner_id, user_id, 'key', 'polygon', 'USDC', $2, 6, $3, $2, now(), now()
         from withdrawal_lists where id = $1`,
        [listId, makeAddress(), amount],
      );
      await assert.rejects(insert, { code: '23514' }, amount);
    }
  });

  test('one that begins in another state than queued', async () => {
    for (const status of ['pending', 'processing', 'completed']) {
      const insert = query(
        `insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals,
           amount, to_address, status, created_at, updated_at)
         select id, -1, partner_id, user_id, 'key', 'polygon', 'USDC', $2, 6, 1, $2, $3, now(), now()
         from withdrawal_lists where id = $1`,
        [listId, makeAddress(), status],
      );
      await assert.rejects(insert, refused(/begins as queued/), status);
    }
  });

  test('a counter of nonces that goes back', async () => {
    const set = (next: number) =>
      query('update payout_signers set next_nonce = $2 where address = $1', [other, next]);
    await assert.rejects(set(4), refused(/a nonce is given once/));
    await set(6);
  });

  test('a nonce for two withdrawals, and two nonces for one', async () => {
    const [first, second] = [await make('pending'), await make('pending')];
    const nonce = await giveSlot(first);
    const insert = (id: string, at: number) =>
      query(
        `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at) values ('polygon', $1, $2, $3, now())`,
        [wallet, at, id],
      );
    await assert.rejects(insert(second, nonce), { code: '23505', constraint: 'payout_slots_pkey' });
    await assert.rejects(insert(first, 1_000), { code: '23505', constraint: 'payout_slots_withdrawal_key' });
  });

  test('a nonce that moves to another withdrawal, and a change of what is final', async () => {
    const [first, second] = [await make('processing'), await make('pending')];
    const nonce = await giveSlot(first);
    const set = (change: string, ...values: unknown[]) =>
      query(`update payout_slots set ${change} where nonce = $1 and address = $2`, [
        nonce,
        wallet,
        ...values,
      ]);
    const stays = refused(/keeps its nonce and withdrawal/);
    await assert.rejects(set('withdrawal_id = $3', second), stays);
    await assert.rejects(set('nonce = $3', 2_000), stays);
    await assert.rejects(set('address = $3', other), stays);
    await set(`state = 'final', settled_at = now(), mined_hash = $3`, makeHash());
    await assert.rejects(set(`state = 'open', settled_at = null, mined_hash = null`), stays);
    await assert.rejects(set('mined_hash = $3', makeHash()), stays);
  });

  test('other bytes or another hash for what was signed', async () => {
    const nonce = await giveSlot(await make('processing'));
    const hash = makeHash();
    await query(
      `insert into payout_attempts (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at)
       values ($1, 'polygon', $2, $3, '\\x01', 1, 1, now())`,
      [hash, wallet, nonce],
    );
    const stays = refused(/signed bytes do not change/);
    await assert.rejects(query(`update payout_attempts set raw = '\\x02' where hash = $1`, [hash]), stays);
    await assert.rejects(
      query('update payout_attempts set hash = $2 where hash = $1', [hash, makeHash()]),
      stays,
    );
    await query('update payout_attempts set sent_at = now(), sends = 1 where hash = $1', [hash]);
  });

  test('to forget any of it', async () => {
    const id = await make('processing');
    const nonce = await giveSlot(id);
    await query(
      `insert into payout_attempts (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at)
       values ($1, 'polygon', $2, $3, '\\x01', 1, 1, now())`,
      [makeHash(), wallet, nonce],
    );
    for (const table of ['payout_attempts', 'payout_slots', 'payout_signers', 'withdrawals']) {
      // As a superuser, who can do anything except bypass a trigger.
      const client = new pg.Client({ connectionString: harness.databaseUrl });
      await client.connect();
      try {
        await assert.rejects(client.query(`delete from ${table}`), { code: '23001' }, table);
      } finally {
        await client.end();
      }
    }
  });
});
