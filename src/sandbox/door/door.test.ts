import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { processFile } from '#test/bundle/process-file';
import { browserTest, useBrowser } from '#test/callers/browser';
import { type StartedSandbox, startSandbox, stopSandbox } from '#test/callers/start-sandbox';
import { toolTest } from '#test/callers/tools';
import { ask } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { type SimulationName, simulationNames } from './simulation-list.ts';

// One sandbox, seen by somebody who follows the page at /.

const browser = useBrowser();
const folder = mkdtempSync(path.join(tmpdir(), 'causeway door '));
// As root, PostgreSQL runs under another account, which must be able to pass through here.
chmodSync(folder, 0o755);
const home = path.join(folder, 'home');
const cli = processFile('src/cli.ts');
let running: StartedSandbox;
before(async () => {
  running = await startSandbox(home);
});
after(async () => {
  await stopSandbox(running);
  rmSync(folder, { recursive: true, force: true });
});

const origin = () => running.sandbox.baseUrl;
const run = promisify(execFile);
const simulate = async (name: string) =>
  (
    await run(process.execPath, [cli, 'sandbox', 'simulate', name], {
      env: { ...process.env, CAUSEWAY_HOME: home },
    })
  ).stdout;

browserTest(
  'the tour pays, watches, reads, asks and shares, without a line typed',
  { timeout: 600_000 },
  async () => {
    // The demo's own payments are paid in the seconds after the start, and would be newer than the tour's.
    await waitUntil('the payroll is paid', async () => {
      const { users, keys } = running.sandbox;
      await sleep(500);
      const { body } = await ask(`${origin()}/api/crypto/${users.owner.id}/withdraws?perPage=50`, {
        headers: { authorization: `Bearer ${keys.full.token}` },
      });
      return body.data.withdraws.every(({ status }: { status: string }) => /completed|failed/.test(status));
    });
    const { page, strayed, errors } = await browser.open(origin());
    await page.goto(origin());
    assert.equal(await page.textContent('.status'), 'Ready');
    const says = (id: string, words: string) =>
      page.locator(`#${id}`).filter({ hasText: words }).waitFor({ timeout: 240_000 });
    await page.click('[data-step=pay]');
    await says('watch', 'Now completed');
    await page.reload();
    await page.click('[data-step=watch]');
    await says('watch', 'Now completed');
    await page.click('[data-step=history]');
    await says('history', '-12.5 USDT  Withdrawal of USDT on polygon');
    await page.click('[data-step=agent]');
    await says('agent', 'totalUsdValue');
    await page.click('[data-step=share-second]');
    await says('share', running.sandbox.users.owner.email);
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('[data-step=share]')]);
    await popup.waitForURL(/\/connect\/requests\//, { timeout: 240_000 });
    assert.match((await popup.textContent('h1')) ?? '', /Lumen Credit/);
    await page.click('[data-simulate=chargeback]');
    await says('simulated', 'charged back');
    assert.deepEqual([strayed, errors], [[], []]);
  },
);

toolTest(['curl'], 'each line to copy into a terminal works', {}, async () => {
  const page = await read(new URL(origin()).host);
  const text = page.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
  const lines = [...text.matchAll(/<pre>(curl [^\n<]+)/g)].map(([, line]) => line!);
  assert.equal(lines.length, 5);
  // History allows two requests in two seconds, and the tour has just read it.
  await sleep(2_100);
  for (const line of lines) {
    const { stdout } = await run('sh', ['-c', line]);
    assert.ok(!('error' in JSON.parse(stdout)), `${line}\n${stdout}`);
  }
});

test('keys are on the page only for a caller on this machine', async () => {
  const { keys, operatorToken } = running.sandbox;
  const own = await read(new URL(origin()).host);
  assert.ok(own.includes(keys.full.token) && own.includes(operatorToken));
  const foreign = await read('attacker.example:8080');
  assert.ok(!foreign.includes(keys.full.token) && !foreign.includes(operatorToken));
  assert.match(foreign, /API reference/);
});

test('404 for what changes something without the operator’s token', async () => {
  for (const where of ['consent-link', 'simulate']) {
    const { status } = await ask(`${origin()}/sandbox/${where}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'deposit' }),
    });
    assert.equal(status, 404, where);
  }
});

// Those that run together use different networks.
const alone: readonly SimulationName[] = ['deposit', 'reorg'];
const together = simulationNames.filter((name) => !alone.includes(name));
for (const names of [...alone.map((name) => [name]), together]) {
  test(
    `causeway sandbox simulate ${names.join(', ')}: the product recovers, and shows it as printed`,
    { timeout: 600_000 },
    async () => void (await Promise.all(names.map(expectRecovery))),
  );
}

async function expectRecovery(name: SimulationName): Promise<void> {
  const shown = await simulate(name);
  const [, url] = /curl -s '([^']+)'/.exec(shown)!;
  const [, header, value] = /-H '([^:]+): ([^']+)'/.exec(shown)!;
  const look = () => ask(url!, { headers: { [header!]: value! } });
  if (name === 'consent-expired') return assert.equal((await look()).status, 410);
  await waitUntil(`${name} is over`, async () => {
    const { status, body } = await look();
    // History allows two requests in two seconds.
    if (status === 429) return sleep(500, false);
    assert.equal(status, 200, JSON.stringify(body));
    if (name === 'deposit') return body.nodes[0].amount === '25';
    if (name === 'chargeback') return body.userCardTransactions[0].transaction.type === 'refund';
    const [{ status: state, errorMessage }] = body.data.withdraws;
    assert.notEqual(state, 'failed', errorMessage);
    return state === 'completed';
  });
}

test('an unknown simulation is refused, and without a name they are listed', async () => {
  await assert.rejects(simulate('deposits'), /Unknown simulation "deposits". Did you mean "deposit"\?/);
  const env = { ...process.env, CAUSEWAY_HOME: home };
  const { stdout } = await run(process.execPath, [cli, 'sandbox', 'simulate'], { env });
  for (const name of simulationNames) assert.match(stdout, new RegExp(`^ {2}${name} `, 'm'));
});

test('after all that, the ledger is sound and every difference on chain is explained', async () => {
  for (const command of [
    ['ledger', 'verify'],
    ['treasury', 'reconcile'],
  ]) {
    const env = { ...process.env, CAUSEWAY_HOME: home };
    let found = '';
    const isSound = () =>
      run(process.execPath, [cli, ...command], { env, cwd: folder }).then(
        () => true,
        ({ message, stdout }) => {
          found = `${message}\n${stdout}`;
          return false;
        },
      );
    await waitUntil(`${command.join(' ')} finds nothing`, isSound).catch((error) =>
      assert.fail(`${error}: ${found}`),
    );
  }
});

/** By a `Host` that fetch would not send. */
function read(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request(origin(), { headers: { host } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
}
