import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { matchesSample, readBlocks } from '#test/callers/guide-blocks';
import { compile, installClient } from '#test/callers/install-client';
import { type StartedSandbox, startSandbox, stopSandbox } from '#test/callers/start-sandbox';
import { findTool, toolTest } from '#test/callers/tools';
import { type Receiver, startReceiver } from '#test/outside/webhook-receiver';
import { waitUntil } from '../wait-until.ts';

// The examples of a client's README.md as one program, with the TypeScript client as it is installed.

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'causeway readme '));
// As root, PostgreSQL runs under another account, which must be able to pass through here.
chmodSync(folder, 0o755);
let started: StartedSandbox | undefined;
let hooks: Receiver | undefined;

before(async () => {
  installClient(folder);
  hooks = await startHooks();
  started = await startSandbox(path.join(folder, 'home'));
});
after(async () => {
  if (started) await stopSandbox(started);
  await hooks?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Blocks of a language, each with the output that the README shows after it. */
function readExamples(client: string, language: string) {
  const blocks = readBlocks(readFileSync(path.join(root, 'packages', client, 'README.md'), 'utf8'));
  return blocks.flatMap((block, at) => {
    const next = blocks[at + 1];
    const sample = next?.language === 'text' ? next.text : '';
    return block.language === language ? [{ text: block.text, sample }] : [];
  });
}

/**
 * Where the sandbox sends webhooks. A program asks at `/received` for the one about a payment, waits for it,
 * and hands it to the receiver of its README.
 */
async function startHooks(): Promise<Receiver> {
  const hooks = await startReceiver();
  hooks.answer = async ({ path: asked }, response) => {
    const [, label] = asked.split('/received/');
    if (label === undefined) return void response.writeHead(204).end();
    const find = () =>
      hooks.received.find(
        ({ path: given, event }) => given === `/hooks/${label}` && event?.data.object.externalId === label,
      );
    await waitUntil(`the webhook about ${label}`, () => find() !== undefined);
    const { body, headers } = find()!;
    const signed = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'));
    response.end(JSON.stringify({ body, headers: Object.fromEntries(signed) }));
  };
  return hooks;
}

/** Runs a program that prints a mark before each example, and compares what it prints with the samples. */
async function check(
  command: string,
  args: string[],
  examples: ReturnType<typeof readExamples>,
  label: string,
) {
  const { sandbox } = started!;
  const { code, output } = await run(command, args, {
    CAUSEWAY_URL: sandbox.baseUrl,
    CAUSEWAY_KEY: sandbox.keys.full.token,
    CAUSEWAY_USER: sandbox.users.owner.id,
    CAUSEWAY_INTEGRATION_KEY: sandbox.integrations.main.apiKey,
    CAUSEWAY_CONSENT: sandbox.consents.active,
    CAUSEWAY_HOOKS: `${hooks!.url}/${label}`,
    PYTHONPATH: path.join(root, 'packages/python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
  });
  assert.equal(code, 0, output);
  const outputs = output.split(/^=== block \d+ ===$/m).slice(1);
  assert.ok(examples.length > 8);
  assert.equal(outputs.length, examples.length + 1);
  examples.forEach(({ text, sample }, at) => {
    assert.ok(matchesSample(sample, outputs[at]!), `${text}\nprinted\n${outputs[at]}`);
  });
  assert.equal(outputs.at(-1)!.trim(), `paid ${label}\n204\n204\n400`);
}

const mark = (at: number) => `'=== block ${at} ==='`;
const timeout = 600_000;

test('TypeScript: every example compiles, runs and prints what the README says', { timeout }, async () => {
  const deliver = `const received = await fetch('${new URL('/received/invoice-7', hooks!.url)}');
const { body: sent, headers } = (await received.json()) as { body: string; headers: Record<string, string> };
for (const body of [sent, sent, sent.replace('invoice-7', 'invoice-8')]) {
  const message = { method: 'POST', body, headers };
  console.log((await receive(new Request('https://app.example.com/hooks', message))).status);
}`;
  const examples = readExamples('client', 'ts');
  const parts = [...examples.map(({ text }) => text), deliver];
  const file = path.join(folder, 'examples.ts');
  writeFileSync(file, parts.map((part, at) => `console.log(${mark(at)});\n${part}\n`).join(''));
  compile(folder, file);
  await check(process.execPath, [file], examples, 'invoice-7');
});

toolTest(['python3'], 'Python: every example runs and prints what the README says', { timeout }, async () => {
  const deliver = `import json, urllib.request
received = json.load(urllib.request.urlopen("${new URL('/received/invoice-9', hooks!.url)}"))
sent = received["body"]
for body in [sent, sent, sent.replace("invoice-9", "invoice-8")]:
    print(receive(body.encode(), received["headers"]))`;
  const examples = readExamples('python', 'python');
  const parts = [...examples.map(({ text }) => text), deliver];
  const file = path.join(folder, 'examples.py');
  writeFileSync(file, parts.map((part, at) => `print(${mark(at)})\n${part}\n`).join(''));
  await check(findTool('python3')!, [file], examples, 'invoice-9');
});

async function run(command: string, args: string[], env: Record<string, string>) {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
  });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [output, trouble] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await exited, output: output + trouble };
}
