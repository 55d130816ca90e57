import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { insertAuditRows } from '../src/features/audit/queries.ts';
import type { NewLine, Posting } from '../src/features/ledger/lines/line.ts';
import { postLines } from '../src/features/ledger/post-lines.ts';
import { useHarness } from './harness.ts';

// Operators keep hashes outside of the database. A text that is hashed in another way than before would make
// every kept hash wrong, so the texts and hashes of fixed rows stand here. Never change them.

const harness = useHarness();
const sql = <Row extends Record<string, unknown>>(text: string, values?: unknown[]) =>
  harness.deps.db.query<Row>(text, values);

/** The hash of each text after the one before it, from that of `start` on. */
const chain = (start: string, texts: readonly string[]) => {
  let hash = createHash('sha256').update(start).digest();
  return texts.map((text) => {
    hash = createHash('sha256').update(hash).update(text).digest();
    return hash.toString('hex');
  });
};

const ana = '01890a5d-ac96-774b-bcce-b302099a8057';
const bruno = '01890a5d-ac96-774b-bcce-b302099a8058';

/** Two users with lists and accounts of fixed ids, and postings from 501 on. */
async function makeFixedLedgers(): Promise<void> {
  await sql(
    `insert into users (id, email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
     select u, u || '@example.com', true, 'Ana', 'Ribeiro', 'individual', now(), now() from unnest($1::uuid[]) u`,
    [[ana, bruno]],
  );
  await sql(
    `insert into ledger_lists (id, user_id, is_settled, last_hash) overriding system value
     select * from (values (71, $1::uuid, true, ledger_first_hash($1)), (72, $2, true, ledger_first_hash($2))) v`,
    [ana, bruno],
  );
  await sql(
    `insert into ledger_accounts (id, user_id, network, currency, balance, held) overriding system value
     values (901, $1, 'polygon', 'USDC', 0, 0), (902, $1, 'polygon', 'USDT', 0, 0), (903, $2, 'polygon', 'USDC', 0, 0)`,
    [ana, bruno],
  );
  await sql(`select setval('ledger_postings_id_seq', 500)`);
}

const line = (userId: string, fields: Partial<NewLine>): NewLine => ({
  userId,
  operationId: 'an operation',
  type: 'buy',
  network: 'polygon',
  sent: null,
  received: null,
  transactionAt: new Date('2026-01-02T03:04:05.678Z'),
  executedAt: null,
  description: 'Deposit',
  purpose: 'deposit',
  userDescription: null,
  onChain: null,
  ...fields,
});

const transactionHash = `0x${'ab'.repeat(32)}`;
const onChain = (logIndex: number) => ({ transactionHash, logIndex });
const usdc = (amount: bigint) => ({ currency: 'USDC', amount });

const post = (operationId: string, ...lines: NewLine[]): Posting => ({
  kind: 'post',
  operationId,
  description: 'A test',
  lines,
});

const anaTexts = [
  `[71, 1, "buy", 1767323045.678000, 501, "order-1", "${transactionHash}:1", null, null, 901, 5000000, "completed", "Deposit", "salary", "for “rent”", 1767323046.000000]`,
  `[71, 2, "swap-bridge", 1767323045.678000, 501, "order-2", "${transactionHash}:2", 901, 1500000, 902, 1499000, "completed", "Swap", "conversion", null, null]`,
  `[71, 3, "sell", 1767323045.678000, 502, "order-3", "${transactionHash}:3", 901, 250000, null, null, "completed", "Payment", "invoice", "café", null]`,
  `[71, 4, "transfer-token", 1767323045.678000, 503, "order-4", "${transactionHash}:4", 901, 1, null, null, "completed", "Gift", "transfer", null, 1767323047.500000]`,
];
const brunoTexts = [
  `[72, 1, "transfer-token", 1767323045.678000, 504, "order-4", "${transactionHash}:4", null, null, 903, 1, "completed", "Gift", "transfer", "thanks", null]`,
];
const anaHashes = [
  '93e7cd721cc2509b3b8032064d40a51dcb7c8ef04f772892286bafbafbb3704a',
  'dc7e9d30753cce0578133095ac72bf988490c174fa11bd825a9f99167dd830b3',
  '54fcfc64ea2651a200f344e4c17e283026f044d95f35498837775f0a66691838',
  '3ffa3db165580be76a29ec54ec4ceb9951778b6fcd1e9d12f7c7c6fb7453e4ba',
];
const brunoHashes = ['6586cc015e82a663d4925c856b44bf958549b71a55b3a3fbc379840189f81b75'];

test('200 ledger.verify finds the hashes of fixed lines, by each function that posts', async () => {
  await makeFixedLedgers();
  const { db } = harness.deps;
  const at = new Date('2026-01-03T00:00:00Z');
  // One line: ledger_post_single. Several lines, of one user and of several: ledger_post_lines.
  await postLines(db, at, [
    post(
      'two lines',
      line(ana, {
        operationId: 'order-1',
        onChain: onChain(1),
        received: usdc(5_000_000n),
        purpose: 'salary',
        userDescription: 'for “rent”',
        executedAt: new Date('2026-01-02T03:04:06Z'),
      }),
      line(ana, {
        operationId: 'order-2',
        onChain: onChain(2),
        type: 'swap-bridge',
        sent: usdc(1_500_000n),
        received: { currency: 'USDT', amount: 1_499_000n },
        description: 'Swap',
        purpose: 'conversion',
      }),
    ),
  ]);
  await postLines(db, at, [
    post(
      'one line',
      line(ana, {
        operationId: 'order-3',
        onChain: onChain(3),
        type: 'sell',
        sent: usdc(250_000n),
        description: 'Payment',
        purpose: 'invoice',
        userDescription: 'café',
      }),
    ),
  ]);
  const gift = {
    operationId: 'order-4',
    onChain: onChain(4),
    type: 'transfer-token' as const,
    description: 'Gift',
    purpose: 'transfer',
  };
  await postLines(db, at, [
    post('from', line(ana, { ...gift, sent: usdc(1n), executedAt: new Date('2026-01-02T03:04:07.500Z') })),
    post('to', line(bruno, { ...gift, received: usdc(1n), userDescription: 'thanks' })),
  ]);

  const hashesOf = async (listId: number) =>
    (
      await sql<{ hash: Buffer }>('select hash from ledger_lines where list_id = $1 order by number', [
        listId,
      ])
    ).map(({ hash }) => hash.toString('hex'));
  assert.deepEqual(await hashesOf(71), anaHashes);
  assert.deepEqual(await hashesOf(72), brunoHashes);
  assert.deepEqual(chain(`causeway ledger ${ana}`, anaTexts), anaHashes);
  assert.deepEqual(chain(`causeway ledger ${bruno}`, brunoTexts), brunoHashes);
  for (const [userId, hashes] of [
    [ana, anaHashes],
    [bruno, brunoHashes],
  ] as const) {
    const { body } = await harness.operator('ledger.verify', { userId });
    assert.deepEqual(body.data.faults, []);
    assert.equal(body.data.heads[0].lastHash, hashes.at(-1));
  }
});

const key = 'key:abcdefghijklmnop';
const auditTexts = [
  `[1, 1767323045.678000, "operator", "alice", "keys.create", "${key}", null, {"name": "Ana’s", "scopes": ["mcp"]}]`,
  `[2, 1767323046.000000, "worker", "consents.expire", "keys.revoke", "${key}", {"a": 1, "b": {"c": null}}, null]`,
  `[3, 1767323047.500000, "operator", "bob", "keys.show", "${key}", {"a": false}, {"b": "1.50"}]`,
];
const auditHashes = [
  '2ee11db6688b29cfb9711c00944dc5dc784a4c0155c5e498f9d45d8e82d34842',
  '119e0888a6b130b765b2ec35178fc9b2eece565388936685e4a807b4413704d7',
  '5092dddcfbe637849d0d36152d97a8443ee2f64a8695cc06666cc624483c2bf2',
];

test('200 audit.verify finds the hashes of fixed rows, appended or inserted', async () => {
  const { db } = harness.deps;
  await insertAuditRows(
    db,
    [
      {
        at: new Date('2026-01-02T03:04:05.678Z'),
        actorKind: 'operator',
        actorId: 'alice',
        action: 'keys.create',
        before: null,
        after: { scopes: ['mcp'], name: 'Ana’s' },
      },
      {
        at: new Date('2026-01-02T03:04:06Z'),
        actorKind: 'worker',
        actorId: 'consents.expire',
        action: 'keys.revoke',
        before: { b: { c: null }, a: 1 },
        after: null,
      },
    ],
    [key, key],
  );
  // As processes of earlier releases do: the trigger gives it its number and its hash.
  await sql(
    `insert into audit_log (at, actor_kind, actor_id, action, subject, before, after)
     values ('2026-01-02T03:04:07.5Z', 'operator', 'bob', 'keys.show', $1, '{"a": false}', '{"b": "1.50"}')`,
    [key],
  );
  const rows = await sql<{ hash: Buffer }>('select hash from audit_log order by id');
  assert.deepEqual(
    rows.map(({ hash }) => hash.toString('hex')),
    auditHashes,
  );
  assert.deepEqual(chain('causeway audit log', auditTexts), auditHashes);
  const { body } = await harness.operator('audit.verify');
  assert.deepEqual([body.data.intact, body.data.rows], [true, 3]);
});

test('the text of a line is that of its fields as jsonb, with any character, amount and date', async () => {
  const codes = Array.from({ length: 0x3000 }, (_, at) => at + 1);
  const texts = [
    ...codes.map((code) => `a${String.fromCodePoint(code)}b`),
    '',
    '"',
    '\\u0041',
    '💶\u{10ffff}',
  ];
  const different = await sql(
    `select t, ours from unnest($1::text[]) t,
       unnest($2::numeric(78, 0)[], $3::timestamptz[]) as v (amount, at),
       lateral (select ledger_line_text(1, 9223372036854775807, 'swap-bridge', at, null, t, t, -1, amount, 2, amount,
           'completed', t, t, null, at) as ours,
         jsonb_build_array(1, 9223372036854775807, 'swap-bridge', extract(epoch from at), null, t, t, -1, amount, 2,
           amount, 'completed', t, t, null, extract(epoch from at))::text as theirs) l
     where ours is distinct from theirs limit 3`,
    [
      texts,
      ['0', '-1', '9'.repeat(78), 'NaN', null],
      ['2026-01-02T03:04:05.678Z', '0001-01-01', '-infinity', 'infinity', null],
    ],
  );
  assert.deepEqual(different, []);
});
