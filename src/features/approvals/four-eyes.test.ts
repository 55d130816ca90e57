import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { commands } from '../../app.ts';
import { chooseFourEyes, defaultFourEyes } from './four-eyes.ts';

test('no command needs a second operator by default', () => {
  assert.deepEqual([...chooseFourEyes(commands, {})], []);
});

test('default stands for a list of commands, each of which can wait', () => {
  assert.deepEqual([...chooseFourEyes(commands, { fourEyesCommands: ['default'] })], defaultFourEyes);
  assert.deepEqual([...chooseFourEyes(commands, { fourEyesCommands: defaultFourEyes })], defaultFourEyes);
  const more = chooseFourEyes(commands, { fourEyesCommands: ['default', 'partners.create', 'keys.issue'] });
  assert.deepEqual([...more], [...defaultFourEyes, 'partners.create']);
});

test('TWO_PERSON_RESUME adds payouts.resume', () => {
  assert.deepEqual([...chooseFourEyes(commands, { twoPersonResume: true })], ['payouts.resume']);
});

test('a name that is unknown, changes nothing or has effects elsewhere is a fault of the settings', () => {
  for (const name of ['ledger.fnud', 'users.list', 'approvals.decide', 'cards.create', 'wallets.resend']) {
    assert.throws(() => chooseFourEyes(commands, { fourEyesCommands: ['default', name] }), {
      name: 'ConfigFault',
      message: new RegExp(`^FOUR_EYES_COMMANDS must be .*: not ${name}\\.$`),
    });
  }
});

test('docs/operating.md names what default stands for', () => {
  const guide = readFileSync('docs/operating.md', 'utf8');
  const section = guide.split(/^## /m).find((part) => part.startsWith('Commands that need two operators'))!;
  const list = section.slice(0, section.indexOf('```'));
  const named = [...list.matchAll(/`([a-z]+) ([a-z-]+)`/g)].map(
    ([, feature, command]) => `${feature}.${command}`,
  );
  assert.deepEqual([...new Set(named)].sort(), [...defaultFourEyes].sort());
});
