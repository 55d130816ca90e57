import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Compile, type Validator } from 'typebox/compile';
import type { IssuedKey } from '#features/keys';
import { modernRequest } from '#test/callers/mcp';
import { makeKey, makeLines, makePartner } from '#test/data/factories';
import { startTestIssuer } from '#test/outside/issuer';
import { tools as toolsOf } from '../../src/app.ts';
import { createCards } from '../../src/features/cards/create-cards.ts';
import { updateCard } from '../../src/features/cards/update-card.ts';
import { useHarness } from '../harness.ts';
import { sizes } from '../sizes.ts';
import { createKeyPool } from './key-pool.ts';

// A failure prints its seed and path; put them here to see it again.
const replay: { seed?: number; path?: string } = {};

const sandbox = await startTestIssuer();
after(() => sandbox.stop());
const harness = useHarness({ issuer: sandbox.issuer });

// ## Who sends

interface Sender extends IssuedKey {
  cardId: string;
  cardIssuerUserId: string;
  hash: string;
}

let partnerId: Promise<string> | undefined;
const senders = createKeyPool<Sender>(async () => {
  partnerId ??= makePartner(harness).then(({ id }) => id);
  const key = await makeKey(harness, {
    partnerId: await partnerId,
    scopes: ['mcp', 'mcp_card_reveal', 'mcp:write'],
  });
  const { userId } = key;
  const ctx = harness.operatorContext();
  const { cards } = await createCards(ctx, { userId, cards: [{ spendingLimit: '100' }] });
  const { id: cardId, cardIssuerUserId } = cards[0]!;
  await updateCard(ctx, { userId, cardId, cardIssuerUserId, status: 'active' });
  const hash = `0x${Buffer.from(key.id).toString('hex').padEnd(64, '0').slice(0, 64)}`;
  await makeLines(harness, userId, [{}, { transactionHash: hash, logIndex: 1 }, { transactionType: 'sell' }]);
  return { ...key, cardId, cardIssuerUserId, hash };
});

// ## What is sent

interface Sent {
  headers: Record<string, string>;
  /** Its bytes, a character each, with `@card`, `@account` and `@hash` where the sender's own are meant. */
  body: string;
}

const one = <T>(...values: T[]) => fc.constantFrom(...values);
const often = <T>(usual: fc.Arbitrary<T>, weight: number, odd: fc.Arbitrary<unknown> = wild) =>
  fc.oneof({ weight, arbitrary: usual as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd });

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 80 }),
);
const wild: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 2 }),
  fc.double(),
  one<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    1e308,
    1e-7,
    2 ** 53,
    -(2 ** 63),
    '',
    ' ',
    '\0',
    '\ud800',
    [],
    {},
  ),
  one<unknown>('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then'),
  one<unknown>(JSON.parse('{"__proto__":{"a":1},"then":1}')),
  one('9'.repeat(400), 'x'.repeat(3_000), '\u202e', '１', '𝟙', '%00', "' or 1=1 --", '../../etc/passwd'),
  fc.nat(60).map((depth) => JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`)),
  fc.nat(60).map((depth) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)),
);

const day = fc
  .date({ min: new Date('2019-01-01'), max: new Date('2028-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const instant = fc.oneof(
  { weight: 4, arbitrary: day },
  { weight: 2, arbitrary: day.map((date) => date.slice(0, 10)) },
  {
    weight: 1,
    arbitrary: one(
      '2026-02-30',
      '2026-01-01T25:00:00Z',
      '0000-00-00',
      '9999-12-31T23:59:59Z',
      'yesterday',
      '+275760-09-13',
    ),
  },
);
const money = fc.oneof(
  fc.nat(99_999).map((cents) => (cents / 100).toFixed(2)),
  one('0', '-1', '1e3', '0.001', '99999999999999999', '1,5', 'NaN', ' 1', '１'),
);

/** What each argument usually is, by its name; whatever is not here is described by its schema alone. */
const usual: Record<string, fc.Arbitrary<unknown>> = {
  cardId: one('@card', '@card', '@card', 'card-of-nobody'),
  cardIssuerUserId: one('@account', '@account', '@account', 'account-of-nobody'),
  startDate: instant,
  endDate: instant,
  asOf: instant,
  filterByHash: fc.oneof(one('@hash', '@HASH'), fc.stringMatching(/^0x[0-9a-f]{64}$/)),
  currentPage: fc.oneof(fc.nat(3), fc.nat(1_000_000)),
  includeCardSecrets: one(false, false, false, true),
  sessionId: fc.nat().map((seed) => createHash('sha512').update(`${seed}`).digest('base64').slice(0, 344)),
  spendingLimit: money,
  nickname: fc.oneof(text, fc.constant(null)),
  reason: text,
  idempotencyKey: fc.oneof(one('a', 'b', 'c'), fc.uuid()),
};

interface AnySchema {
  type?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  items?: AnySchema;
  properties?: Record<string, AnySchema>;
  required?: string[];
}

/** A value near to what a schema says: each part of it mostly good, now and then anything. */
function near(schema: AnySchema, name = ''): fc.Arbitrary<unknown> {
  if (usual[name]) return often(usual[name], 15);
  // A canceled card is of no more use to later steps.
  if (schema.enum)
    return often(
      one(...schema.enum.filter((word) => word !== 'canceled')),
      15,
      fc.oneof(one('canceled'), wild),
    );
  switch (schema.type) {
    case 'integer':
      return often(fc.integer({ min: schema.minimum, max: schema.maximum }), 15);
    case 'boolean':
      return often(fc.boolean(), 15);
    case 'array':
      return often(fc.array(near(schema.items!), { minLength: 1, maxLength: 2 }), 15);
    case 'object':
      return nearObject(schema);
    default:
      return often(text, 10);
  }
}

type Field = [name: string, value: unknown];
const none = fc.constant<Field[]>([]);

function nearObject({ properties = {}, required = [] }: AnySchema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const given = near(schema, name).map((value): Field[] => [[name, value]]);
    return fc.oneof(
      { weight: required.includes(name) ? 30 : 1, arbitrary: given },
      { weight: required.includes(name) ? 1 : 2, arbitrary: none },
    );
  });
  const extra = fc.tuple(text, wild).map((field): Field[] => [field]);
  const maybeExtra = fc.oneof({ weight: 1, arbitrary: extra }, { weight: 10, arbitrary: none });
  return fc.tuple(...fields, maybeExtra).map((parts) => Object.fromEntries(parts.flat()));
}

const tools = toolsOf({ balanceStaleAfterMs: 3_600_000 });
/** Those that ask the issuer, which is another process, less often. */
const call = fc.oneof(
  ...tools.map(({ name, input }) => ({
    weight: ['createUserCards', 'updateUserCard', 'getCardRevealPublicKey'].includes(name) ? 1 : 4,
    arbitrary: often(nearObject(input as AnySchema), 25).map((args) => ({
      name: name as unknown,
      arguments: args,
    })),
  })),
  { weight: 2, arbitrary: fc.record({ name: wild, arguments: wild }) },
);
const methods = [
  'tools/list',
  'initialize',
  'ping',
  'server/discover',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'notifications/initialized',
];
const request: fc.Arbitrary<[method: unknown, params: unknown]> = fc.oneof(
  { weight: 12, arbitrary: call.map((params): [unknown, unknown] => ['tools/call', params]) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      one<unknown>(...methods),
      fc.oneof(
        one<unknown>(undefined, {}, { protocolVersion: '2025-06-18' }),
        fc.record({
          name: fc.oneof(one<unknown>('reviewMonth', 'explainCharge', 'whatIsPending'), wild),
          arguments: fc.oneof(one<unknown>({}, { month: '2026-01' }, { charge: 'x' }), wild),
          uri: fc.oneof(one<unknown>('causeway://statements/2026-01.csv'), wild),
        }),
      ),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(wild, wild) },
);
const id = fc.oneof(
  { weight: 8, arbitrary: fc.integer() as fc.Arbitrary<unknown> },
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: wild },
);

interface Draft {
  // biome-ignore lint/suspicious/noExplicitAny: a message in the making, of any shape.
  message: any;
  headers: Record<string, string>;
}

/** As clients do with what a header cannot carry. */
const toHeader = (value: string) =>
  /^[\x21-\x7e]+$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;

const revisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const callers: Record<string, fc.Arbitrary<Draft>> = {
  plain: fc.tuple(request, id).map(([[method, params], id]) => ({
    message: { jsonrpc: '2.0', id, method, params },
    headers: {},
  })),
  legacy: fc.tuple(request, id, one(...revisions)).map(([[method, params], id, revision]) => ({
    message: { jsonrpc: '2.0', id, method, params },
    headers: { 'mcp-protocol-version': revision, accept: 'application/json, text/event-stream' },
  })),
  modern: fc.tuple(request, id).map(([[method, params], id]) => {
    const fields = typeof params === 'object' && params !== null && !Array.isArray(params) ? params : {};
    const said = typeof method === 'string' ? method : 'tools/list';
    const { message, headers } = modernRequest(said, fields as Record<string, unknown>, id);
    const sendable = Object.entries(headers).map(([name, value]) => [name, toHeader(value)]);
    return { message: { ...message, method }, headers: Object.fromEntries(sendable) };
  }),
};

/** A place in a message, by turns that are taken at each level, and what becomes of it. */
const change = fc.tuple(fc.array(fc.nat(7), { minLength: 1, maxLength: 4 }), fc.nat(2), wild);
function alter(message: Draft['message'], [turns, kind, value]: [number[], number, unknown]): void {
  let at = message;
  for (const [depth, turn] of turns.entries()) {
    const names = Object.keys(at);
    const name = names[turn % (names.length || 1)] ?? 'new';
    const inner = at[name];
    if (depth < turns.length - 1 && typeof inner === 'object' && inner !== null) at = inner;
    else {
      if (kind === 0) delete at[name];
      else if (kind === 1) Object.defineProperty(at, name, { value, enumerable: true, configurable: true });
      else at[`${name}2`] = value;
      return;
    }
  }
}

const headerText = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,30}[\x21-\x7e])?$/);
const headerChange = fc.oneof(
  fc.tuple(
    one('mcp-protocol-version', 'mcp-method', 'mcp-name', 'accept', 'mcp-session-id', 'last-event-id'),
    fc.oneof(
      headerText,
      one('', '2026-07-28', 'tools/call', '=?base64?AAAA?=', '=?base64?Z2V0VXNlckNhcmRz?='),
    ),
  ),
  fc.tuple(
    one('content-type'),
    one('text/plain', 'application/json; charset=latin1', 'APPLICATION/JSON', 'application/json;;', ''),
  ),
  fc.tuple(one('authorization'), one('Bearer x', 'Basic eA==', '')),
  fc.tuple(one('origin'), one('https://evil.example.com', 'null', 'http://localhost:1')),
);
/** Where, what happens there, and a byte. */
const byteChange = fc.tuple(
  fc.nat(600),
  fc.nat(4),
  fc.oneof(fc.nat(255), one(...Buffer.from('"\\{}[],:0u'))),
);
function alterBytes(body: Buffer, changes: readonly [number, number, number][]): Buffer {
  const bytes = [...body];
  for (const [where, kind, byte] of changes) {
    const at = where % (bytes.length || 1);
    if (kind === 0) bytes[at] = byte;
    if (kind === 1) bytes.splice(at, 1);
    if (kind === 2) bytes.splice(at, 0, byte);
    if (kind === 3) bytes.splice(at, 0, ...bytes.slice(at, at + 20));
    if (kind === 4) bytes.length = at;
  }
  return Buffer.from(bytes);
}

const oddBody = fc.oneof(
  fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
  fc
    .nat(5_000)
    .map((depth) =>
      Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"x","params":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    ),
  fc
    .integer({ min: 10_000, max: 40_000 })
    .map((size) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(size) }))),
  fc.bigInt().map((id) => Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)),
  fc
    .tuple(fc.integer(), fc.integer())
    .map(([a, b]) => Buffer.from(`{"jsonrpc":"2.0","id":${a},"id":${b},"method":"ping"}`)),
);

const json = (message: unknown) => Buffer.from(JSON.stringify(message) ?? '');
const plainHeaders = { 'content-type': 'application/json' };

/**
 * Of a hundred messages about 70 are as their caller would send them, the others altered in their fields,
 * headers or bytes.
 */
function messageOf(caller: fc.Arbitrary<Draft>): fc.Arbitrary<Sent> {
  const whole = caller.map(({ message, headers }) => ({
    headers: { ...plainHeaders, ...headers },
    body: json(message),
  }));
  const inFields = fc.tuple(whole, change).map(([{ headers, body }, change]) => {
    // Separate, because parts of messages are drawn again.
    const message = JSON.parse(body.toString());
    alter(message, change);
    return { headers, body: json(message) };
  });
  const inHeaders = fc.tuple(whole, headerChange).map(([{ headers, body }, [name, value]]) => ({
    headers: { ...headers, [name]: value },
    body,
  }));
  const inBytes = fc
    .tuple(whole, fc.array(byteChange, { minLength: 1, maxLength: 3 }))
    .map(([{ headers, body }, changes]) => ({ headers, body: alterBytes(body, changes) }));
  const bytes = fc.oneof(
    { weight: 70, arbitrary: whole },
    { weight: 12, arbitrary: inFields },
    { weight: 8, arbitrary: inHeaders },
    { weight: 6, arbitrary: inBytes },
    { weight: 2, arbitrary: oddBody.map((body) => ({ headers: plainHeaders, body })) },
    { weight: 2, arbitrary: whole.map(({ headers, body }) => ({ headers, body: Buffer.from(`[${body}]`) })) },
  );
  return bytes.map(({ headers, body }) => ({ headers, body: body.toString('latin1') }));
}

// ## What comes back

interface Came {
  status: number;
  type: string | undefined;
  text: string;
  ms: number;
}

/** The pairs of status and code that the ladder has; nothing else may come, and of -32603 none at all. */
const rungs = new Set([
  '403 -32600',
  '401 -32001',
  '400 -32700',
  '413 -32600',
  '415 -32600',
  '400 -32600',
  '429 -32005',
  '400 -32022',
  '400 -32602',
  '400 -32020',
  '200 -32601',
  '404 -32601',
  '200 -32602',
  '403 -32003',
]);
const withoutId = new Set(['401 -32001', '400 -32700', '413 -32600', '415 -32600', '403 -32600']);

const outputs = new Map<string, Validator>(tools.map(({ name, output }) => [name, Compile(output)]));

function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const idOf = (message: unknown): unknown => {
  const id =
    typeof message === 'object' &&
    message !== null &&
    !Array.isArray(message) &&
    (message as Draft['message']).id;
  if (typeof id === 'string') return id;
  // JSON writes -0, which a caller may send as -6e-3203, as 0.
  return Number.isSafeInteger(id) ? (id as unknown as number) + 0 : null;
};

/** The outcome of a message in one word; throws for an answer that is not allowed. */
function judge(sent: Buffer, came: Came): string {
  const said = parse(sent.toString());
  assert.ok(came.status < 500, `status ${came.status}`);
  assert.ok(came.ms < 60_000, `${came.ms} ms`);
  if (came.status === 202) {
    assert.equal(came.text, '');
    assert.ok(said && !('id' in said), 'only a notification has no answer');
    return 'taken';
  }
  assert.match(came.type ?? '', /^application\/json/);
  const answer = parse(came.text);
  assert.ok(answer && !Array.isArray(answer), 'one answer');
  const { jsonrpc, id, result, error, ...others } = answer;
  assert.deepEqual([jsonrpc, others], ['2.0', {}]);
  if (error) {
    assert.equal(result, undefined);
    const rung = `${came.status} ${error.code}`;
    assert.ok(rungs.has(rung), rung);
    assert.equal(id, withoutId.has(rung) ? null : idOf(said));
    assert.ok(typeof error.message === 'string' && error.message.length < 500);
    for (const name of Object.keys(error)) assert.ok(['code', 'message', 'data'].includes(name), name);
    return rung;
  }
  assert.equal(came.status, 200);
  assert.equal(id, idOf(said));
  assert.ok(id !== null && typeof result === 'object' && result !== null);
  if (said.method !== 'tools/call') return 'answered';
  const { content, structuredContent, isError } = result;
  assert.ok(content.length === 1 && content[0].type === 'text');
  const { text } = content[0];
  if (isError) {
    assert.equal(isError, true);
    assert.ok(text.length > 10 && text.length < 3_000 && !/[\p{Cc}\p{Cf}]/u.test(text), text);
    return text.startsWith('Invalid arguments for') ? 'arguments refused' : `${said.params.name} refused`;
  }
  const payload = JSON.parse(text);
  const validator = outputs.get(said.params.name)!;
  assert.ok(validator.Check(payload), JSON.stringify(validator.Errors(payload)));
  if (structuredContent !== undefined) assert.equal(JSON.stringify(structuredContent), text);
  return `${said.params.name} done`;
}

type Send = (headers: Record<string, string>, body: Buffer) => Promise<Omit<Came, 'ms'>>;

const inject: Send = async (headers, payload) => {
  const {
    statusCode,
    headers: answered,
    payload: text,
  } = await harness.server.inject({
    method: 'POST',
    url: '/mcp',
    headers,
    payload,
  });
  return { status: statusCode, type: answered['content-type'] as string | undefined, text };
};

const overHttp: Send = async (headers, body) => {
  const response = await fetch(`${harness.url}/mcp`, { method: 'POST', headers, body: new Uint8Array(body) });
  const type = response.headers.get('content-type') ?? undefined;
  return { status: response.status, type, text: await response.text() };
};

async function sendOne(send: Send, sent: Sent): Promise<string> {
  const sender = await senders.take();
  const body = Buffer.from(
    sent.body
      .replaceAll('@card', sender.cardId)
      .replaceAll('@account', sender.cardIssuerUserId)
      .replaceAll('@hash', sender.hash)
      .replaceAll('@HASH', `0x${sender.hash.slice(2).toUpperCase()}`),
    'latin1',
  );
  const headers = { authorization: `Bearer ${sender.token}`, ...sent.headers };
  const startedAt = performance.now();
  let came: Came | undefined;
  try {
    const answer = await send(headers, body);
    came = { ...answer, ms: performance.now() - startedAt };
    return judge(body, came);
  } catch (error) {
    const { authorization: _, ...others } = headers;
    const about = `sent ${JSON.stringify(others)} ${JSON.stringify(body.toString('latin1')).slice(0, 3_000)}`;
    throw new Error(`${(error as Error).message}\n${about}\ncame ${JSON.stringify(came)?.slice(0, 2_000)}`, {
      cause: error,
    });
  }
}

/** All at once; whichever has no answer by then hangs. */
async function sendAll(send: Send, messages: readonly Sent[]): Promise<string[]> {
  const waiting = new Set(messages);
  let timer: NodeJS.Timeout | undefined;
  const hanging = new Promise<never>((_, reject) => {
    const tell = () => reject(new Error(`no answer within 120 s to ${JSON.stringify([...waiting])}`));
    timer = setTimeout(tell, 120_000);
  });
  const sending = messages.map(async (sent) => {
    const outcome = await sendOne(send, sent);
    waiting.delete(sent);
    return outcome;
  });
  try {
    return await Promise.race([Promise.all(sending), hanging]);
  } finally {
    clearTimeout(timer);
  }
}

const atOnce = 50;

/** Sends as many messages of a caller, and says what became of them. */
async function fuzz(t: TestContext, caller: fc.Arbitrary<Draft>, count: number, send: Send) {
  const outcomes = new Map<string, number>();
  const startedAt = performance.now();
  const batch = fc.array(messageOf(caller), { minLength: atOnce, maxLength: atOnce });
  await fc.assert(
    fc.asyncProperty(batch, async (messages) => {
      for (const outcome of await sendAll(send, messages)) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    }),
    // What failed says which message it was: to look for a smaller one would send thousands more.
    { numRuns: count / atOnce, endOnFailure: true, ...replay },
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const sorted = [...outcomes].sort(([, a], [, b]) => b - a);
  t.diagnostic(
    `${count} in ${seconds.toFixed(1)} s, ${senders.size} senders; ${sorted.map((entry) => entry.join(': ')).join(', ')}`,
  );
  const share = (isMeant: (outcome: string) => boolean) =>
    sorted.reduce((sum, [outcome, times]) => (isMeant(outcome) ? sum + times : sum), 0) / count;
  assert.equal(
    share(() => true),
    1,
    'every message was answered',
  );
  // A right answer, but one behind which nothing is seen; a request that was long on its way may meet one.
  assert.ok(share((outcome) => outcome.startsWith('429')) < 0.01, 'hardly any was refused for their number');
  const reached = share((outcome) => / (?:done|refused)$/.test(outcome) && outcome !== 'arguments refused');
  assert.ok(reached >= 0.2, `${reached} reached a tool`);
  assert.ok(share((outcome) => outcome === 'arguments refused') >= 0.05);
  assert.ok(share((outcome) => /^4\d\d /.test(outcome)) >= 0.05);
  return outcomes;
}

const messages = sizes.mcpMessages;
const overSockets = Math.round(messages / 10);
const ofEach = (messages - overSockets) / Object.keys(callers).length;

for (const [name, caller] of Object.entries(callers)) {
  test(`${ofEach} messages of a ${name} caller: each has exactly one answer, none fails`, async (t) => {
    const outcomes = await fuzz(t, caller, ofEach, inject);
    for (const tool of tools) {
      const done = outcomes.get(`${tool.name} done`) ?? 0;
      // Some are rare: about one in a thousand messages has cards made.
      assert.ok(done >= Math.floor(ofEach / 1_000), `${tool.name} was done ${done} times`);
    }
  });
}

test(`${overSockets} messages of all callers over HTTP`, async (t) => {
  await fuzz(t, fc.oneof(...Object.values(callers)), overSockets, overHttp);
});

test('the cards that were made are those that were asked for: nobody has another’s', async () => {
  const [row] = await harness.deps.db.query<{ strays: bigint }>(
    `select count(*) as strays from cards c join card_issuer_users u on u.id = c.card_issuer_user_id where c.user_id <> u.user_id`,
  );
  assert.equal(row!.strays, 0n);
});
