import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { StartupError } from '#platform/errors/startup-error';
import { openJournal } from './journal.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'causeway journal '));
after(() => rmSync(folder, { recursive: true, force: true }));

async function replay(file: string): Promise<unknown[]> {
  const entries: unknown[] = [];
  const journal = await openJournal<unknown>(file, (entry) => entries.push(entry));
  await journal.close();
  return entries;
}

async function write(file: string, entries: readonly unknown[]): Promise<void> {
  const journal = await openJournal<unknown>(file, () => {});
  for (const entry of entries) journal.append(entry);
  await journal.durable();
  await journal.close();
}

const entries = ['one', { two: 'ä\n\u2028' }, [3], { four: null }];
const written = async (name: string) => {
  const file = path.join(folder, name);
  await write(file, entries);
  return file;
};

test('what was durable comes back in its order, and what is appended later follows it', async () => {
  const file = await written('plain');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(await replay(file), entries);
  await write(file, ['five']);
  assert.deepEqual(await replay(file), [...entries, 'five']);
});

test('durable means on the file: what many append at once is there when it resolves', async () => {
  const file = path.join(folder, 'many');
  const journal = await openJournal<number>(file, () => {});
  await Promise.all(
    Array.from({ length: 200 }, async (_, number) => {
      if (number % 3 === 0) await new Promise(setImmediate);
      journal.append(number);
      await journal.durable();
      assert.match(readFileSync(file, 'utf8'), new RegExp(` ${number}\n`));
    }),
  );
  await journal.close();
  assert.equal((await replay(file)).length, 200);
});

test('a last line without its end is cut off wherever it was torn, and the rest stays', async () => {
  const file = await written('torn');
  const whole = readFileSync(file);
  const lastStart = whole.lastIndexOf('\n', whole.length - 2) + 1;
  for (let length = lastStart; length < whole.length; length++) {
    writeFileSync(file, whole.subarray(0, length));
    assert.deepEqual(await replay(file), entries.slice(0, 3), `${length} bytes`);
    assert.equal(statSync(file).size, lastStart, 'it is gone from the file');
  }
  await write(file, ['instead']);
  assert.deepEqual(await replay(file), [...entries.slice(0, 3), 'instead']);
});

test('any other damage refuses to open, and changes nothing', async () => {
  const file = await written('damaged');
  const whole = readFileSync(file);
  const lines = whole.toString().split('\n').slice(0, -1);
  const joined = (parts: (string | undefined)[]) => Buffer.from(`${parts.join('\n')}\n`);
  const damaged: [string, Buffer][] = [
    ['a line missing', joined([lines[0], lines[2], lines[3]])],
    ['the first line missing', joined(lines.slice(1))],
    ['two lines in the wrong order', joined([lines[0], lines[2], lines[1], lines[3]])],
    ['a line twice', joined([...lines, lines[3]])],
    ['an empty line', joined([...lines, ''])],
    ['a line of something else', joined([...lines, 'something else'])],
    [
      'zeros in place of the last line',
      Buffer.concat([joined(lines.slice(0, 3)), Buffer.alloc(20), Buffer.from('\n')]),
    ],
  ];
  for (let at = 0; at < whole.length - 1; at++) {
    const flipped = Buffer.from(whole);
    flipped[at]! ^= 1;
    damaged.push([`byte ${at} altered`, flipped]);
  }
  for (const [what, content] of damaged) {
    writeFileSync(file, content);
    await assert.rejects(
      replay(file),
      (error) => error instanceof StartupError && / line \d+\.$/.test(error.message),
      what,
    );
    assert.deepEqual(readFileSync(file), content, what);
  }
});
