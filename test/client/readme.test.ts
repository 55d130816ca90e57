import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { clientFolder } from '../client-files.ts';
import { matchesSample, readBlocks } from '../guide-blocks.ts';
import { type StartedSandbox, startSandbox, stopSandbox } from '../start-sandbox.ts';

// The examples of packages/client/README.md as one program, with the client as it is built and installed.

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'causeway readme '));
// As root, PostgreSQL runs under another account, which must be able to pass through here.
chmodSync(folder, 0o755);
const blocks = readBlocks(readFileSync(path.join(clientFolder, 'README.md'), 'utf8'));
const examples = blocks.flatMap(({ language, text }, at) => {
  const next = blocks[at + 1];
  return language === 'ts' ? [{ text, sample: next?.language === 'text' ? next.text : undefined }] : [];
});
let started: StartedSandbox | undefined;

before(async () => {
  const installed = path.join(folder, 'node_modules/@causeway/client');
  mkdirSync(installed, { recursive: true });
  cpSync(path.join(clientFolder, 'package.json'), path.join(installed, 'package.json'));
  const tsc = path.join(root, 'node_modules/.bin/tsc');
  execFileSync(tsc, ['-p', clientFolder, '--outDir', path.join(installed, 'dist')], { stdio: 'pipe' });
  symlinkSync(path.join(root, 'node_modules/@types'), path.join(folder, 'node_modules/@types'));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  started = await startSandbox(path.join(folder, 'home'));
});
after(async () => {
  if (started) await stopSandbox(started);
  rmSync(folder, { recursive: true, force: true });
});

const secret = `whsec_${randomBytes(24).toString('base64')}`;

/** A message for the receiver of the last example, and one that was changed. */
function writeDeliveries(): string {
  const [id, at] = ['msg_1', Math.floor(Date.now() / 1000)];
  const object = { externalId: 'invoice-7' };
  const body = JSON.stringify({ id: 'evt_1', type: 'withdrawal.completed', sequence: 1, data: { object } });
  const key = Buffer.from(secret.slice(6), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': `v1,${signature}`,
  };
  return `for (const sent of ${JSON.stringify([body, body, body.replace('invoice-7', 'invoice-8')])}) {
  const request = new Request('https://app.example.com/hooks', {
    method: 'POST', body: sent, headers: ${JSON.stringify(headers)},
  });
  console.log((await receive(request)).status);
}`;
}

test('every example compiles, runs and prints what the README says', { timeout: 600_000 }, async () => {
  const { sandbox } = started!;
  const { paths } = (await (await fetch(`${sandbox.baseUrl}/openapi.json`)).json()) as { paths: object };
  // A server without the feed compiles the example that follows it, and does not run it.
  const asRun = (example: string) =>
    example.includes('events.subscribe') && !('/api/events' in paths)
      ? `export const follow = async () => {\n${example}\n};`
      : example;
  const file = path.join(folder, 'examples.ts');
  const parts = [...examples.map(({ text }) => asRun(text)), writeDeliveries()];
  writeFileSync(file, parts.map((part, at) => `console.log('=== block ${at} ===');\n${part}\n`).join(''));
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  execFileSync(path.join(root, 'node_modules/.bin/tsc'), [...options, '--noUncheckedIndexedAccess', file], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const { code, output } = await run(file, {
    CAUSEWAY_URL: sandbox.baseUrl,
    CAUSEWAY_KEY: sandbox.keys.full.token,
    CAUSEWAY_USER: sandbox.users.owner.id,
    CAUSEWAY_INTEGRATION_KEY: sandbox.integrations.main.apiKey,
    CAUSEWAY_CONSENT: sandbox.consents.active,
    CAUSEWAY_WEBHOOK_SECRET: secret,
  });
  assert.equal(code, 0, output);
  const outputs = output.split(/^=== block \d+ ===$/m).slice(1);
  assert.equal(outputs.length, examples.length + 1);
  examples.forEach(({ text, sample }, at) => {
    assert.ok(matchesSample(sample ?? '', outputs[at]!), `${text}\nprinted\n${outputs[at]}`);
  });
  assert.equal(outputs.at(-1)!.trim(), 'paid invoice-7\n204\n204\n400');
});

async function run(file: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
  });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [output, trouble] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await exited, output: output + trouble };
}
