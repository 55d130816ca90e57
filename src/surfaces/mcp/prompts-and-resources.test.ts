import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import type { IssuedKey } from '#features/keys';
import { modernRequest, postMessage } from '#test/callers/mcp';
import { type LineFields, makeKey, makeLines } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { tools } from '../../app.ts';

const harness = useHarness();
const newKey = () => makeKey(harness, { scopes: ['mcp'] });

/** As a caller of 2026, and the same without headers. */
async function ask({ token }: IssuedKey, method: string, params: Record<string, unknown> = {}) {
  const { message, headers } = modernRequest(method, params);
  const modern = await postMessage(harness, { token, headers }, message);
  const plain = await postMessage(harness, { token }, { jsonrpc: '2.0', id: 1, method, params });
  assert.deepEqual([modern.status, plain.status], [200, 200], JSON.stringify([modern.body, plain.body]));
  const { resultType, _meta, ttlMs, cacheScope, ...rest } = modern.body.result ?? {};
  if (plain.body.result) assert.deepEqual([resultType, rest], ['complete', plain.body.result]);
  else assert.deepEqual(modern.body.error, plain.body.error);
  return { ...plain.body, hints: [ttlMs, cacheScope] };
}

async function expectFault(method: string, params: Record<string, unknown>, message: RegExp | string) {
  const { error } = await ask(await newKey(), method, params);
  assert.equal(error.code, -32602);
  if (typeof message === 'string') assert.equal(error.message, message);
  else assert.match(error.message, message);
  return error;
}

// ## Prompts

test('200 prompts/list: three prompts, with titles, words and arguments', async () => {
  const { result, hints } = await ask(await newKey(), 'prompts/list');
  assert.deepEqual(
    result.prompts.map(({ name, title }: Record<string, string>) => [name, title]),
    [
      ['reviewMonth', 'Review my month'],
      ['explainCharge', 'Explain this charge'],
      ['whatIsPending', 'What is pending'],
    ],
  );
  const [month, charge, pending] = result.prompts;
  assert.deepEqual(
    [...month.arguments, ...charge.arguments].map(({ name, required }) => [name, required]),
    [
      ['month', false],
      ['charge', true],
    ],
  );
  assert.equal(pending.arguments, undefined);
  for (const { description } of result.prompts) assert.ok(description.length > 20);
  assert.deepEqual(hints, [300_000, 'private']);
});

const inputs = new Map(tools({ balanceStaleAfterMs: 1 }).map(({ name, input }) => [name, Compile(input)]));
for (const [name, args, start] of [
  ['reviewMonth', { month: '2026-10' }, 'Review my month 2026-10.'],
  ['reviewMonth', {}, `Review my month ${new Date().toISOString().slice(0, 7)}.`],
  ['reviewMonth', { month: '' }, `Review my month ${new Date().toISOString().slice(0, 7)}.`],
  [
    'explainCharge',
    { charge: 'Hotel\n\u202eAtlantico 84.20' },
    'Explain this charge: Hotel Atlantico 84.20\n',
  ],
  ['whatIsPending', {}, 'What is pending in my account and on my cards?'],
] as const) {
  test(`200 prompts/get ${name} ${JSON.stringify(args)}: one message of the person, which names calls that the tools accept`, async () => {
    const { result } = await ask(await newKey(), 'prompts/get', { name, arguments: args });
    assert.deepEqual(Object.keys(result), ['description', 'messages']);
    const [{ role, content }, ...others] = result.messages;
    assert.deepEqual([role, content.type, others], ['user', 'text', []]);
    assert.ok(content.text.startsWith(start), content.text);
    const named = content.text.match(/\b(?:get|create|update)[A-Z]\w+/g);
    assert.ok(named.length > 1);
    for (const tool of named) assert.ok(inputs.has(tool), tool);
    for (const [call, tool, json] of content.text.matchAll(/(\w+) (\{[^}]*\})/g)) {
      assert.ok(inputs.get(tool)!.Check(JSON.parse(json)), call);
    }
  });
}

for (const [params, message] of [
  [{ name: 'reviewYear' }, 'Unknown prompt: reviewYear'],
  [{ name: 'toString' }, 'Unknown prompt: toString'],
  [{ name: 7 }, 'params.name must be the name of a prompt'],
  [{}, 'params.name must be the name of a prompt'],
  [{ name: 'reviewMonth', arguments: [] }, 'params.arguments must be an object'],
  [{ name: 'reviewMonth', arguments: { month: '2026-13' } }, 'month must be a month, such as 2026-10'],
  [{ name: 'reviewMonth', arguments: { month: '2026' } }, 'month must be a month, such as 2026-10'],
  [
    {
      name: 'reviewMonth',
      arguments: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${'x'.repeat(60)}${n}`, n])),
    },
    `Invalid arguments for reviewMonth: ${`unknown argument ${'x'.repeat(59)}…: the arguments are month. `.repeat(3)}And 197 more.`,
  ],
  [
    { name: 'reviewMonth', arguments: { month: 10, year: '2026' } },
    'Invalid arguments for reviewMonth: month must be a string. unknown argument year: the arguments are month.',
  ],
  [{ name: 'explainCharge' }, /^Invalid arguments for explainCharge: charge is required: What you see/],
  [
    { name: 'explainCharge', arguments: { charge: 'x'.repeat(501) } },
    /charge must have at most 500 characters/,
  ],
  [
    { name: 'whatIsPending', arguments: { month: '2026-10' } },
    'Invalid arguments for whatIsPending: unknown argument month: the prompt takes no arguments.',
  ],
] as const) {
  test(`200 -32602 prompts/get ${JSON.stringify(params).slice(0, 80)}`, async () => {
    await expectFault('prompts/get', params, message);
  });
}

// ## Statements

const monthAgo = (months: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1, 12));
};
const monthOf = (instant: Date) => instant.toISOString().slice(0, 7);
const uriOf = (month: string) => `causeway://statements/${month}.csv`;
const lineAt = (instant: Date, fields: LineFields = {}): LineFields => ({
  transactionDate: instant.toISOString(),
  ...fields,
});

for (const [title, firstAgo, count] of [
  ['somebody without lines', undefined, 1],
  ['lines of this month', 0, 1],
  ['a first line three months ago', 3, 4],
  ['a first line two years ago', 24, 12],
] as const) {
  test(`200 resources/list for ${title}: ${count} of the last months, newest first`, async () => {
    const key = await newKey();
    if (firstAgo !== undefined) {
      await makeLines(harness, key.userId, [lineAt(monthAgo(firstAgo)), lineAt(monthAgo(0))]);
    }
    const { result, hints } = await ask(key, 'resources/list');
    const months = Array.from({ length: count }, (_, ago) => monthOf(monthAgo(ago)));
    const expected = months.map((month) => ({
      uri: uriOf(month),
      name: `statement-${month}.csv`,
      title: `Account statement ${month}`,
      mimeType: 'text/csv',
    }));
    assert.deepEqual(result.resources, expected);
    assert.deepEqual(hints, [0, 'private']);
  });
}

test('200 resources/templates/list: one template, for any month', async () => {
  const { result, hints } = await ask(await newKey(), 'resources/templates/list');
  assert.deepEqual(
    result.resourceTemplates.map(({ uriTemplate, mimeType }: Record<string, string>) => [
      uriTemplate,
      mimeType,
    ]),
    [['causeway://statements/{month}.csv', 'text/csv']],
  );
  assert.deepEqual(hints, [300_000, 'private']);
});

test('200 resources/read: the CSV statement of that month and of the owner of the key, byte for byte', async () => {
  const [key, stranger] = [await newKey(), await newKey()];
  const days = ['2026-02-28T23:59:59.999Z', '2026-03-01', '2026-03-31T23:59:59.999Z', '2026-04-01'];
  const lines = days.map((day, n) => lineAt(new Date(day), { description: `Order ${n}, "paid"` }));
  await makeLines(harness, key.userId, lines);
  await makeLines(harness, stranger.userId, [lineAt(new Date('2026-03-05'), { description: 'of another' })]);
  const { result, hints } = await ask(key, 'resources/read', { uri: uriOf('2026-03') });
  const [{ text, ...content }, ...others] = result.contents;
  assert.deepEqual([content, others], [{ uri: uriOf('2026-03'), mimeType: 'text/csv' }, []]);
  const statement = await fetch(`${harness.url}/api/history/statement?startDate=2026-03&endDate=2026-03`, {
    headers: { authorization: `Bearer ${key.token}` },
  });
  assert.equal(text, await statement.text());
  assert.deepEqual(text.match(/Order \d/g), ['Order 2', 'Order 1']);
  assert.deepEqual(hints, [0, 'private']);
  const theirs = await ask(stranger, 'resources/read', { uri: uriOf('2026-03') });
  assert.match(theirs.result.contents[0].text, /of another/);
  assert.doesNotMatch(theirs.result.contents[0].text, /Order/);
});

test('200 resources/read: texts of others hide nothing', async () => {
  const key = await newKey();
  const description = `=SUM(1)\u200b ignore\u202e this \u{e0041}${'x'.repeat(230)}`;
  await makeLines(harness, key.userId, [lineAt(new Date('2026-03-05'), { description })]);
  const { result } = await ask(key, 'resources/read', { uri: uriOf('2026-03') });
  assert.match(result.contents[0].text, /,'=SUM\(1\) ignore this x{179}…,/);
});

test('200 resources/read: a month of 1,000 lines; -32602 for one more, with what to do instead', async () => {
  const key = await newKey();
  const first = Date.parse('2026-03-01T00:00:00Z');
  const lines = Array.from({ length: 1_000 }, (_, n) => lineAt(new Date(first + n * 1_000)));
  for (let n = 0; n < lines.length; n += 250) await makeLines(harness, key.userId, lines.slice(n, n + 250));
  const whole = await ask(key, 'resources/read', { uri: uriOf('2026-03') });
  assert.equal(whole.result.contents[0].text.trim().split('\r\n').length, 1_001);
  await makeLines(harness, key.userId, [lineAt(new Date('2026-03-20'))]);
  const { error } = await ask(key, 'resources/read', { uri: uriOf('2026-03') });
  assert.equal(error.code, -32602);
  assert.equal(
    error.message,
    '2026-03 has 1001 lines, and a statement that is read here at most 1000. Call getAccountHistory with a part of the month as startDate and endDate, or download /api/history/statement?startDate=2026-03&endDate=2026-03',
  );
  assert.deepEqual(error.data, { uri: uriOf('2026-03') });
});

for (const uri of [
  uriOf('2026-13'),
  uriOf('2026'),
  uriOf('2026-3'),
  'causeway://statements/2026-03.pdf',
  'causeway://statements/../2026-03.csv',
  'CAUSEWAY://statements/2026-03.csv',
  'file:///etc/passwd',
  '',
]) {
  test(`200 -32602 Resource not found: ${uri || 'an empty address'}`, async () => {
    const { data } = await expectFault('resources/read', { uri }, 'Resource not found');
    assert.deepEqual(data, { uri });
  });
}

test('200 -32602 resources/read without an address; a long one is not repeated in full', async () => {
  for (const params of [{}, { uri: 7 }, { uri: null }]) {
    await expectFault('resources/read', params, 'params.uri must be the address of a resource');
  }
  const { data } = await expectFault('resources/read', { uri: 'x'.repeat(2_000) }, 'Resource not found');
  assert.equal(data.uri.length, 500);
});

// ## The ladder

const methods: [method: string, params: Record<string, unknown>][] = [
  ['prompts/list', {}],
  ['prompts/get', { name: 'whatIsPending' }],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: uriOf('2026-03') }],
];
for (const [method, params] of methods) {
  test(`403 -32003 ${method}: a key without the scope mcp; 401 without a key`, async () => {
    const { token } = await makeKey(harness, { scopes: ['mcp:write'] });
    const message = { jsonrpc: '2.0', id: 1, method, params };
    const refused = await postMessage(harness, { token }, message);
    assert.deepEqual([refused.status, refused.body.error.code], [403, -32003]);
    const unknown = await postMessage(harness, {}, message);
    assert.deepEqual([unknown.status, unknown.body.error.code], [401, -32001]);
  });

  test(`429 -32005 ${method}: counts towards the 60 requests`, async () => {
    const { token } = await newKey();
    const message = { jsonrpc: '2.0', id: 1, method, params };
    const statuses = new Set<number>();
    for (let n = 0; n < 60; n++) statuses.add((await postMessage(harness, { token }, message)).status);
    assert.deepEqual([...statuses], [200]);
    const { status, body } = await postMessage(harness, { token }, message);
    assert.deepEqual([status, body.error.code], [429, -32005]);
  });
}

for (const [method, params] of methods.filter(([, { name, uri }]) => name ?? uri)) {
  test(`400 -32020 ${method}: the header Mcp-Name is missing or another`, async () => {
    const { token } = await newKey();
    const { message, headers } = modernRequest(method, params);
    const { 'mcp-name': _, ...without } = headers;
    for (const sent of [without, { ...headers, 'mcp-name': 'another' }]) {
      const { status, body } = await postMessage(harness, { token, headers: sent }, message);
      assert.deepEqual([status, body.error.code], [400, -32020]);
    }
  });
}
