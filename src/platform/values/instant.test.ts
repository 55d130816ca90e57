import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../errors/errors.ts';
import { parseInstant, readPeriod } from './instant.ts';

const edges = (text: string) =>
  (['start', 'end'] as const).map((edge) => parseInstant(text, edge)?.toISOString());

for (const [text, start, end] of [
  ['2026', '2026-01-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
  ['2026-01', '2026-01-01T00:00:00.000Z', '2026-01-31T23:59:59.999Z'],
  ['2026-02', '2026-02-01T00:00:00.000Z', '2026-02-28T23:59:59.999Z'],
  ['2028-02', '2028-02-01T00:00:00.000Z', '2028-02-29T23:59:59.999Z'],
  ['2000-02', '2000-02-01T00:00:00.000Z', '2000-02-29T23:59:59.999Z'],
  ['1900-02', '1900-02-01T00:00:00.000Z', '1900-02-28T23:59:59.999Z'],
  ['2026-12', '2026-12-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z', '2028-02-29T23:59:59.999Z'],
  ['2026-12-31', '2026-12-31T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
  ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31t12:00:00.5+0130', '2026-01-31T10:30:00.500Z', '2026-01-31T10:30:00.500Z'],
  ['0000', '0000-01-01T00:00:00.000Z', '0000-12-31T23:59:59.999Z'],
  ['0000-02', '0000-02-01T00:00:00.000Z', '0000-02-29T23:59:59.999Z'],
  ['0026-01', '0026-01-01T00:00:00.000Z', '0026-01-31T23:59:59.999Z'],
  ['9999', '9999-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
] as const) {
  test(`${text} is from ${start} to ${end}`, () => assert.deepEqual(edges(text), [start, end]));
}

for (const text of [
  ...[
    '',
    '26',
    '202',
    '20261',
    '12026',
    '-2026',
    '2026-',
    '2026-1',
    '2026-00',
    '2026-13',
    '2026-001',
    '202601',
  ],
  ...['2026-01-', '2026-1-31', '2026-02-29', '2026-04-31', '2026-01-00', '2026-W05', '2026-Q1', '2026/01'],
  ...[
    '2026T12:00Z',
    '2026-01T12:00Z',
    '2026Z',
    '2026-01Z',
    ' 2026',
    '2026 ',
    '2026\n',
    '２０２６',
    'January 2026',
  ],
  ...['2026-01-31T25:00Z', '2026-01-31T12:00:60Z', '2026-01-31T12Z'],
]) {
  test(`${JSON.stringify(text)} is no period`, () => assert.deepEqual(edges(text), [undefined, undefined]));
}

test('a period may begin and end with the same month or year, and a fault names its field and what to write', () => {
  const march = readPeriod(['from', '2026-03'], ['to', '2026-03']);
  assert.deepEqual(march, {
    startAt: parseInstant('2026-03', 'start'),
    endAt: parseInstant('2026-03', 'end'),
  });
  assert.deepEqual(readPeriod(['from', undefined], ['to', undefined]), {
    startAt: undefined,
    endAt: undefined,
  });
  const refuses = (from: string, to: string, message: string) =>
    assert.throws(
      () => readPeriod(['from', from], ['to', to]),
      (error) => error instanceof Refusal && error.message === message,
    );
  refuses('2026-04', '2026-03', 'from must not be after to');
  refuses('2027', '2026', 'from must not be after to');
  const forms =
    'a year, month, day or instant of ISO 8601, such as 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z';
  refuses('2026-1', '2026', `from must be ${forms}`);
  refuses('2026', '2026-13', `to must be ${forms}`);
});
