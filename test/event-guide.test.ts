import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readGuideFiles } from '#test/callers/guide-blocks';
import { compile, installClient } from '#test/callers/install-client';
import { eventFamilies } from '../src/app.ts';

const file = 'docs/guides/receive-events.md';

test('the guide “Receive events” lists every event of the catalogue, with its meaning and who receives it', () => {
  const rows = eventFamilies.flatMap(({ audience, types }) =>
    types.map(({ type, words }) => `| \`${type}\` | ${words} | ${audience.join(', ')} |`),
  );
  const text = readFileSync(path.resolve(import.meta.dirname, '..', file), 'utf8');
  assert.deepEqual(
    text.split('\n').filter((line) => line.startsWith('| `')),
    rows,
  );
});

test('its receiver has about 20 lines, and compiles with the client as it is installed', (t) => {
  const guide = readGuideFiles().find((one) => one.file === file)!;
  const [receiver] = guide.blocks.flatMap(({ text }) => /<<'TS'\n([\s\S]*)\nTS$/m.exec(text)?.[1] ?? []);
  assert.ok(receiver!.split('\n').length <= 20);
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway receiver '));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  installClient(folder);
  const program = path.join(folder, 'receiver.ts');
  writeFileSync(program, receiver!);
  compile(folder, program);
});
