import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { ClientDocument } from '#test/client/prune-document';
import { readDocument } from '#test/generate/client-files';
import { type ExampleFiles, mergeExamples, storedExamples } from '#test/generate/merge-examples';
import type { RecordedCall } from '#test/generate/record-calls';

let document: ClientDocument;
before(async () => {
  document = await readDocument();
});

const merge = (calls: readonly RecordedCall[], before = stored) => mergeExamples(before, calls, document);

const notFound = { status: 404, code: 'user_not_found', message: 'User not found' };
const taken = { status: 409, code: 'email_taken', message: 'Another user has this email' };
/** With one command whose example is known here. */
const stored: ExampleFiles = {
  ...storedExamples,
  operator: {
    ...storedExamples.operator,
    'users.update': { request: {}, answer: {}, errors: [notFound, taken] },
  },
};

/** Each example as text, because the order of fields is kept too. */
const listOf = (files: ExampleFiles) =>
  Object.entries(files).flatMap(([file, examples]) =>
    Object.entries(examples).map(([name, example]) => `${file} ${name} ${JSON.stringify(example)}`),
  );
function assertSame(found: ExampleFiles, wanted: ExampleFiles): void {
  const [one, other] = [listOf(found), listOf(wanted)];
  assert.deepEqual(
    one.filter((text) => !other.includes(text)),
    other.filter((text) => !one.includes(text)),
  );
  assert.ok(isDeepStrictEqual(one, other), 'the same in another order');
}

const userId = '0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46';
const fixedId = '0198a6a0-0000-7000-8000-000000000001';
const command = (status: number, body: object): RecordedCall => ({
  kind: 'command',
  name: 'users.update',
  input: { userId, givenName: 'Rui' },
  status,
  body,
});

test('examples stay as they are if no call was recorded: otherwise run `npm run examples`', () => {
  assertSame(merge([], storedExamples), storedExamples);
});

test('a recorded example replaces the one of the same name, and no other', () => {
  const payload = { currency: 'USD' };
  const content = [{ type: 'text', text: JSON.stringify(payload) }];
  const answer = { kind: 'operation', name: 'getHistory', input: {}, status: 200 } as const;
  const { operator, mcp, partner } = merge([
    command(200, { data: { id: userId } }),
    command(409, { code: 'email_taken', error: 'Taken' }),
    command(403, { code: 'newer', error: 'Newer' }),
    { kind: 'tool', name: 'getAccountBalance', input: {}, status: 200, body: { result: { content } } },
    { ...answer, example: 'account-swap', body: { nodes: [] } },
    { ...answer, name: 'listKeys', example: 'answer', status: 201, body: { items: [] } },
  ]);
  assertSame(
    { operator, mcp, partner },
    {
      operator: {
        ...stored.operator,
        'users.update': {
          request: { userId: fixedId, givenName: 'Rui' },
          answer: { id: fixedId },
          errors: [
            notFound,
            { ...taken, message: 'Taken' },
            { status: 403, code: 'newer', message: 'Newer' },
          ],
        },
      },
      mcp: { ...stored.mcp, getAccountBalance: { arguments: {}, payload } },
      partner: {
        ...stored.partner,
        getHistory: {
          200: { ...stored.partner.getHistory![200], 'account-swap': { value: { nodes: [] } } },
        },
        listKeys: { 201: { answer: { value: { items: [] } } } },
      },
    },
  );
});

test('a call that failed changes no example, nor does one that would fill a page', () => {
  assertSame(merge([command(404, { code: notFound.code, error: notFound.message })]), stored);
  assertSame(merge([command(200, { data: { id: 'x'.repeat(2_000) } })]), stored);
});

test('what no longer exists is left out: a command, a tool, an operation, a history feature', () => {
  const { operator, mcp, partner } = stored;
  const value = { value: {} };
  const { getHistory } = partner;
  const older = {
    operator: { ...operator, 'users.forget': { request: {}, answer: {}, errors: [] } },
    mcp: { ...mcp, getCard: { arguments: {}, payload: {} } },
    partner: {
      ...partner,
      getHistory: { 200: { 'account-older': value, ...getHistory![200] } },
      listOlder: { 200: { answer: value } },
    },
  };
  const call = { kind: 'operation', name: 'listOlder', example: 'answer', input: {}, status: 200, body: {} };
  assertSame(merge([call as RecordedCall], older), stored);
});
