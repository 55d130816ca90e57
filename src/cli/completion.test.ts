import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import commands from '../commands.json' with { type: 'json' };
import { roles } from '../main.ts';
import { simulationNames } from '../sandbox/door/simulation-list.ts';
import { complete, runCompletion } from './completion.ts';
import { starts } from './starts.ts';

const wordsFor = (...words: string[]) => complete(words, starts, commands).map(([word]) => word);

test('the first word: what can be started, and the features', () => {
  assert.deepEqual(wordsFor('se'), ['serve']);
  const all = wordsFor('');
  for (const word of ['serve', 'migrate', 'completion', 'withdrawals', 'keys', '--help', '--version'])
    assert.ok(all.includes(word), word);
  assert.equal(new Set(all).size, all.length);
});

test('the second word: the commands of a feature, or the flags of a start', () => {
  assert.deepEqual(wordsFor('keys', 's'), ['suspend']);
  assert.deepEqual(wordsFor('serve', ''), ['--roles', '--help']);
  assert.deepEqual(wordsFor('completion', 'z'), ['zsh']);
  assert.deepEqual(wordsFor('nothing', ''), []);
});

test('then flags that are not given yet, and the values of a flag that has a list of them', () => {
  const flags = wordsFor('withdrawals', 'list', '--');
  for (const flag of ['--status', '--network', '--json', '--url', '--help'])
    assert.ok(flags.includes(flag), flag);
  assert.ok(!wordsFor('withdrawals', 'list', '--status', 'failed', '--').includes('--status'));
  assert.deepEqual(wordsFor('withdrawals', 'list', '--status', 'p'), ['pending', 'processing']);
  assert.deepEqual(wordsFor('withdrawals', 'list', '--url', ''), []);
  assert.ok(!wordsFor('ledger', 'statement', '--').includes('--json'));
  assert.ok(wordsFor('ledger', 'statement', '--').includes('--out'));
});

test('the names of accidents after simulate, and the roles after --roles', () => {
  assert.deepEqual(wordsFor('sandbox', 'simulate', ''), simulationNames);
  assert.deepEqual(wordsFor('sandbox', 'simulate', 'reo'), ['reorg']);
  assert.deepEqual(wordsFor('sandbox', ''), ['--reset', 'simulate', '--help']);
  assert.deepEqual(wordsFor('serve', '--roles', ''), ['api', 'worker', 'api,worker']);
  assert.deepEqual(wordsFor('serve', '--roles', 'api', ''), ['--help']);
  for (const role of wordsFor('serve', '--roles', '').flatMap((word) => word.split(',')))
    assert.ok((roles as readonly string[]).includes(role), role);
});

test('a shell that is not known is refused with those that are', () => {
  for (const args of [[], ['powershell'], ['bash', 'more']]) {
    assert.throws(() => runCompletion(args, starts, commands), /^Error: Name a shell: bash, zsh, fish\./);
  }
});

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-completion-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What bash offers for a line: its function runs `causeway` of the path. */
function pressTab(...words: string[]): string[] {
  const program = path.join(folder, 'causeway');
  const cli = path.resolve(import.meta.dirname, '../cli.ts');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${cli}' "$@"\n`);
  chmodSync(program, 0o755);
  const quoted = ['causeway', ...words].map((word) => `'${word}'`).join(' ');
  const script = `source <(causeway completion bash); COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _causeway
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const out = execFileSync('bash', ['-c', script], { env, cwd: folder, encoding: 'utf8', timeout: 60_000 });
  return out.split('\n').filter((word) => word !== '');
}

test('in bash, Tab offers the same words', () => {
  assert.deepEqual(pressTab('withdrawals', 'list', '--status', 'p'), ['pending', 'processing']);
  assert.deepEqual(pressTab('keys', 're'), ['revoke', 'resume']);
});

test('a word without an explanation is a line without a tab', () => {
  const lines = runCompletion(['words', '--', 'withdrawals', 'list', '--status', 'p'], starts, commands);
  assert.equal(lines, 'pending\nprocessing');
});
