import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { findTool, toolTest } from '#test/callers/tools';
import { makeAddress, makeConsent, makeIntegration, makeKey, makeLines } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { useHarness } from '../harness.ts';

const harness = useHarness({
  outgoing: { allowsLoopbackHttp: true, ports: [], allowedBlocks: [] },
});
const folder = path.resolve(import.meta.dirname, '../../packages/python');

const timeout = 600_000;
toolTest(['python3'], 'the tests of the Python client pass against the app', { timeout }, async (t) => {
  const key = await makeKey(harness);
  await makeLines(harness, key.userId, [
    { description: 'Deposit', amountReceived: '300', assetReceived: 'USDC' },
    { transactionType: 'sell', description: 'Withdrawal', assetSent: 'USDC', amountSent: '12.5' },
    { transactionType: 'transfer-token', description: 'Sent to Rui', assetSent: 'USDC', amountSent: '25' },
  ]);
  await numberAll(harness);
  const integration = await makeIntegration(harness);
  const { id: consentId } = await makeConsent(harness, integration);
  // -B: no compiled files in the tree. -W error: a warning of Python is a fault.
  const args = ['-B', '-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests', '-v'];
  const { stderr } = await promisify(execFile)(findTool('python3')!, args, {
    cwd: folder,
    timeout,
    env: {
      ...process.env,
      PYTHONPATH: path.join(folder, 'src'),
      CAUSEWAY_URL: harness.url,
      CAUSEWAY_KEY: key.token,
      CAUSEWAY_USER: key.userId,
      CAUSEWAY_ADDRESS: makeAddress(),
      CAUSEWAY_INTEGRATION_KEY: integration.token,
      CAUSEWAY_CONSENT: consentId,
    },
  });
  const [, count] = /^Ran (\d+) tests/m.exec(stderr) ?? [];
  t.diagnostic(`${count} tests of Python`);
  assert.ok(Number(count) >= 18, stderr);
  assert.match(stderr, /^OK$/m, 'none is skipped');
});
