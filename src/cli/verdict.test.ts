import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOutlook, judge } from '#platform/commands/verdict';
import { commands } from '../app.ts';
import { CommandFault } from './exit-codes.ts';
import { followParts } from './follow-parts.ts';

const check = { passesIf: 'isSound', passed: '{lines} lines.', failed: 'Wrong: {rows}.' };

test('a check fails by a field that is false, missing or a list with rows', () => {
  assert.deepEqual(judge(check, { isSound: true, lines: 12_345 }), {
    hasFault: false,
    text: '12,345 lines.',
  });
  assert.equal(judge(check, { isSound: true, lines: 1 }).text, '1 line.');
  const failed = { hasFault: true, text: 'Wrong: a, b.' };
  assert.deepEqual(judge(check, { isSound: false, rows: ['a', 'b'] }), failed);
  assert.deepEqual(judge(check, { rows: ['a', 'b'] }), failed);
  const byList = { ...check, passesIf: 'rows' };
  assert.deepEqual(judge(byList, { rows: ['a', 'b'] }), failed);
  assert.equal(judge(byList, { rows: [], lines: 0 }).hasFault, false);
});

test('rows are counted, and unfinished work is no fault and no success', () => {
  const recover = { passesIf: 'unknown', passed: 'Known.', failed: 'Unknown: {unknown}.' };
  const rows = [{ hash: '0x1' }, { hash: '0x2' }];
  assert.deepEqual(judge(recover, { unknown: rows }), { hasFault: true, text: 'Unknown: 2.' });
  const [row] = rows;
  assert.equal(judge({ ...recover, failed: '{unknown} payments' }, { unknown: [row] }).text, '1 payment');
  const verdict = { ...recover, unfinished: { while: 'fillBelow', text: 'At {fillBelow}.' } };
  assert.deepEqual(judge(verdict, { unknown: [], fillBelow: 400 }), {
    hasFault: false,
    isUnfinished: true,
    text: 'At 400.',
  });
  assert.deepEqual(judge(verdict, { unknown: [], fillBelow: null }), { hasFault: false, text: 'Known.' });
  assert.ok(judge(verdict, { unknown: rows, fillBelow: null }).hasFault);
});

test('verdicts and parts name fields that the answer and the input have', () => {
  const checks = commands.filter(({ verdict }) => verdict);
  assert.ok(checks.length >= 4);
  for (const { name, verdict, parts, input, output, changes } of checks) {
    const answered = Object.keys((output as unknown as { properties: object }).properties);
    const { passesIf, passed, failed, unfinished } = verdict!;
    const texts = `${passed} ${failed} ${unfinished?.text}`;
    const named = [...texts.matchAll(/\{(\w+)\}/g)].map(([, field]) => field!);
    const others = [...(unfinished ? [unfinished.while] : []), ...(parts ? [parts.output] : [])];
    for (const field of [passesIf, ...named, ...others]) {
      assert.ok(answered.includes(field), `${name}: ${field}`);
    }
    if (parts) assert.ok(parts.input in input.properties, name);
    if (changes) continue;
    assert.equal(parts !== undefined, 'cursor' in input.properties || 'fromBlock' in input.properties, name);
  }
});

test('work that is done in parts says what is left, and no fault', () => {
  const outlook = {
    left: 'remaining',
    done: 'Key {keyVersion}.',
    more: 'Again: {remaining} users are left.',
  };
  assert.equal(describeOutlook(outlook, { remaining: 0, keyVersion: 2 }), 'Key 2.');
  assert.equal(describeOutlook(outlook, { remaining: 1_200 }), 'Again: 1,200 users are left.');
  assert.equal(describeOutlook({ done: 'From block {nextBlock}.' }, { nextBlock: 7 }), 'From block 7.');
  const named = commands.filter((command) => command.outlook);
  assert.deepEqual(named.map(({ name }) => name).sort(), [
    'deposits.rescan',
    'users.reseal',
    'webhooks.reseal',
  ]);
  for (const { name, outlook, output } of named) {
    const answered = Object.keys((output as unknown as { properties: object }).properties);
    const texts = `${outlook!.done} ${outlook!.more ?? ''}`;
    const fields = [...texts.matchAll(/\{(\w+)\}/g)].map(([, field]) => field!);
    for (const field of [...fields, ...(outlook!.left ? [outlook!.left] : [])])
      assert.ok(answered.includes(field), `${name}: ${field}`);
  }
});

test('parts are followed to the end: lists joined, counts added, one fault is enough', async () => {
  const answers = [
    { isSound: false, lines: 2, rows: ['a', 'b'], next: 5 },
    { isSound: true, lines: 1, rows: ['b', 'c'], next: 7 },
    { isSound: true, lines: 4, rows: ['a'], next: null },
  ];
  const inputs: object[] = [];
  const seen: unknown[] = [];
  const data = await followParts(
    { input: 'from', output: 'next' },
    { network: 'base', from: 0 },
    async (input) => {
      inputs.push(input);
      return structuredClone(answers[inputs.length - 1]!);
    },
    (known) => seen.push(known.lines),
  );
  assert.deepEqual(data, { isSound: false, lines: 7, rows: ['a', 'b', 'c', 'a'], next: null });
  assert.deepEqual(
    inputs,
    [0, 5, 7].map((from) => ({ network: 'base', from })),
  );
  assert.deepEqual(seen, [2, 3]);
});

test('a server that names the same part again is refused, not asked forever', async () => {
  const parts = { input: 'from', output: 'next' };
  await assert.rejects(
    followParts(
      parts,
      {},
      async () => ({ next: 5 }),
      () => {},
    ),
    CommandFault,
  );
});
