import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderAnswer } from './render-answer.ts';
import { takeColumns, textWidth } from './text-width.ts';

for (const [text, columns] of [
  ['', 0],
  ['Ana', 3],
  ['Zoë', 3],
  ['Zoe\u0308', 3],
  ['0198a6a0…0001', 13],
  ['美玲', 4],
  ['김', 2],
  ['\u1100\u1161', 2],
  ['ｶﾅ', 2],
  ['ＡＢ', 4],
  ['👩‍👩‍👧 x', 4],
  ['🇵🇹', 2],
  ['1️⃣', 2],
  ['☎', 1],
  ['a\u200bb', 2],
  ['שלום', 4],
] as const) {
  test(`${JSON.stringify(text)} takes ${columns} columns`, () => assert.equal(textWidth(text), columns));
}

test('a text is cut between characters', () => {
  assert.equal(takeColumns('美玲王', 5), '美玲');
  assert.equal(takeColumns('e\u0301e\u0301', 1), 'e\u0301');
  assert.equal(takeColumns('👩‍👩‍👧👩‍👩‍👧', 3), '👩‍👩‍👧');
});

test('columns start below each other, whatever the names are written in', () => {
  const names = ['Ana', '美玲', '👩‍👩‍👧 Zoe\u0308', '김철수'];
  const view = { width: 80, isWide: false, now: new Date() };
  const lines = renderAnswer({ items: names.map((name) => ({ name, end: '|' })) }, view).split('\n');
  assert.deepEqual(
    lines.slice(1).map((line) => textWidth(line.slice(0, line.indexOf('|')))),
    names.map(() => 8),
  );
  assert.equal(lines[0], 'NAME    END');
});

test('no line of a table or record is wider than the terminal', () => {
  const text = '東京 大阪 京都 横浜 名古屋 札幌 神戸 福岡 川崎 広島 仙台 千葉 北九州 堺 新潟 浜松 熊本';
  const view = { width: 60, isWide: false, now: new Date() };
  for (const data of [{ items: [{ text, more: 'x' }] }, { text, more: 'x' }]) {
    for (const line of renderAnswer(data, view).split('\n')) assert.ok(textWidth(line) <= 60, line);
  }
});
