import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { ConfigFault, type Environment, type Setting } from './setting.ts';
import { type SettingName, settings } from './settings.ts';

const root = path.resolve(import.meta.dirname, '../..');
const entries = Object.entries<Setting>(settings) as [SettingName, Setting][];
const isPlaceholder = (example = '') => example.includes('<');

const working: Environment = {
  DATABASE_URL: 'postgres://causeway@db.example.com/causeway',
  OPERATOR_TOKENS: `alice:${'a'.repeat(32)}`,
  ENCRYPTION_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
  HOT_WALLET_KEYS: `0x${'11'.repeat(32)}`,
  ISSUER_TOKEN: 'known-to-the-issuer',
  OPENID_CLIENT_SECRET: 'known-to-the-provider',
};

/** Every example at once, because some are about others: a quorum needs its nodes. */
function faultsOf(others: Environment): string[] {
  const examples = entries.map(([name, { example }]) => [name, isPlaceholder(example) ? undefined : example]);
  try {
    readConfig({ ...Object.fromEntries(examples), ...others }, ['api', 'worker']);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigFault, String(error));
    return error.faults;
  }
}

test('every setting shows its form: by a default, or by an example that is accepted', () => {
  const without = entries.filter(([, setting]) => !setting.default && !setting.example);
  assert.deepEqual(without, []);
  const { DATABASE_URL, ...secrets } = working;
  assert.deepEqual(faultsOf(secrets), []);
});

for (const [name, { example, secret }] of entries.filter(([, { example }]) => isPlaceholder(example))) {
  // The command line hands its token over as it is: the server refuses it.
  if (name === 'CAUSEWAY_OPERATOR_TOKEN') continue;
  test(`the example of ${name} is refused: a public value is not a secret`, () => {
    assert.ok(secret);
    const [fault, ...others] = faultsOf({ ...working, [name]: example });
    assert.match(fault ?? '', new RegExp(`^${name} must be`));
    assert.deepEqual(others, []);
  });
}

/** Comment lines of at most 110 columns. */
function commentLines(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) || '#'} ${word}`;
    if (longer.length > 110) lines.push(`# ${word}`);
    else lines[lines.length - 1] = longer;
  }
  return lines.join('\n');
}

test('.env.example has every setting with its meaning, its example and its default', () => {
  const blocks = entries.map(([name, setting]) => {
    const line = `${name}=${setting.default ?? ''}`;
    return [
      commentLines(setting.meaning),
      ...(setting.example ? [`# Example: ${setting.example}`] : []),
      setting.default === undefined ? line : `# ${line}`,
    ].join('\n');
  });
  const [, ...shown] = readFileSync(path.join(root, '.env.example'), 'utf8').trimEnd().split('\n\n');
  assert.deepEqual(shown, blocks);
});

test('docs/settings.md has every setting with its default and its meaning', () => {
  const rows = entries.map(([name, setting]) => {
    const shown = setting.default === undefined ? 'required' : setting.default && `\`${setting.default}\``;
    return `| \`${name}\` | ${shown} | ${setting.meaning} |`;
  });
  const found = readFileSync(path.join(root, 'docs/settings.md'), 'utf8').match(/^\| `[A-Z_]+` \|.*$/gm);
  assert.deepEqual(found, rows);
});
