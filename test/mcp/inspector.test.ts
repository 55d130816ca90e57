import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey } from '#test/data/factories';
import { useHarness } from '../harness.ts';
import { runJudge } from './run-judge.ts';

const harness = useHarness();

/** As somebody would in a terminal. */
async function inspect(...args: string[]) {
  const { token } = await makeKey(harness, { scopes: ['mcp', 'mcp_card_reveal', 'mcp:write'] });
  return runJudge('@modelcontextprotocol/inspector/clients/launcher/build/index.js', [
    '--cli',
    `${harness.url}/mcp`,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${token}`,
    ...args,
  ]);
}

const eras: [title: string, args: string[]][] = [
  ['as it comes', []],
  ['legacy', ['--protocol-era', 'legacy']],
  ['modern', ['--protocol-era', 'modern']],
];
for (const [era, args] of eras) {
  test(`inspector, ${era}: ten tools, whose schemas it finds portable by its strict rules`, async () => {
    const { code, stdout, stderr } = await inspect('--method', 'tools/list', '--strict', ...args);
    assert.equal(code, 0, stderr);
    const { tools } = JSON.parse(stdout);
    assert.equal(tools.length, 10);
    assert.equal(stderr, '', 'it has nothing to remark');
  });

  test(`inspector, ${era}: a call gives the balance`, async () => {
    const { code, stdout, stderr } = await inspect(
      '--method',
      'tools/call',
      '--tool-name',
      'getAccountBalance',
      ...args,
    );
    assert.equal(code, 0, stderr);
    const { content, structuredContent } = JSON.parse(stdout);
    assert.equal(structuredContent.currency, 'USD');
    assert.deepEqual(JSON.parse(content[0].text), structuredContent);
    assert.equal(stderr, '');
  });
}

for (const [era, args] of eras) {
  test(`inspector, ${era}: prompts and statements`, async () => {
    const read = async (...given: string[]) => {
      const { code, stdout, stderr } = await inspect(...given, ...args);
      assert.deepEqual([code, stderr], [0, ''], given.join(' '));
      return JSON.parse(stdout);
    };
    const { prompts } = await read('--method', 'prompts/list');
    assert.equal(prompts.length, 3);
    const named = ['--prompt-name', 'reviewMonth', '--prompt-args', 'month=2026-10'];
    const { messages } = await read('--method', 'prompts/get', ...named);
    assert.match(messages[0].content.text, /^Review my month 2026-10\./);
    const { resources } = await read('--method', 'resources/list');
    const { contents } = await read('--method', 'resources/read', '--uri', resources[0].uri);
    assert.match(contents[0].text, /^id,uniqueHashId,/);
    assert.equal((await read('--method', 'resources/templates/list')).resourceTemplates.length, 1);
  });
}

test('inspector: a tool that nobody has ends it with an error, so that the others can fail', async () => {
  const { code } = await inspect('--method', 'tools/call', '--tool-name', 'getSecrets');
  assert.notEqual(code, 0);
});
