import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, reset, type Step, useScriptedServer } from '../../../test/client/scripted-server.ts';
import { Causeway, ConnectionError } from './index.ts';

const server = useScriptedServer();
const causeway = () => new Causeway({ baseUrl: server.url, apiKey: 'cwk_test' });
const idsOf = async (list: AsyncIterable<{ id: string }>) => {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
};
const queryOf = ({ url }: { url: string }) => new URL(url, server.url).searchParams;

/** A list that the server pages as the API does, and that may change between two requests. */
const withdrawalsFrom =
  (read: () => string[]): Step =>
  (response, request) => {
    const [page, perPage] = ['page', 'perPage'].map((name) => Number(queryOf(request).get(name)));
    const offset = (page! - 1) * perPage!;
    const withdraws = read()
      .slice(offset, offset + perPage!)
      .map((id) => ({ id }));
    answer(200, { data: { withdraws, pageInfo: { limit: perPage, offset } } })(response, request);
  };

const ledgerFrom =
  (ids: string[]): Step =>
  (response, request) => {
    const [currentPage, pageSize] = ['currentPage', 'pageSize'].map((name) =>
      Number(queryOf(request).get(name)),
    );
    const from = currentPage! * pageSize!;
    const nodes = ids.slice(from, from + pageSize!).map((id) => ({ id, uniqueHashId: `${id}:0` }));
    const pageInfo = { hasNextPage: from + pageSize! < ids.length, totalCount: ids.length };
    answer(200, { nodes, pageInfo, message: 'Ignored: asOf' })(response, request);
  };

const ids = (count: number) => Array.from({ length: count }, (_, at) => `w-${at}`);

for (const count of [0, 1, 4, 5, 6, 10, 11]) {
  test(`both conventions: ${count} items in pages of 5`, async () => {
    server.play(withdrawalsFrom(() => ids(count)));
    assert.deepEqual(await idsOf(causeway().withdrawals.list({ userId: 'ana', perPage: 5 })), ids(count));
    server.play(ledgerFrom(ids(count)));
    server.received.length = 0;
    assert.deepEqual(await idsOf(causeway().history.account({ pageSize: 5 })), ids(count));
    assert.equal(server.received.length, Math.max(1, Math.ceil(count / 5)));
  });
}

test('one page, its information, and the next one', async () => {
  server.play(ledgerFrom(ids(7)));
  const first = await causeway().history.account({ pageSize: 5, startDate: new Date(0), endDate: '2026' });
  assert.deepEqual([first.items.length, first.hasNextPage, first.info.totalCount], [5, true, 7]);
  assert.equal(first.message, 'Ignored: asOf');
  const second = await first.next();
  assert.deepEqual([second?.items.length, second?.hasNextPage], [2, false]);
  assert.equal(await second!.next(), undefined);
  const query = Object.fromEntries(queryOf(server.received[0]!));
  assert.deepEqual(query, {
    resource: 'account',
    feature: 'account',
    currentPage: '0',
    pageSize: '5',
    startDate: '1970-01-01T00:00:00.000Z',
    endDate: '2026',
  });
  const later = causeway().history.account({ pageSize: 5, currentPage: 1 });
  assert.deepEqual(await idsOf(later), ['w-5', 'w-6']);
});

test('an item that new ones push to the next page is returned once', async () => {
  let all = ids(10);
  server.play(
    withdrawalsFrom(() => {
      const now = all;
      all = [`new-${all.length}`, ...all];
      return now;
    }),
  );
  assert.deepEqual(await idsOf(causeway().withdrawals.list({ userId: 'ana', perPage: 5 })), ids(10));
});

test('a page that cannot be read ends the iteration with its error, after the items before it', async () => {
  server.play(ledgerFrom(ids(7)), reset);
  const seen: string[] = [];
  await assert.rejects(async () => {
    for await (const { id } of causeway().history.account({ pageSize: 5 }, { maxRetries: 0 })) seen.push(id);
  }, ConnectionError);
  assert.deepEqual(seen, ids(5));
});
