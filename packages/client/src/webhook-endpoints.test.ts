import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, cutOff, reset, useScriptedServer } from '../../../test/client/scripted-server.ts';
import { Causeway, ConnectionError, EndpointNotFoundError } from './index.ts';

const server = useScriptedServer();
const endpoints = () => new Causeway({ baseUrl: server.url, apiKey: 'cwk_test' }).webhookEndpoints;
const endpoint = answer(200, { id: 'e-1', secret: 'whsec_AAAA' });

for (const [what, call] of [
  ['create', () => endpoints().create({ url: 'https://app.example.com/hooks' })],
  ['rotateSecret', () => endpoints().rotateSecret('e-1')],
  ['sendTest', () => endpoints().sendTest('e-1')],
  ['replay', () => endpoints().replay('e-1', { missed: true })],
] as const) {
  test(`${what} is not sent again after a lost answer, and says that its outcome is unknown`, async () => {
    server.play(cutOff, endpoint);
    await assert.rejects(
      async () => call(),
      (error) => error instanceof ConnectionError && error.isOutcomeUnknown,
    );
    assert.equal(server.received.length, 1);
  });
}

test('update and del are sent again; a deletion whose answer was lost is found deleted', async () => {
  server.play(reset, endpoint);
  assert.equal((await endpoints().update('e-1', { enabled: true, replayMissed: true })).id, 'e-1');
  assert.equal(server.received[0]!.body, server.received[1]!.body);
  const gone = answer(404, { error: 'Webhook endpoint not found', code: 'endpoint_not_found' });
  server.play(reset, gone);
  const repeated = endpoints().del('e-1');
  await assert.rejects(
    async () => repeated,
    (error) => error instanceof EndpointNotFoundError && error.isOutcomeUnknown,
  );
  server.play(gone);
  const never = endpoints().del('e-1');
  await assert.rejects(
    async () => never,
    (error) => error instanceof EndpointNotFoundError && !error.isOutcomeUnknown,
  );
});

test('a list by cursor sends the cursor that the server gave, and the filter, until no cursor comes', async () => {
  const pageOf = (id: string, nextCursor: string | null) => answer(200, { items: [{ id }], nextCursor });
  server.play(pageOf('1', 'a b'), pageOf('2', 'c'), pageOf('3', null));
  const ids: string[] = [];
  for await (const { id } of endpoints().listDeliveries('e-1', { status: 'failed', limit: 1 })) ids.push(id);
  assert.deepEqual(ids, ['1', '2', '3']);
  const queries = server.received.map(({ url }) => new URL(url, server.url).searchParams);
  assert.deepEqual(
    queries.map((query) => [query.get('cursor'), query.get('status'), query.get('limit')]),
    [
      [null, 'failed', '1'],
      ['a b', 'failed', '1'],
      ['c', 'failed', '1'],
    ],
  );
});

test('an id cannot lead to another path', () => {
  for (const id of ['', '.', '..']) assert.throws(() => endpoints().del(id), /endpointId must be an id/);
});
