import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { parseAddress } from '#adapters/evm';
import type { IssuedKey } from '#features/keys';
import { addWallet } from '#features/users';
import { makeAddress, makeKey, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { sized, sizes } from '#test/sizes';
import { statuses } from './states.ts';

// A failure prints its seed and path; put them here to reproduce it.
const replay: { seed?: number; path?: string } = {};

const harness = useHarness();
let caller: IssuedKey;
/** On polygon only. */
let payee: { id: string; email: string; address: string };
beforeEach(async () => {
  if (caller) return;
  caller = await makeKey(harness);
  payee = { ...(await makeUser(harness)), address: makeAddress() };
  const wallet = {
    userId: payee.id,
    network: 'polygon',
    address: payee.address,
    custody: 'platform',
  } as const;
  await addWallet(harness.operatorContext(), wallet);
});

const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

async function countStored(): Promise<number> {
  const [row] = await sql(
    `select (select count(*) from withdrawals)::integer as rows, coalesce(sum(last_position), 0)::integer as positions
     from withdrawal_lists`,
  );
  assert.equal(row!.rows, row!.positions);
  return row!.rows as number;
}

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert its shape.
  body: any;
}

/** Never a 5xx; a 4xx has the form of every refusal. */
function expectForm({ status, body }: Answer, what: string): void {
  assert.ok(status === 200 || (status >= 400 && status < 500), `${status} for ${what}`);
  if (status === 200) return;
  const { error, code, requestId, details, ...others } = body;
  assert.deepEqual(others, {});
  assert.ok(typeof error === 'string' && error.length > 0 && error.length < 500, what);
  assert.match(code, /^[a-z_]+$/);
  assert.match(requestId, /^[0-9a-f-]{36}$/);
  for (const detail of details ?? []) assert.deepEqual(Object.keys(detail), ['field', 'message']);
}

async function inject(method: 'GET' | 'POST', url: string, payload?: Buffer, headers = {}): Promise<Answer> {
  const answer = await harness.server.inject({
    method,
    url,
    payload,
    headers: {
      authorization: `Bearer ${caller.token}`,
      ...(payload && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  return { status: answer.statusCode, body: answer.json() };
}

const once = <T>(...values: T[]) => fc.constantFrom(...values);
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({ maxLength: 300 }),
);
const wild: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 4 }),
  fc.double(),
  fc.bigInt().map(String),
  once<unknown>(null, true, 0, -0, 1e308, 1e-7, '', ' ', '\0', '\ud800', '__proto__', 'constructor', [], {}),
  once(
    '9'.repeat(400),
    'x'.repeat(5_000),
    '\u202e',
    '１',
    '𝟙',
    '%00',
    "' or 1=1 --",
    '{{7*7}}',
    '../../etc/passwd',
  ),
);
const digits = fc.bigInt({ min: 0n, max: 10n ** 33n }).map(String);
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(digits, fc.stringMatching(/^[0-9]{1,6}$/)).map(([a, b]) => `${a}.${b}`) },
  { weight: 3, arbitrary: digits },
  { weight: 2, arbitrary: fc.stringMatching(/^[-+ 0-9.,eExX_]{1,12}$/) },
  { weight: 1, arbitrary: wild },
);
const address = fc.stringMatching(/^0x[0-9a-f]{40}$/);
const to = fc.oneof(
  { weight: 6, arbitrary: address },
  { weight: 2, arbitrary: address.map((one) => ` 0x${one.slice(2).toUpperCase()}\n`) },
  { weight: 2, arbitrary: once('email', 'EMAIL', 'id', 'ID').map((which) => ({ which })) },
  { weight: 2, arbitrary: fc.stringMatching(/^0[xX][0-9a-fA-F]{38,42}$/) },
  { weight: 1, arbitrary: fc.emailAddress() },
  { weight: 1, arbitrary: fc.uuid() },
  { weight: 1, arbitrary: wild },
);
const mixCase = (word: string) =>
  fc
    .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
    .map((upper) =>
      [...word].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter.toLowerCase())).join(''),
    );
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const currency = optional(fc.oneof(...['USDT', 'USDC', 'EURC', 'DAI'].map(mixCase), wild));
const network = optional(fc.oneof(...['polygon', 'ethereum', 'base', 'solana'].map(mixCase), wild));
const externalId = optional(fc.oneof(text, wild));

/** A body close to a valid one: half of its fields valid, the others anything. */
const nearBody = fc
  .record({ amount, to, currency, network, externalId, extra: optional(fc.tuple(text, wild)) })
  .map(({ extra, ...body }) => {
    const { which } = (body.to ?? {}) as { which?: string };
    const names: Record<string, () => string> = {
      email: () => payee.email,
      EMAIL: () => payee.email.toUpperCase(),
      id: () => payee.id,
      ID: () => payee.id.toUpperCase(),
    };
    const named = which && names[which] ? { ...body, to: names[which]() } : body;
    return JSON.stringify(extra && extra[0].length % 5 === 0 ? { ...named, [extra[0]]: extra[1] } : named);
  });
const goodText = fc
  .tuple(address, text)
  .map(([to, label]) =>
    JSON.stringify({ amount: '1.5', to, currency: 'USDC', externalId: label.slice(0, 40) }),
  );
/** A valid text with a few bytes changed, removed, inserted or doubled. */
const brokenBody = fc
  .tuple(
    goodText,
    fc.array(fc.tuple(fc.nat(400), fc.nat(3), fc.oneof(fc.nat(255), once(...Buffer.from('"\\{}[],:0u')))), {
      maxLength: 4,
    }),
  )
  .map(([good, changes]) => {
    const bytes = [...Buffer.from(good)];
    for (const [where, kind, byte] of changes) {
      const at = where % bytes.length;
      if (kind === 0) bytes[at] = byte;
      if (kind === 1) bytes.splice(at, 1);
      if (kind === 2) bytes.splice(at, 0, byte);
      if (kind === 3) bytes.splice(at, 0, ...bytes.slice(at, at + 20));
    }
    return Buffer.from(bytes);
  });
const oddBody = fc.oneof(
  fc.json({ maxDepth: 6 }),
  fc.nat(200).map((depth) => `${'{"to":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.nat(9_000).map((depth) => `{"amount":${'['.repeat(depth)}${']'.repeat(depth)}}`),
  fc.nat(20_000).map((length) => JSON.stringify({ amount: '1', to: 'x'.repeat(length) })),
  fc
    .tuple(amount, amount, address)
    .map(([a, b, to]) => `{"amount":${JSON.stringify(a)},"amount":${JSON.stringify(b)},"to":"${to}"}`),
  fc.bigInt().map((number) => `{"amount":${number},"to":"0x"}`),
  fc.uint8Array({ maxLength: 200 }),
  text,
);
const anyBody = fc
  .oneof(
    { weight: 5, arbitrary: nearBody },
    { weight: 3, arbitrary: brokenBody },
    { weight: 2, arbitrary: oddBody },
  )
  .map((body) => (typeof body === 'string' ? Buffer.from(body) : Buffer.from(body)));

/** Computed independently from the text that was sent. */
function expectedRow(body: Record<string, string | undefined>): Record<string, unknown> {
  const [whole, fraction = ''] = body.amount!.split('.');
  const to = body.to!.trim().toLowerCase();
  const isPayee = [payee.email, payee.id, payee.address].includes(to);
  return {
    amount: BigInt(whole! + fraction.padEnd(6, '0')),
    to_address: isPayee ? payee.address : to,
    recipient_user_id: isPayee && (body.network ?? 'polygon').toLowerCase() === 'polygon' ? payee.id : null,
    currency: (body.currency ?? 'USDT').toUpperCase(),
    network: (body.network ?? 'polygon').toLowerCase(),
    external_id: body.externalId ?? null,
    status: 'queued',
    decimals: 6,
  };
}

const bodiesAtOnce = 20;

test(`200 or 4xx for ${sizes.withdrawalBodies} bodies: never a 5xx, a 200 stores one row with exactly what was asked, a 4xx stores no row`, async () => {
  let [asked, created] = [0, 0];
  const url = `/api/crypto/${caller.userId}/withdraw`;
  const batch = fc.array(anyBody, { minLength: bodiesAtOnce, maxLength: bodiesAtOnce });
  await fc.assert(
    fc.asyncProperty(batch, async (bodies) => {
      const before = await countStored();
      const answers = await Promise.all(bodies.map((body) => inject('POST', url, body)));
      for (const [at, answer] of answers.entries()) expectForm(answer, bodies[at]!.toString());
      const made = answers.flatMap((answer, at) =>
        answer.status === 200 ? [{ answer, body: bodies[at]! }] : [],
      );
      assert.equal(await countStored(), before + made.length, 'as many rows as answers of 200');
      asked += bodies.length;
      created += made.length;
      const rows = await sql('select * from withdrawals where bulk_id = any($1::uuid[])', [
        made.map(({ answer }) => answer.body.data.bulkId),
      ]);
      for (const { answer, body } of made) {
        const expected = expectedRow(JSON.parse(body.toString()));
        const row = rows.find(({ bulk_id }) => bulk_id === answer.body.data.bulkId)!;
        const stored = Object.fromEntries(Object.keys(expected).map((key) => [key, row[key]]));
        assert.deepEqual(stored, expected);
        assert.equal(answer.body.data.externalId ?? null, expected.external_id);
        assert.ok(parseAddress(row.to_address as string));
        assert.ok((row.amount as bigint) > 0n);
      }
    }),
    { numRuns: sizes.withdrawalBodies / bodiesAtOnce, ...replay },
  );
  assert.ok(created > asked / 20 && created < asked, `${created} of ${asked} were created`);
});

test('200 or 4xx for 1,000 users, keys and headers', async () => {
  const good = Buffer.from(JSON.stringify({ amount: '1', to: makeAddress() }));
  const part = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.uuid(), once('.', '..', '%', '\0'));
  const key = fc.stringMatching(/^[\x20-\x7e]{0,40}$/);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(part, key, fc.boolean()), { minLength: 10, maxLength: 10 }),
      async (ones) => {
        const before = await countStored();
        const answers = await Promise.all(
          ones.map(([user, key, isOwn]) =>
            inject(
              'POST',
              `/api/crypto/${isOwn ? caller.userId : encodeURIComponent(user.toWellFormed())}/withdraw`,
              good,
              { 'idempotency-key': key },
            ),
          ),
        );
        for (const [at, answer] of answers.entries()) expectForm(answer, JSON.stringify(ones[at]));
        const ids = answers.flatMap(({ status, body }) => (status === 200 ? [body.data.bulkId] : []));
        assert.ok((await countStored()) - before <= new Set(ids).size);
      },
    ),
    { numRuns: sized(40, 100), ...replay },
  );
});

// ## The list

interface Row {
  id: string;
  bulkId: string;
  status: string;
  externalId: string | null;
}

async function seedList(as: IssuedKey): Promise<Row[]> {
  await sql(
    `with list as (insert into withdrawal_lists (partner_id, user_id, last_position) values ($1, $2, 60) returning id)
     insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals, amount,
       to_address, external_id, created_at, updated_at)
     select list.id, n, $1, $2, $3, 'polygon', 'USDT', $4, 6, n, $4, case n % 4 when 0 then null else 'label ' || n % 4 end, now(), now()
     from list, generate_series(1, 60) n`,
    [as.partnerId, as.userId, as.id, makeAddress()],
  );
  await sql(`update withdrawals set status = 'pending' where partner_id = $1 and position % 3 = 0`, [
    as.partnerId,
  ]);
  await sql(
    `update withdrawals set status = 'failed', error_message = 'a test' where partner_id = $1 and position % 6 = 0`,
    [as.partnerId],
  );
  const rows = await sql(
    `select id, bulk_id as "bulkId", status, external_id as "externalId" from withdrawals where partner_id = $1
     order by position desc`,
    [as.partnerId],
  );
  return rows as never;
}

test('200 or 4xx for any query: never a 5xx, and a 200 is exactly the page that was asked for', async () => {
  const owner = await makeKey(harness);
  const rows = await seedList(owner);
  const integer = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer(), fc.maxSafeInteger()).map(String);
  const value = fc.oneof(
    text,
    wild.map((value) => JSON.stringify(value)),
    integer,
    once(...statuses, 'label 1', ''),
  );
  const bulkId = fc.oneof(
    { weight: 3, arbitrary: once(...rows.map((row) => row.bulkId)) },
    { weight: 1, arbitrary: value },
  );
  const known = fc.record(
    {
      page: fc.oneof({ weight: 4, arbitrary: integer }, { weight: 1, arbitrary: value }),
      perPage: fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 1, max: 200 }).map(String) },
        { weight: 1, arbitrary: value },
      ),
      status: fc.oneof({ weight: 4, arbitrary: once(...statuses) }, { weight: 1, arbitrary: value }),
      externalId: fc.oneof(
        { weight: 2, arbitrary: once('label 1', 'label 2') },
        { weight: 1, arbitrary: value },
      ),
      bulkId,
      transactionHash: fc.oneof(value, fc.stringMatching(/^0x[0-9a-f]{64}$/)),
    },
    { requiredKeys: [] },
  );
  const good = fc.record(
    {
      page: fc.integer({ min: 1, max: 5 }).map(String),
      perPage: fc.integer({ min: 1, max: 200 }).map(String),
      status: once<string>(...statuses),
      externalId: once('label 1', 'label 2', 'label 3', 'none'),
    },
    { requiredKeys: [] },
  );
  const encode = (part: string) => encodeURIComponent(part.toWellFormed());
  const tidy = fc.oneof(good, known).map((query) =>
    Object.entries(query)
      .map(([name, value]) => `${name}=${encode(value)}`)
      .join('&'),
  );
  const raw = fc.stringMatching(/^(page|perPage|status|externalId|bulkId)?[=&%+.;[\]0-9a-fA-F_~-]{0,30}$/);
  const query = fc.oneof(
    { weight: 6, arbitrary: tidy },
    { weight: 2, arbitrary: raw },
    { weight: 1, arbitrary: fc.tuple(text, text).map(([name, value]) => `${encode(name)}=${encode(value)}`) },
    { weight: 1, arbitrary: fc.tuple(tidy, raw).map(([one, other]) => `${one}&${other}`) },
  );
  let [asked, answered, found] = [0, 0, 0];
  const stored = await countStored();
  const token = { authorization: `Bearer ${owner.token}` };
  await fc.assert(
    fc.asyncProperty(fc.array(query, { minLength: 20, maxLength: 20 }), async (queries) => {
      const answers = await Promise.all(
        queries.map((one) => inject('GET', `/api/crypto/${owner.userId}/withdraws?${one}`, undefined, token)),
      );
      for (const [at, answer] of answers.entries()) {
        expectForm(answer, queries[at]!);
        asked++;
        if (answer.status !== 200) continue;
        answered++;
        const { withdraws, pageInfo } = answer.body.data;
        const asked200 = new URLSearchParams(queries[at]!);
        const perPage = Number(asked200.get('perPage') ?? 20);
        const offset = (Number(asked200.get('page') ?? 1) - 1) * perPage;
        assert.deepEqual(pageInfo, { limit: perPage, offset }, queries[at]);
        const [status, label, bulk] = ['status', 'externalId', 'bulkId'].map((name) => asked200.get(name));
        const fitting = rows.filter(
          (row) =>
            (status == null || row.status === status) &&
            (label == null || row.externalId === label) &&
            (bulk == null || row.bulkId === bulk.toLowerCase()) &&
            !asked200.has('transactionHash'),
        );
        const ids = withdraws.map(({ id }: Row) => id);
        assert.deepEqual(
          ids,
          fitting.slice(offset, offset + perPage).map(({ id }) => id),
          queries[at],
        );
        found += ids.length > 0 ? 1 : 0;
      }
    }),
    { numRuns: sized(60, 200), ...replay },
  );
  assert.equal(await countStored(), stored);
  assert.ok(
    answered > asked / 10 && answered < asked && found > asked / 40,
    `${found}, ${answered} of ${asked}`,
  );
});
