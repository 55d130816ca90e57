import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { makeKey, makeWithdrawal } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { startReceiver } from '#test/outside/webhook-receiver';
import { networksWithoutNodes, noteSecret, useHarness } from './harness.ts';
import { waitUntil } from './wait-until.ts';

const harness = useHarness({ networks: networksWithoutNodes() });
const cli = path.resolve(import.meta.dirname, '../bin/causeway.js');

function listen(...args: string[]) {
  const child = spawn(process.execPath, [cli, 'listen', ...args], {
    env: { ...process.env, DATABASE_URL: '', CAUSEWAY_URL: '', CAUSEWAY_HOME: '/nowhere' },
  });
  const output = { text: '' };
  child.stdout.on('data', (chunk) => {
    output.text += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.text += chunk;
  });
  return { child, output };
}

test('listen forwards what happens from now on, signed, and goes on when the program fails', async (t) => {
  const key = await makeKey(harness);
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  const receiver = await startReceiver();
  t.after(() => receiver.stop());
  receiver.answer = ({ event }, response) => void response.writeHead(event.sequence === 2 ? 500 : 200).end();
  const { child, output } = listen('--forward', receiver.url, '--url', harness.url, '--key', key.token);
  t.after(() => child.kill('SIGKILL'));
  await waitUntil('it is ready', () => /Signing secret for this session: whsec_\S+/.test(output.text));
  noteSecret(/whsec_(\S+)/.exec(output.text)![1]!);
  for (let n = 0; n < 2; n++) {
    await makeWithdrawal(harness, key);
    await numberAll(harness);
  }
  await waitUntil('both arrive', () => receiver.received.length === 2);
  assert.deepEqual(
    receiver.received.map(({ event, headers }) => [event.sequence, headers['webhook-id'] === event.id]),
    [
      [2, true],
      [3, true],
    ],
  );
  await waitUntil('it says so', () => output.text.includes('  200'));
  assert.match(output.text, /withdrawal\.queued +evt_[0-9a-f]{32} {2}500\n/);
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
});

for (const [args, code, message] of [
  [[], 2, /Missing --forward/],
  [['--forward', 'nowhere'], 2, /--forward must be a URL/],
  [['--forward', 'http://localhost:1/', '--url', 'http://127.0.0.1:1'], 2, /Missing --key/],
  [['--forward', 'http://localhost:1/'], 2, /No server given/],
  [
    ['--forward', 'http://localhost:1/', '--url', 'http://127.0.0.1:1', '--key', 'cwk_x'],
    3,
    /does not answer/,
  ],
  [['--to', 'http://localhost:1/'], 2, /--to/],
] as const) {
  test(`causeway listen ${args.join(' ')}: exit code ${code}`, async () => {
    const { child, output } = listen(...args);
    const [exitCode] = await once(child, 'close');
    assert.equal(exitCode, code, output.text);
    assert.match(output.text, message);
  });
}

test('a key that is refused ends it with the server’s words', async () => {
  const { child, output } = listen(
    '--forward',
    'http://localhost:1/',
    '--url',
    harness.url,
    '--key',
    'wrong',
  );
  const [exitCode] = await once(child, 'close');
  assert.equal(exitCode, 4, output.text);
  assert.match(output.text, /refused: Unauthorized/);
});
