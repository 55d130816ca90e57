import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptsMax, nextDelayMs, readRetryAfter } from './schedule.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

test('delays after each attempt: 75 hours and 35 minutes in all, and none after the tenth', () => {
  const expected = [
    5 * second,
    5 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour,
  ];
  const delays = expected.map((_, at) => nextDelayMs(at + 1, { random: 0 })!);
  assert.deepEqual(delays, expected);
  const total = delays.reduce((sum, delay) => sum + delay, 0);
  assert.equal(Math.floor(total / minute), 75 * 60 + 35);
  assert.equal(attemptsMax, 10);
  assert.equal(nextDelayMs(attemptsMax, { random: 0 }), undefined);
});

test('at most a tenth is added at random', () => {
  const delays = Array.from({ length: 200 }, () => nextDelayMs(2)!);
  for (const delay of delays) assert.ok(delay >= 5 * minute && delay <= 5.5 * minute, String(delay));
  assert.ok(new Set(delays).size > 100);
});

for (const [attempt, retryAfterMs, expected] of [
  [1, 0, 5 * second],
  [1, 2 * second, 5 * second],
  [1, 90 * second, 90 * second],
  [1, 59 * minute, 59 * minute],
  [1, 25 * hour, hour],
  [4, hour, 2 * hour],
  [10, hour, undefined],
] as const) {
  test(`after attempt ${attempt}, Retry-After ${retryAfterMs} ms: ${expected ?? 'no'} ms`, () => {
    assert.equal(nextDelayMs(attempt, { retryAfterMs, random: 0 }), expected);
    const most = nextDelayMs(attempt, { retryAfterMs, random: 1 });
    if (retryAfterMs > 0 && attempt === 1) assert.ok(most! <= hour);
  });
}

const now = new Date('2026-07-31T12:00:00Z');

for (const [status, header, expected] of [
  [503, '120', 120 * second],
  [429, ' 7 ', 7 * second],
  [503, 'Fri, 31 Jul 2026 12:10:00 GMT', 10 * minute],
  [503, 'Fri, 31 Jul 2026 11:00:00 GMT', 0],
  [503, '-5', 0],
  [503, '1.5', 0],
  [503, '9999999999', 0],
  [503, 'soon', 0],
  [503, '', 0],
  [503, undefined, 0],
  [500, '120', 0],
  [200, '120', 0],
  [302, '120', 0],
] as const) {
  test(`Retry-After ${JSON.stringify(header)} of an answer ${status} is ${expected} ms`, () => {
    assert.equal(readRetryAfter(status, header, now), expected);
  });
}
