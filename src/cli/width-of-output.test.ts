import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { CommandDescription } from '#platform/commands/command-description';
import { isInstant } from '#platform/commands/values';
import commandList from '../commands.json' with { type: 'json' };
import recorded from '../surfaces/operator/examples.json' with { type: 'json' };
import { renderChecklist } from './checklist.ts';
import { examplesOf, wrapExample } from './examples.ts';
import { describeAll, describeCommand, describeCommands, describeStart } from './help.ts';
import { renderAnswer } from './render-answer.ts';
import { starts } from './starts.ts';
import { textWidth } from './text-width.ts';
import { continueWord } from './view.ts';

const commands: readonly CommandDescription[] = commandList;
const answers: Record<string, { answer?: Record<string, unknown> } | undefined> = recorded as never;
const now = new Date('2026-08-01T00:00:00Z');

function assertFits(text: string, columns: number, what: string): void {
  for (const line of stripVTControlCharacters(text).split('\n'))
    assert.ok(textWidth(line) <= columns, `${what} on ${columns} columns: ${line}`);
}

/** Texts of others may be long, without a space, and in any script. */
const longTexts = [
  '東京都'.repeat(40),
  '👩‍👩‍👧'.repeat(60),
  'Zoe\u0308'.repeat(80),
  `a@${'example'.repeat(30)}.com`,
];

function lengthenTexts(value: unknown, text: string): unknown {
  if (Array.isArray(value)) return value.map((one) => lengthenTexts(one, text));
  if (typeof value === 'string') return isInstant(value) || /^-?[\d.]+$/.test(value) ? value : text;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, lengthenTexts(one, text)]));
}

function render(
  { columns, isChecklist }: CommandDescription,
  answer: Record<string, unknown>,
  width: number,
) {
  if (isChecklist) return renderChecklist(answer, width);
  return renderAnswer(answer, { width, isWide: false, now }, columns);
}

for (const columns of [60, 80, 120, 200]) {
  test(`answers of all commands on ${columns} columns; on 80 also with long texts in wide characters`, () => {
    let shown = 0;
    for (const command of commands) {
      const { answer } = answers[command.name] ?? {};
      if (!answer || command.fileTypes) continue;
      assertFits(render(command, answer, columns), columns, command.name);
      for (const text of columns === 80 ? longTexts : []) {
        const longer = lengthenTexts(answer, text) as Record<string, unknown>;
        // The states of checks are ours.
        if (!command.isChecklist) assertFits(render(command, longer, columns), columns, command.name);
      }
      shown++;
    }
    assert.ok(shown > 90, String(shown));
  });
}

for (const columns of [72, 80, 120, 200]) {
  test(`help on ${columns} columns`, (t) => {
    const before = process.stdout.columns;
    t.after(() => {
      process.stdout.columns = before;
    });
    process.stdout.columns = columns;
    const features = Map.groupBy(commands, ({ name }) => name.split('.')[0]!);
    const texts: [what: string, text: string][] = [
      ['causeway --help', describeAll(starts, commands)],
      ...starts.map((start): [string, string] => [start.name, describeStart(start)]),
      ...[...features].map(([name, those]): [string, string] => [name, describeCommands(those)]),
      ...commands.map((command): [string, string] => [command.name, describeCommand(command)]),
    ];
    for (const [what, text] of texts) assertFits(text, columns, what);
  });
}

const wordsOfShell = (lines: readonly string[]) =>
  execFileSync('sh', ['-s'], {
    input: lines.map((line) => `printf '%s\\0' ${line}\n`).join(''),
    encoding: 'utf8',
  })
    .split('\0')
    .map((word) => (/^[[{]/.test(word) ? JSON.stringify(JSON.parse(word)) : word));

for (const columns of [72, 80, 120]) {
  test(`an example in several lines of ${columns} columns is the same command for a shell`, () => {
    const examples = commands.flatMap(examplesOf);
    const wrapped = examples.map((line) => wrapExample(line, columns));
    assert.ok(wrapped.filter((lines) => lines.length > 1).length > 5);
    assert.ok(wrapped.flat().every((line) => textWidth(line) <= columns));
    assert.deepEqual(wordsOfShell(wrapped.map((lines) => lines.join('\n'))), wordsOfShell(examples));
  });
}

test('a cursor that is longer than a line is one word for a shell', () => {
  const cursor = 'dXNlcnMubGlzdC1ibG9ja2Vk'.repeat(5);
  const shown = renderAnswer({ items: [{ id: 1 }], nextCursor: cursor }, { width: 80, isWide: false, now });
  assertFits(shown, 80, 'the cursor');
  const [, typed = ''] = stripVTControlCharacters(shown).split('More: add ');
  assert.deepEqual(wordsOfShell([typed]).slice(0, 2), ['--cursor', cursor]);
  assert.equal(continueWord('short', 80), 'short');
});

test('a hash beside a long label has its own line, and a longer word goes on in the next', () => {
  const hash = `0x${'ab'.repeat(32)}`;
  const view = { width: 80, isWide: false, now };
  assert.equal(
    renderAnswer({ maxPriorityFeePerGas: '1', hash }, view),
    `max priority fee per gas  1\nhash\n  ${hash}`,
  );
  const body = `{"id":"${'x'.repeat(150)}"}`;
  const lines = renderAnswer({ body }, view).split('\n');
  assert.equal(lines[0], 'body');
  assert.equal(
    lines
      .slice(1)
      .map((line) => line.trim())
      .join(''),
    body,
  );
});

test('a first column that is wider than the terminal is cut', () => {
  const view = { width: 40, isWide: false, now };
  for (const email of ['a'.repeat(60), '美'.repeat(30)])
    assertFits(renderAnswer({ items: [{ email, id: 'x' }] }, view), 40, email);
});
