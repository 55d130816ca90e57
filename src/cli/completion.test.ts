import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { toolTest } from '#test/callers/tools';
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

test('--flag=value is completed, and the flag counts as given', () => {
  assert.deepEqual(wordsFor('withdrawals', 'list', '--status=p'), [
    '--status=pending',
    '--status=processing',
  ]);
  assert.deepEqual(wordsFor('withdrawals', 'list', '--status', '=', 'p'), ['pending', 'processing']);
  assert.ok(wordsFor('withdrawals', 'list', '--status', '=').includes('failed'));
  assert.ok(!wordsFor('withdrawals', 'list', '--status=failed', '--').includes('--status'));
  assert.deepEqual(wordsFor('serve', '--roles=w'), ['--roles=worker']);
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
const program = path.join(folder, 'causeway');
const cli = path.resolve(import.meta.dirname, '../cli.ts');
writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${cli}' "$@"\n`);
chmodSync(program, 0o755);
writeFileSync(path.join(folder, 'march.pdf'), '');

const timeout = 300_000;

/** Runs a shell that finds `causeway`, in a folder with one file that could be meant. */
const runShell = (shell: string, args: readonly string[]) =>
  execFileSync(shell, args, {
    env: { ...process.env, HOME: folder, PATH: `${folder}:${process.env.PATH}`, TERM: 'xterm' },
    cwd: folder,
    encoding: 'utf8',
    timeout: 120_000,
  });

/** What bash offers for a line: its function runs `causeway` of the path. */
function offersOfBash(...words: string[]): string[] {
  const quoted = ['causeway', ...words].map((word) => `'${word}'`).join(' ');
  const script = `source <(causeway completion bash); COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _causeway
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return runShell('bash', ['-c', script])
    .split('\n')
    .filter((word) => word !== '');
}

test('in bash, Tab offers the same words', () => {
  assert.deepEqual(offersOfBash('withdrawals', 'list', '--status', 'p'), ['pending', 'processing']);
  assert.deepEqual(offersOfBash('withdrawals', 'list', '--status', '=', 'pe'), ['pending']);
  assert.deepEqual(offersOfBash('keys', 're'), ['revoke', 'resume']);
});

/** How a fresh zsh learns of the completion. */
const zshrc = {
  sourced: 'autoload -Uz compinit; compinit -u -D; source <(causeway completion zsh)',
  'in fpath': `causeway completion zsh > ${folder}/_causeway; fpath=(${folder} $fpath); autoload -Uz compinit; compinit -u -D`,
};

/** Types a line and Tab into zsh on a terminal: what it lists, and the line that is there then. */
function pressTabInZsh(line: string, setup: string) {
  const script = path.resolve(import.meta.dirname, '../../test/callers/press-tab.zsh');
  const shown = stripVTControlCharacters(runShell('zsh', ['-f', script, setup, line]));
  const [, becomes] = /<([^<>]*)>\s*$/.exec(shown) ?? [];
  return { shown, becomes };
}

for (const [name, setup] of Object.entries(zshrc)) {
  toolTest(['zsh'], `in zsh, ${name}, Tab completes and explains words`, { timeout }, () => {
    assert.equal(pressTabInZsh('causeway keys rev', setup).becomes, 'causeway keys revoke ');
    const { shown, becomes } = pressTabInZsh('causeway keys re', setup);
    assert.equal(becomes, 'causeway keys re');
    assert.match(shown, /resume +-- End the suspension of a key.*\r?\nrevoke +-- Revoke a key immediately/);
  });
}

for (const [line, becomes] of [
  ['causeway withdrawals list --status pe', 'causeway withdrawals list --status pending '],
  ['causeway withdrawals list --status=pe', 'causeway withdrawals list --status=pending '],
  ["causeway 'keys' rev", "causeway 'keys' revoke "],
  ['causeway ledger statement --out ma', 'causeway ledger statement --out march.pdf '],
] as const) {
  toolTest(['zsh'], `in zsh, ${line} becomes ${becomes}`, { timeout }, () =>
    assert.equal(pressTabInZsh(line, zshrc.sourced).becomes, becomes),
  );
}

for (const [line, offers] of [
  ['causeway keys re', ['resume\tEnd the suspension of a key', 'revoke\tRevoke a key immediately']],
  ['causeway serv', ['serve\tStart the server']],
  ['causeway withdrawals list --status p', ['pending', 'processing']],
  ['causeway withdrawals list --status=pe', ['--status=pending']],
  ["causeway 'keys' rev", ['revoke\tRevoke a key']],
  ['causeway ledger statement --out ma', ['march.pdf']],
] as const) {
  toolTest(['fish'], `in fish, ${line} offers ${offers.join(', ')}`, { timeout }, () => {
    const script = `causeway completion fish | source; complete -C ${JSON.stringify(line)}`;
    const lines = runShell('fish', ['-N', '-c', script]).trim().split('\n');
    assert.equal(lines.length, offers.length, lines.join('\n'));
    for (const offer of offers)
      assert.ok(
        lines.some((line) => line.startsWith(offer)),
        lines.join('\n'),
      );
  });
}

test('a word without an explanation is a line without a tab', () => {
  const lines = runCompletion(['words', '--', 'withdrawals', 'list', '--status', 'p'], starts, commands);
  assert.equal(lines, 'pending\nprocessing');
});
