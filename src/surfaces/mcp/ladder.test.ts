import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IssuedKey } from '#features/keys';
import { runKeyBattery } from '#test/callers/battery';
import { callPlain, modernRequest, postMessage, toolCall } from '#test/callers/mcp';
import { sendRaw } from '#test/callers/raw-http';
import { makeKey } from '#test/data/factories';
import { type Answer, useHarness } from '#test/harness';

const harness = useHarness({ mcpAllowedHosts: ['127.0.0.1', 'mcp.example.com'] });
let key: IssuedKey;
let used = 0;

/** A key that has its whole allowance, shared by up to fifty requests. */
async function freshKey(): Promise<IssuedKey> {
  if (used++ % 50 === 0) key = await makeKey(harness, { scopes: ['mcp'] });
  return key;
}

const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' };

interface Expected {
  status: number;
  code: number;
  id?: unknown;
  message?: string | RegExp;
  data?: unknown;
}

function expectRefusal(answer: Answer, { status, code, id = 7, message, data }: Expected): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const { jsonrpc, id: answered, error, ...others } = answer.body;
  assert.deepEqual([jsonrpc, answered, others], ['2.0', id, {}]);
  assert.equal(error.code, code);
  if (message instanceof RegExp) assert.match(error.message, message);
  else if (message !== undefined) assert.equal(error.message, message);
  if (data !== undefined) assert.deepEqual(error.data, data);
}

/** One rung: what is sent and what comes back, titled by status and code. */
function rung(
  what: string,
  expected: Expected,
  send: (token: string) => Promise<Answer>,
  check?: (answer: Answer) => void,
): void {
  test(`${expected.status} ${expected.code}: ${what}`, async () => {
    const answer = await send((await freshKey()).token);
    expectRefusal(answer, expected);
    check?.(answer);
  });
}

const post = (token: string | undefined, message: unknown, headers?: Record<string, string>) =>
  postMessage(harness, { token, headers }, message);

for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
  for (const [what, withKey] of [
    ['without a key', false],
    ['with a key', true],
  ] as const) {
    rung(
      `${method} ${what}`,
      { status: 405, code: -32600, id: null },
      (token) => harness.request(method, '/mcp', withKey ? { token } : {}),
      ({ headers }) => assert.equal(headers.get('allow'), 'POST'),
    );
  }
}
test('405: HEAD, which has no body', async () => {
  const { status, headers } = await fetch(`${harness.url}/mcp`, { method: 'HEAD' });
  assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
});

for (const origin of [
  'https://evil.example.com',
  'http://localhost.evil.example.com',
  'null',
  'http://localhost:80:80',
  'https://localhost:1',
]) {
  rung(
    `page of ${origin}`,
    { status: 403, code: -32600, id: null, message: 'Origin is not allowed' },
    (token) => post(token, list, { origin }),
  );
}
for (const origin of ['http://localhost:6274', 'http://127.0.0.1:8080', 'HTTP://LOCALHOST:1']) {
  test(`200: page of ${origin}`, async () => {
    assert.equal((await post((await freshKey()).token, list, { origin })).status, 200);
  });
}
for (const [host, status] of [
  ['evil.example.com', 403],
  ['127.0.0.1.evil.com', 403],
  ['mcp.example.com', 200],
  ['MCP.example.com:8443', 200],
] as const) {
  test(`${status}: called by the host name ${host}`, async () => {
    const body = JSON.stringify(list);
    const { token } = await freshKey();
    const head = [
      'POST /mcp HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    const answer = await sendRaw(harness.url, `${head.join('\r\n')}\r\n\r\n${body}`);
    assert.equal(answer.status, status);
    if (status === 403) assert.equal(answer.body.error.message, 'Host is not allowed');
  });
}

runKeyBattery(harness, {
  title: 'MCP',
  call: ({ token, headers }) => post(token, list, headers),
  refusals: {
    missing: { status: 401, error: 'Unauthorized' },
    invalid: { status: 401, error: 'Unauthorized' },
    address: { status: 403, error: 'The address of the caller is not on the list of the key' },
  },
  errorOf: ({ body }) => body.error.message,
});
rung(
  'no key',
  { status: 401, code: -32001, id: null, message: 'Unauthorized' },
  () => post(undefined, list),
  ({ headers }) => assert.equal(headers.get('www-authenticate'), 'Bearer realm="mcp"'),
);
rung('no key and a body that is not JSON', { status: 401, code: -32001, id: null }, () =>
  post(undefined, '{'),
);
rung('no key and a batch', { status: 401, code: -32001, id: null }, () => post(undefined, [list]));

const notJson: [what: string, body: string][] = [
  ['half an object', '{"jsonrpc":'],
  ['nothing', ''],
  ['words', 'tools/list'],
  ['a key twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}'],
  ['40 levels', `{"jsonrpc":"2.0","id":1,"method":"x","params":${'['.repeat(40)}${']'.repeat(40)}}`],
  ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"tools/list"}'],
];
for (const [what, body] of notJson) {
  rung(`body is not JSON: ${what}`, { status: 400, code: -32700, id: null }, (token) =>
    post(token, body, { 'content-type': 'application/json' }),
  );
}
rung('body of 20 KB', { status: 413, code: -32600, id: null }, (token) =>
  post(token, { ...list, params: { x: 'x'.repeat(20_000) } }),
);
for (const type of [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/xml',
  'application/jsonx',
]) {
  rung(`content type ${type}`, { status: 415, code: -32600, id: null }, (token) =>
    post(token, JSON.stringify(list), { 'content-type': type }),
  );
}
for (const [what, body] of [
  ['of one', [list]],
  ['of two', [list, list]],
  ['of none', []],
  ['of nonsense', [1, null]],
] as const) {
  rung(
    `batch ${what}`,
    { status: 400, code: -32600, id: null, message: 'Batch requests are not supported.' },
    (token) => post(token, body),
  );
}
test('400 -32600: a batch of a caller whose address and scope are wrong too', async () => {
  const { token } = await makeKey(harness, { ipAllowlist: ['203.0.113.0/24'] });
  expectRefusal(await post(token, [list]), { status: 400, code: -32600, id: null });
});
test('403 -32004: the address comes before the scope', async () => {
  const { token } = await makeKey(harness, { ipAllowlist: ['203.0.113.0/24'] });
  expectRefusal(await post(token, list), { status: 403, code: -32004 });
});
test('403 -32003: key without the scope mcp, whatever it asks for', async () => {
  const { token } = await makeKey(harness, { scopes: ['mcp:write', 'mcp_card_reveal'] });
  for (const message of [list, toolCall('getUserCards', {}, 7), { jsonrpc: '2.0', id: 7 }]) {
    expectRefusal(await post(token, message), {
      status: 403,
      code: -32003,
      message: 'The key lacks the mcp scope',
    });
  }
});

test('429 -32005: the 61st request in 10 seconds, whichever key of the user; others are not held up; a refused one does not count', async () => {
  const first = await makeKey(harness, { scopes: ['mcp'] });
  const { partnerId, userId } = first;
  const second = await makeKey(harness, { scopes: ['mcp'], partnerId, userId });
  for (let n = 0; n < 60; n++) {
    const answer = await post(n % 2 ? first.token : second.token, list);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('ratelimit-policy'), '"mcp";q=60;w=10');
    assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`^"mcp";r=${59 - n};t=\\d+$`));
  }
  for (const message of [list, { ...list, id: 'x' }, { nonsense: true }]) {
    const answer = await post(first.token, message);
    const retryAfterSeconds = Number(answer.headers.get('retry-after'));
    assert.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 10);
    expectRefusal(answer, {
      status: 429,
      code: -32005,
      message: 'Rate limit exceeded',
      data: { retryAfterSeconds },
      id: 'id' in message ? message.id : null,
    });
  }
  assert.equal((await post((await makeKey(harness, { scopes: ['mcp'] })).token, list)).status, 200);
});

const notOneMessage: [what: string, body: unknown, id: unknown][] = [
  ['an empty object', {}, null],
  ['a string', '"tools/list"', null],
  ['null', 'null', null],
  ['a number', '7', null],
  ['no jsonrpc', { id: 7, method: 'tools/list' }, 7],
  ['jsonrpc 1.0', { jsonrpc: '1.0', id: 7, method: 'tools/list' }, 7],
  ['jsonrpc as a number', { jsonrpc: 2.0, id: 'a', method: 'tools/list' }, 'a'],
  ['no method', { jsonrpc: '2.0', id: 7 }, 7],
  ['method as a number', { jsonrpc: '2.0', id: 7, method: 1 }, 7],
  ['an answer', { jsonrpc: '2.0', id: 7, result: {} }, 7],
  ['an error', { jsonrpc: '2.0', id: 7, error: { code: 1, message: '' } }, 7],
  ['id null', { jsonrpc: '2.0', id: null, method: 'tools/list' }, null],
  ['id 1.5', { jsonrpc: '2.0', id: 1.5, method: 'tools/list' }, null],
  ['id true', { jsonrpc: '2.0', id: true, method: 'tools/list' }, null],
  ['id object', { jsonrpc: '2.0', id: {}, method: 'tools/list' }, null],
  [
    'an id that a double does not hold',
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}',
    null,
  ],
];
for (const [what, body, id] of notOneMessage) {
  rung(`not one JSON-RPC message: ${what}`, { status: 400, code: -32600, id }, (token) =>
    post(token, body, { 'content-type': 'application/json' }),
  );
}

for (const method of ['notifications/initialized', 'notifications/cancelled', 'tools/list', 'whatever']) {
  test(`202: notification ${method}, with an empty body`, async () => {
    const answer = await post((await freshKey()).token, { jsonrpc: '2.0', method });
    assert.deepEqual([answer.status, answer.body], [202, '']);
  });
}

const supported = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
for (const version of ['2023-01-01', 'v999', '2026-07-29', '']) {
  rung(
    `header MCP-Protocol-Version: ${version || '(empty)'}`,
    { status: 400, code: -32022, data: { supported, requested: version } },
    (token) => post(token, list, { 'mcp-protocol-version': version }),
  );
}
test('400 -32022: a request that names a revision of nobody’s in its body too', async () => {
  const { message, headers } = modernRequest('server/discover', {}, 7);
  const json = JSON.stringify(message).replace('2026-07-28', '2027-01-01');
  const answer = await post((await freshKey()).token, JSON.parse(json), {
    ...headers,
    'mcp-protocol-version': '2027-01-01',
  });
  expectRefusal(answer, { status: 400, code: -32022, data: { supported, requested: '2027-01-01' } });
});

test('400 -32022: a later revision, whatever else is wrong with the request', async () => {
  const { message, headers } = modernRequest('tools/list', {}, 7);
  const later = { ...headers, 'mcp-protocol-version': '2027-01-01' };
  for (const params of [{}, { _meta: {} }, message.params]) {
    const answer = await post((await freshKey()).token, { ...message, params }, later);
    expectRefusal(answer, { status: 400, code: -32022, data: { supported, requested: '2027-01-01' } });
  }
});
test('a header of white space costs no more than another', async () => {
  const { token } = await freshKey();
  const before = process.cpuUsage();
  const version = `a${' '.repeat(6_000)}b`;
  expectRefusal(await post(token, list, { 'mcp-protocol-version': version }), { status: 400, code: -32022 });
  assert.ok(process.cpuUsage(before).user < 1_000_000);
});

const mismatches: [what: string, headers: Record<string, string>][] = [
  ['another MCP-Protocol-Version', { 'mcp-protocol-version': '2025-11-25' }],
  ['another Mcp-Method', { 'mcp-method': 'tools/list' }],
  ['Mcp-Method in upper case', { 'mcp-method': 'TOOLS/CALL' }],
  ['another Mcp-Name', { 'mcp-name': 'getUserCards' }],
  ['Mcp-Name as broken base64', { 'mcp-name': '=?base64?Z2V0QWNjb3VudEJhbGFuY2U?=' }],
  ['Mcp-Name as base64 of another', { 'mcp-name': '=?base64?Z2V0VXNlckNhcmRz?=' }],
];
for (const [what, changed] of mismatches) {
  rung(`modern request with ${what}`, { status: 400, code: -32020 }, (token) => {
    const { message, headers } = modernRequest('tools/call', { name: 'getAccountBalance' }, 7);
    return post(token, message, { ...headers, ...changed });
  });
}
for (const missing of ['mcp-protocol-version', 'mcp-method', 'mcp-name']) {
  rung(`modern request without the header ${missing}`, { status: 400, code: -32020 }, (token) => {
    const { message, headers } = modernRequest('tools/call', { name: 'getAccountBalance' }, 7);
    const { [missing]: _, ...others } = headers;
    return post(token, message, others);
  });
}
test('200: Mcp-Name as base64, and white space around headers', async () => {
  const { message, headers } = modernRequest('tools/call', { name: 'getAccountBalance', arguments: {} }, 7);
  const encoded = {
    ...headers,
    'mcp-name': ' =?base64?Z2V0QWNjb3VudEJhbGFuY2U=?= ',
    'mcp-method': '  tools/call ',
  };
  assert.equal((await post((await freshKey()).token, message, encoded)).status, 200);
});

const version = 'io.modelcontextprotocol/protocolVersion';
const capabilities = 'io.modelcontextprotocol/clientCapabilities';
const incomplete: [what: string, meta: unknown][] = [
  ['no _meta', undefined],
  ['_meta as a string', 'x'],
  ['an empty _meta', {}],
  ['no protocolVersion', { [capabilities]: {} }],
  ['a protocolVersion that is a number', { [version]: 2026, [capabilities]: {} }],
  ['no clientCapabilities', { [version]: '2026-07-28' }],
  ['clientCapabilities that are a list', { [version]: '2026-07-28', [capabilities]: [] }],
];
for (const [what, _meta] of incomplete) {
  rung(`modern request with ${what}`, { status: 400, code: -32602 }, (token) => {
    const { message, headers } = modernRequest('tools/list', {}, 7);
    return post(token, { ...message, params: { _meta } }, headers);
  });
}

for (const method of [
  'resources/subscribe',
  'completion/complete',
  'server/discover',
  'logging/setLevel',
  '__proto__',
  'constructor',
  'toString',
  '',
]) {
  rung(`unknown method "${method}" of a legacy caller`, { status: 200, code: -32601 }, (token) =>
    post(token, { jsonrpc: '2.0', id: 7, method }),
  );
}
for (const method of ['initialize', 'ping', 'resources/subscribe', 'subscriptions/listen', 'toString']) {
  rung(`unknown method ${method} of a modern caller`, { status: 404, code: -32601 }, (token) => {
    const { message, headers } = modernRequest(method, {}, 7);
    return post(token, message, headers);
  });
}
rung('unknown tool', { status: 200, code: -32602, message: 'Unknown tool: getSecrets' }, (token) =>
  post(token, toolCall('getSecrets', {}, 7)),
);
for (const name of ['__proto__', 'constructor', 'getusercards', '']) {
  rung(`unknown tool "${name}"`, { status: 200, code: -32602, message: `Unknown tool: ${name}` }, (token) =>
    post(token, toolCall(name, {}, 7)),
  );
}
rung(
  'an unknown tool’s name is cut and made harmless',
  { status: 200, code: -32602, message: /^Unknown tool: a b{97}…$/ },
  (token) => post(token, toolCall(`a\n\u202e${'b'.repeat(300)}`, {}, 7)),
);
for (const params of [[], 'x', 7, null, [{ name: 'getAccountBalance' }]]) {
  rung(`params ${JSON.stringify(params)}`, { status: 200, code: -32602 }, (token) =>
    post(token, { jsonrpc: '2.0', id: 7, method: 'tools/call', params }),
  );
}
for (const name of [undefined, 1, null, {}]) {
  rung(
    `params.name ${JSON.stringify(name)}`,
    { status: 200, code: -32602, message: /params\.name/ },
    (token) => post(token, { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name } }),
  );
}
rung(
  'reveal without mcp_card_reveal',
  { status: 403, code: -32003, message: 'The key lacks the mcp_card_reveal scope' },
  (token) => post(token, toolCall('getUserCards', { includeCardSecrets: true }, 7)),
);
rung(
  'reveal without mcp_card_reveal comes before what is wrong with its arguments',
  { status: 403, code: -32003 },
  (token) => post(token, toolCall('getUserCards', { includeCardSecrets: true, nonsense: 1 }, 7)),
);

/** A refusal that the model reads. */
async function expectToolError(answer: Answer, text: RegExp): Promise<void> {
  assert.equal(answer.status, 200);
  const { isError, content, ...others } = answer.body.result;
  assert.equal(isError, true);
  assert.deepEqual(others, {});
  assert.deepEqual(
    content.map(({ type }: { type: string }) => type),
    ['text'],
  );
  assert.match(content[0].text, text);
}

for (const tool of ['createUserCards', 'updateUserCard']) {
  test(`200 isError: ${tool} without mcp:write names the scope, whatever its arguments`, async () => {
    const { token } = await freshKey();
    for (const args of [{}, { cards: [{ spendingLimit: '1' }] }, []]) {
      await expectToolError(await callPlain(harness, token, tool, args), /lacks the scope mcp:write/);
    }
  });
}

const badArguments: [what: string, tool: string, args: unknown, text: RegExp][] = [
  [
    'an argument nobody knows',
    'getCardRevealPublicKey',
    { userId: 'x' },
    /unknown argument userId: the tool takes no arguments/,
  ],
  [
    'another user’s id',
    'getUserCards',
    { userId: 'x', pageSize: 5 },
    /unknown argument userId: the arguments are cardId, /,
  ],
  ['a number as text', 'getUserCards', { pageSize: '10' }, /pageSize must be integer/],
  ['too many', 'getUserCards', { pageSize: 101 }, /pageSize must be <= 100/],
  ['a list', 'getUserCards', [], /arguments must be object/],
  ['a string', 'getUserCards', 'all', /arguments must be object/],
  ['null', 'getUserCards', null, /arguments must be object/],
  [
    'a word of another list',
    'getUserCardTransactions',
    { cardId: 'c', cardIssuerUserId: 'u', status: 'open' },
    /status must be one of pending, settled, declined, reversed/,
  ],
  [
    'a day that does not exist',
    'getAccountHistory',
    { startDate: '2026-02-30' },
    /startDate must be a year, month, day or instant of ISO 8601/,
  ],
  [
    'start after end',
    'getAccountHistory',
    { startDate: '2026-02-02', endDate: '2026-02-01' },
    /startDate must not be after endDate/,
  ],
];
for (const [what, tool, args, text] of badArguments) {
  test(`200 isError: ${tool} with ${what}`, async () => {
    const { token } = await freshKey();
    await expectToolError(await post(token, toolCall(tool, args)), text);
  });
}
test('200 isError: updateUserCard with nothing where something is needed', async () => {
  const { token } = await makeKey(harness, { scopes: ['mcp', 'mcp:write'] });
  const answer = await callPlain(harness, token, 'updateUserCard', {});
  await expectToolError(answer, /cardId is required; cardIssuerUserId is required/);
});
test('200 isError: of a field that may be null, only what is wrong with its text', async () => {
  const { token } = await makeKey(harness, { scopes: ['mcp', 'mcp:write'] });
  const args = { cardId: 'c', cardIssuerUserId: 'u', nickname: 5 };
  const answer = await callPlain(harness, token, 'updateUserCard', args);
  assert.equal(
    answer.body.result.content[0].text,
    'Invalid arguments for updateUserCard: nickname must be string.',
  );
  const nameless = await callPlain(harness, token, 'getUserCards', { '': 1 });
  assert.match(nameless.body.result.content[0].text, /: unknown argument "": /);
});
test('200 isError: every fault at once, and no value of them', async () => {
  const { token } = await freshKey();
  const answer = await callPlain(harness, token, 'getUserCards', {
    pageSize: 0,
    status: 'SECRET',
    '\u202eevil\n': 1,
  });
  await expectToolError(answer, /unknown argument evil/);
  await expectToolError(answer, /pageSize must be >= 1/);
  await expectToolError(answer, /status must be one of/);
  assert.doesNotMatch(answer.body.result.content[0].text, /SECRET|\n|\u202e/);
});

test('400 -32600: a query, which nobody reads', async () => {
  const { token } = await makeKey(harness, { scopes: ['mcp'] });
  const answer = await harness.request('POST', '/mcp?x=1', { token, body: toolCall('getUserCards', {}, 7) });
  expectRefusal(answer, { status: 400, code: -32600, message: 'This endpoint has no query parameters' });
});

test('200 -32603: what nobody expected, with the id of the request and nothing internal', async () => {
  const { token } = await makeKey(harness, { scopes: ['mcp'] });
  await harness.deps.db.query('alter table prices rename to prices_gone');
  try {
    const answer = await post(token, toolCall('getAccountBalance', {}, 7));
    const { requestId } = answer.body.error.data;
    expectRefusal(answer, { status: 200, code: -32603, message: 'Internal error', data: { requestId } });
    assert.equal(requestId, answer.headers.get('x-request-id'));
    assert.doesNotMatch(JSON.stringify(answer.body), /prices/);
  } finally {
    await harness.deps.db.query('alter table prices_gone rename to prices');
  }
});
test('200 -32603: keys cannot be looked up', async () => {
  const { token } = await freshKey();
  await harness.deps.db.query('alter table api_keys rename to api_keys_gone');
  try {
    expectRefusal(await post(token, list), {
      status: 200,
      code: -32603,
      message: 'Internal error',
      id: null,
    });
  } finally {
    await harness.deps.db.query('alter table api_keys_gone rename to api_keys');
  }
});

for (const id of ['a', '', 'é"\\', 0, -1, 9007199254740991]) {
  test(`200: the id ${JSON.stringify(id)} comes back as it was sent`, async () => {
    assert.equal((await post((await freshKey()).token, { ...list, id })).body.id, id);
  });
}
for (const accept of [
  undefined,
  '*/*',
  'application/json',
  'text/event-stream',
  'text/html',
  'application/json, text/event-stream',
]) {
  test(`200: Accept ${accept ?? 'not sent'}, and the answer is JSON`, async () => {
    const { token } = await freshKey();
    const body = JSON.stringify(toolCall('getAccountBalance'));
    const head = [
      'POST /mcp HTTP/1.1',
      'Host: 127.0.0.1',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${body.length}`,
      ...(accept ? [`Accept: ${accept}`] : []),
    ];
    const answer = await sendRaw(harness.url, `${head.join('\r\n')}\r\n\r\n${body}`);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(Object.keys(answer.body), ['jsonrpc', 'id', 'result']);
    assert.deepEqual(Object.keys(answer.body.result), ['content']);
  });
}
for (const path of [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-authorization-server',
]) {
  test(`404: ${path}, as JSON`, async () => {
    const answer = await harness.request('GET', path);
    assert.equal(answer.status, 404);
    assert.equal(answer.body.error, 'Not found');
  });
}
