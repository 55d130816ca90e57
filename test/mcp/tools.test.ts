import assert from 'node:assert/strict';
import { createHash, webcrypto } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { callPlain, modernRequest, payloadOf, postMessage } from '#test/callers/mcp';
import { makeKey } from '#test/data/factories';
import { startTestIssuer } from '#test/outside/issuer';
import { tools as toolsOf } from '../../src/app.ts';
import { noteSecret, useHarness } from '../harness.ts';
import { countTokens, inWords, type Tokens, tokenizers } from './count-tokens.ts';
import { makeRichUser, type RichUser, writePrices } from './rich-user.ts';

const sandbox = await startTestIssuer();
after(() => sandbox.stop());
const harness = useHarness({ issuer: sandbox.issuer, pricesUrl: writePrices() });

interface Schema {
  type?: string;
  description?: string;
  additionalProperties?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  required?: string[];
}

interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Schema;
  outputSchema: Schema;
  annotations: Record<string, unknown>;
}

async function listTools(scopes = ['mcp', 'mcp_card_reveal', 'mcp:write']): Promise<ListedTool[]> {
  const { token } = await makeKey(harness, { scopes });
  const { message, headers } = modernRequest('tools/list');
  const { body } = await postMessage(harness, { token, headers }, message);
  return body.result.tools;
}

// ## What is listed

/** The definitions that calls are validated by; what is listed is a short form of them. */
const definitions = new Map(toolsOf({ balanceStaleAfterMs: 3_600_000 }).map((tool) => [tool.name, tool]));

const snapshotFile = path.join(import.meta.dirname, 'tools-list.json');

test('tools/list is the committed one, word for word', async () => {
  const tools = await listTools();
  const descriptions = tools.map(({ name, description }) => `${name}\n${description}\n`).join('\n');
  const found = {
    descriptionsSha256: createHash('sha256').update(descriptions).digest('hex'),
    tokens: countTokens(JSON.stringify(tools)),
    tools,
  };
  if (process.env.CAUSEWAY_WRITE_SNAPSHOT === '1') {
    writeFileSync(snapshotFile, `${JSON.stringify(found, null, 2)}\n`);
  }
  assert.deepEqual(
    found,
    JSON.parse(readFileSync(snapshotFile, 'utf8')),
    'What agents see has changed. If that is meant: CAUSEWAY_WRITE_SNAPSHOT=1 npm test -- test/mcp/tools && npm run format, and commit test/mcp/tools-list.json',
  );
});

const listTokensMax = 5_500;

test(`tools/list has at most ${listTokensMax} tokens, for a key that sees every tool`, async (t) => {
  const tokens = countTokens(JSON.stringify(await listTools()));
  t.diagnostic(JSON.stringify(tokens));
  for (const name of tokenizers) assert.ok(tokens[name] <= listTokensMax, `${name}: ${tokens[name]} tokens`);
});

test('tools/list: the same for every caller that may see it, in the same order; a read-only key sees the first eight', async () => {
  const [first, again, some] = [await listTools(), await listTools(), await listTools(['mcp'])];
  assert.equal(JSON.stringify(first), JSON.stringify(again));
  assert.equal(JSON.stringify(first.slice(0, 8)), JSON.stringify(some));
  const { token } = await makeKey(harness, { scopes: ['mcp', 'mcp:write'] });
  const plain = await postMessage(harness, { token }, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  assert.equal(JSON.stringify(plain.body.result.tools), JSON.stringify(first));
});

test('every tool says what hosts and models decide by', async () => {
  const tools = await listTools();
  assert.equal(tools.length, 10);
  assert.equal(new Set(tools.map(({ title }) => title)).size, 10);
  const writes = ['createUserCards', 'updateUserCard'];
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    assert.match(name, /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
    assert.ok(title.length > 2 && title.length < 60, name);
    assert.ok(description.length > 50 && description.length < 2_048, name);
    const scope = writes.includes(name) ? 'mcp:write' : 'mcp';
    assert.match(description, new RegExp(`Needs the scope ${scope}[.,]`), name);
    // Whether repeating a call has a further effect means nothing for a tool that only reads.
    const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'].filter(
      (hint) => writes.includes(name) || hint !== 'idempotentHint',
    );
    assert.deepEqual(
      Object.entries(annotations).map(([hint, value]) => [hint, typeof value]),
      hints.map((hint) => [hint, 'boolean']),
    );
    assert.equal(annotations.readOnlyHint, !writes.includes(name), name);
    for (const schema of [inputSchema, outputSchema]) {
      assert.equal(schema.type, 'object', name);
      for (const word of ['anyOf', 'oneOf', 'allOf', 'not', '$ref']) assert.ok(!(word in schema), name);
      checkTyped(schema, name);
    }
    assert.equal(inputSchema.additionalProperties, false, name);
    checkDescribed(inputSchema, name);
    const { input, output } = definitions.get(name)!;
    assert.deepEqual(Object.keys(inputSchema.properties!), Object.keys(input.properties), name);
    assert.deepEqual(Object.keys(outputSchema.properties!), Object.keys(output.properties), name);
    for (const schema of [input, output]) checkClosed(schema as Schema, name);
  }
});

const below = ({ properties = {}, items, anyOf = [] }: Schema): [string, Schema][] => [
  ...Object.entries(properties),
  ...(items ? [['[]', items] as [string, Schema]] : []),
  ...anyOf.map((one): [string, Schema] => ['', one]),
];

/** Some hosts refuse a schema without a type. */
function checkTyped(schema: Schema, where: string): void {
  assert.ok(schema.type || schema.anyOf, `${where} has a type`);
  for (const [name, inner] of below(schema)) checkTyped(inner, `${where}.${name}`);
}

/** What validates calls and, in these tests, answers has no unknown property at any depth. */
function checkClosed(schema: Schema, where: string): void {
  if (schema.type === 'object') assert.equal(schema.additionalProperties, false, where);
  for (const [name, inner] of below(schema)) checkClosed(inner, `${where}.${name}`);
}

function checkDescribed(schema: Schema, where: string): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    assert.ok((property.description ?? '').length > 20, `${where}.${name} is described`);
    if (property.items) checkDescribed(property.items, `${where}.${name}`);
  }
}

// ## What is answered

/** A call of every tool at its defaults, in an order in which each has what it needs. */
const calls = async (user: RichUser): Promise<[name: string, args: object][]> => {
  const { cardId, cardIssuerUserId } = user;
  const card = { cardId, cardIssuerUserId };
  return [
    ['getAccountBalance', {}],
    ['getAccountHistory', {}],
    ['getUserCards', {}],
    ['getUserCardTransactions', {}],
    ['getUserCardSummary', {}],
    ['getUserCardBalanceMovements', {}],
    ['getUserCardBalanceAutomation', {}],
    ['getCardRevealPublicKey', {}],
    ['createUserCards', { cards: [{ spendingLimit: '10' }] }],
    ['updateUserCard', { ...card, nickname: 'Groceries' }],
  ];
};

/** Others that reach other parts of the answers. */
const furtherCalls = async (user: RichUser): Promise<[name: string, args: object][]> => {
  const { cardId, cardIssuerUserId, transactionHash } = user;
  const { publicKey } = payloadOf(await callPlain(harness, user.token, 'getCardRevealPublicKey'));
  const der = Buffer.from(publicKey.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  const wrapping = { name: 'RSA-OAEP', hash: 'SHA-1' };
  const wrapped = await webcrypto.subtle.encrypt(
    wrapping,
    await webcrypto.subtle.importKey('spki', der, wrapping, false, ['encrypt']),
    webcrypto.getRandomValues(new Uint8Array(16)),
  );
  const sessionId = noteSecret(Buffer.from(wrapped).toString('base64'));
  return [
    ['getUserCards', { cardId, cardIssuerUserId, includeCardSecrets: true, sessionId }],
    ['getUserCards', { status: 'all', pageSize: 100 }],
    ['getUserCards', { currentPage: 1_000 }],
    ['getUserCardTransactions', { cardId, cardIssuerUserId, status: 'pending', pageSize: 2 }],
    ['getUserCardTransactions', { merchant: 'hotel', startDate: '2020-01-01', pageSize: 2 }],
    ['getUserCardSummary', { asOf: new Date().toISOString(), pageSize: 3, currentPage: 2 }],
    ['getUserCardSummary', { asOf: '2020-01-01' }],
    ['getUserCardBalanceMovements', { startDate: '2020-01-01', pageSize: 5 }],
    ['getUserCardBalanceAutomation', { pageSize: 3, currentPage: 1 }],
    ['getAccountHistory', { filterByHash: transactionHash }],
    ['getAccountHistory', { limit: 500, includeIds: true }],
    ['getAccountHistory', { startDate: '2020-01-01', endDate: '2020-01-02' }],
    ['createUserCards', { cards: [{ spendingLimit: '10' }], idempotencyKey: 'judged' }],
    ['createUserCards', { cards: [{ spendingLimit: '10' }], idempotencyKey: 'judged' }],
  ];
};

/**
 * Over HTTP as a caller of the revision of 2026, and the same as the contract's plain caller where it changes
 * nothing.
 */
async function callTool({ token }: RichUser, name: string, args: object) {
  const { message, headers } = modernRequest('tools/call', { name, arguments: args });
  const { status, body } = await postMessage(harness, { token, headers }, message);
  assert.deepEqual(
    [status, body.error, body.result?.isError],
    [200, undefined, undefined],
    JSON.stringify(body),
  );
  return body.result as { content: { type: string; text: string }[]; structuredContent: object };
}

test('every answer is what its schemas say, by two validators; its text is its structured content, and plain callers get the text alone', async () => {
  const user = await makeRichUser(harness);
  const tools = new Map((await listTools()).map((tool) => [tool.name, tool]));
  const validators = [new AjvJsonSchemaValidator(), new CfWorkerJsonSchemaValidator()];
  const called = new Set<string>();
  for (const [name, args] of [...(await calls(user)), ...(await furtherCalls(user))]) {
    const { content, structuredContent } = await callTool(user, name, args);
    assert.deepEqual(
      content.map(({ type }) => type),
      ['text'],
    );
    assert.equal(content[0]!.text, JSON.stringify(structuredContent));
    for (const validator of validators) {
      const [first, ...others] = Object.entries(structuredContent);
      const listed = validator.getValidator(tools.get(name)!.outputSchema as never);
      const full = validator.getValidator(definitions.get(name)!.output as never);
      for (const validate of [listed, full]) {
        const { valid, errorMessage } = validate(structuredContent);
        assert.ok(valid, `${name}: ${errorMessage}`);
        assert.ok(!validate({ ...structuredContent, [first![0]]: {} }).valid, 'and it would have noticed');
      }
      assert.ok(!full({ ...structuredContent, surprise: 1 }).valid, 'and it would have noticed');
      assert.ok(!full(Object.fromEntries(others)).valid, `${name}: ${first![0]} is required`);
    }
    called.add(name);

    if (tools.get(name)!.annotations.readOnlyHint && !('sessionId' in args)) {
      const { body } = await callPlain(harness, user.token, name, args);
      assert.deepEqual(Object.keys(body.result), ['content'], 'nothing beside the text');
      assert.deepEqual(Object.keys(payloadOf({ body } as never)), Object.keys(structuredContent));
    }
  }
  assert.deepEqual([...called].sort(), [...tools.keys()].sort());
});

/** Tokens of each answer at its defaults, by tool: of its text, which hosts show to models. */
async function countAnswers(user: RichUser): Promise<Map<string, Tokens>> {
  const counts = new Map<string, Tokens>();
  for (const [name, args] of await calls(user)) {
    const { content } = await callTool(user, name, args);
    counts.set(name, countTokens(content[0]!.text));
  }
  return counts;
}

function checkAnswers(counts: Map<string, Tokens>, maxOf: (tool: string) => Tokens): void {
  for (const [tool, tokens] of counts) {
    for (const name of tokenizers) {
      assert.ok(tokens[name] <= maxOf(tool)[name], `${tool}: ${tokens[name]} tokens by ${name}`);
    }
  }
}

const usualMax: Tokens = { o200k_base: 2_000, claude: 2_000 };
/** The vocabulary of Claude has few words of other alphabets. */
const longestMax: Tokens = { o200k_base: 4_000, claude: 5_000 };

test('an answer at the defaults has at most 2,000 tokens, for somebody who has a year of everything', async (t) => {
  const counts = await countAnswers(await makeRichUser(harness));
  t.diagnostic(inWords(counts));
  checkAnswers(counts, () => usualMax);
});

test('… and 4,000 for somebody who has as many things as are listed at once, with texts of others as long as they are shown', async (t) => {
  const long = 'Заказ № 1177 для клиента в Нижнем Новгороде, доставка курьером; '.repeat(4);
  const user = await makeRichUser(harness, {
    nickname: long.slice(0, 60),
    merchantName: long.slice(0, 200),
    description: long.slice(0, 200),
  });
  const { status } = await harness.operator('positions.record', {
    userId: user.userId,
    positions: Array.from({ length: 110 }, (_, n) => ({
      kind: 'tokenized',
      token: `ACME-${n}.SERIES-B`,
      network: 'ethereum',
      priceUsd: '12.25',
      amount: `${n + 1}00.123456789`,
    })),
  });
  assert.equal(status, 200);
  const counts = await countAnswers(user);
  t.diagnostic(inWords(counts));
  checkAnswers(counts, () => longestMax);
});
