import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, cutOff, reset, type Step, useScriptedServer } from '../../../test/client/scripted-server.ts';
import { Causeway, UnauthorizedError } from './index.ts';

const server = useScriptedServer();
const partner = () => new Causeway({ baseUrl: server.url, apiKey: 'cwk_test', maxRetries: 0 });
const eventOf = (sequence: number) => ({
  id: `evt_${sequence}`,
  type: 'withdrawal.queued',
  sequence,
  data: {},
});
const queryOf = ({ url }: { url: string }) => Object.fromEntries(new URL(url, server.url).searchParams);

/** The feed as the API describes it, with `last` events. Trouble comes first, a step for each request. */
const feedOf = (last: number, ...trouble: Step[]): Step => {
  const feed: Step = (response, request) => {
    const { after, limit = '100' } = queryOf(request);
    const from = Number(after);
    const count = Math.min(Number(limit), last - from, 3);
    const events = Array.from({ length: Math.max(0, count) }, (_, at) => eventOf(from + at + 1));
    answer(200, { events, next: events.at(-1)?.sequence ?? from })(response, request);
  };
  return (response, request) => (trouble.shift() ?? feed)(response, request);
};

test('list reads a page, at the address of the caller', async () => {
  server.play(feedOf(5));
  const page = await partner().events.list({
    after: 2,
    limit: 2,
    types: ['withdrawal.queued', 'deposit.posted'],
  });
  assert.deepEqual([page.next, page.events.map(({ sequence }) => sequence)], [4, [3, 4]]);
  assert.equal(server.received[0]!.url.split('?')[0], '/api/events');
  assert.equal(queryOf(server.received[0]!).types, 'withdrawal.queued,deposit.posted');
  await new Causeway({ baseUrl: server.url, integrationKey: 'cwi_test' }).events.list();
  assert.equal(server.received[1]!.url, '/api/v1/events?after=0');
});

test('list and subscribe give an event of a type newer than the client the type `unknown`', async () => {
  const newer = { ...eventOf(2), type: 'withdrawal.returned' };
  const page = answer(200, { events: [eventOf(1), newer], next: 2 });
  server.play(page);
  const { events } = await partner().events.list();
  assert.deepEqual(events, [eventOf(1), { ...newer, type: 'unknown', receivedType: 'withdrawal.returned' }]);
  const controller = new AbortController();
  const types: string[] = [];
  await partner().events.subscribe({
    after: 0,
    signal: controller.signal,
    onEvent: (event) => {
      types.push(event.type === 'unknown' ? event.receivedType : event.type);
      if (event.sequence === 2) controller.abort();
    },
  });
  assert.deepEqual(types, ['withdrawal.queued', 'withdrawal.returned']);
});

test('subscribe handles every event in order, through resets, cut answers and 503', async () => {
  server.play(feedOf(8, reset, cutOff, answer(503, {}), answer(200, { events: 'none' })));
  const controller = new AbortController();
  const [seen, errors]: [number[], unknown[]] = [[], []];
  const after = await partner().events.subscribe({
    after: 1,
    signal: controller.signal,
    onError: (error) => errors.push(error),
    onEvent: async ({ sequence }) => {
      seen.push(sequence);
      if (sequence === 8) controller.abort();
    },
  });
  assert.deepEqual(seen, [2, 3, 4, 5, 6, 7, 8]);
  assert.equal(after, 8);
  assert.equal(errors.length, 4);
  assert.equal(queryOf(server.received[0]!).wait, '25');
});

test('an event that was handled does not come again, whatever the server repeats', async () => {
  const pageOf = (...sequences: number[]) =>
    answer(200, { events: sequences.map(eventOf), next: sequences.at(-1) });
  server.play(pageOf(1, 2), pageOf(1, 2, 3), pageOf(3, 4));
  const controller = new AbortController();
  const seen: number[] = [];
  await partner().events.subscribe({
    after: 0,
    signal: controller.signal,
    onEvent: ({ sequence }) => {
      seen.push(sequence);
      if (sequence === 4) controller.abort();
    },
  });
  assert.deepEqual(seen, [1, 2, 3, 4]);
});

test('an event whose handler fails comes again, and none after it before', async () => {
  server.play(feedOf(4));
  const controller = new AbortController();
  const [seen, errors]: [number[], unknown[]] = [[], []];
  let failuresLeft = 2;
  await partner().events.subscribe({
    after: 0,
    signal: controller.signal,
    onError: (error) => errors.push((error as Error).message),
    onEvent: ({ sequence }) => {
      seen.push(sequence);
      if (sequence === 2 && failuresLeft-- > 0) throw new Error('database away');
      if (sequence === 4) controller.abort();
    },
  });
  assert.deepEqual(seen, [1, 2, 2, 2, 3, 4]);
  assert.deepEqual(errors, ['database away', 'database away']);
});

test('subscribe ends with the error of a refusal, or with what onError throws', async () => {
  server.play(answer(401, { error: 'Unauthorized', code: 'unauthorized' }));
  const refused = partner().events.subscribe({ after: 0, onEvent: () => undefined });
  await assert.rejects(refused, UnauthorizedError);
  server.play(feedOf(1));
  const stopped = partner().events.subscribe({
    after: 0,
    onEvent: () => {
      throw new Error('poison');
    },
    onError: (error) => {
      throw error;
    },
  });
  await assert.rejects(stopped, /poison/);
});

test('a signal ends a long poll and the wait between two', async () => {
  server.play(() => undefined);
  const polling = partner().events.subscribe({
    after: 3,
    onEvent: () => undefined,
    signal: AbortSignal.timeout(100),
  });
  assert.equal(await polling, 3);
  server.play(reset);
  const waiting = partner().events.subscribe({
    after: 3,
    onEvent: () => undefined,
    signal: AbortSignal.timeout(100),
  });
  assert.equal(await waiting, 3);
});

test('a server that does not wait is asked at most once a second', async () => {
  server.play(feedOf(0));
  await partner().events.subscribe({
    after: 0,
    onEvent: () => undefined,
    signal: AbortSignal.timeout(1_500),
  });
  assert.ok(server.received.length <= 2, String(server.received.length));
});
