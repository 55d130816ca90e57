import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { type GuideFile, matchesSample, readGuideFiles } from '#test/callers/guide-blocks';
import { installClient } from '#test/callers/install-client';
import { findTool, toolTest } from '#test/callers/tools';
import type { SandboxFile } from '../src/sandbox/sandbox-file.ts';

// Every command of README.md and of the guides, as a reader would paste it, in one bash for each file.

const root = path.resolve(import.meta.dirname, '..');
const guides = readGuideFiles();

/** Blocks `console`: what needs root, a registry, another program or an installed release. */
const notRun: Record<string, string[]> = {
  'README.md': ['npm install && npm start', 'npm install && npm test'],
  'docs/guides/agents.md': ['claude mcp add', 'npx @modelcontextprotocol/inspector'],
  'docs/guides/backup.md': ['pg_basebackup', 'pg_dump', 'createdb', 'pg_restore'],
  'docs/guides/point-in-time.md': ['systemctl restart', 'export PGDATA', 'export WALLET'],
  'docs/guides/production.md': [
    'mkdir -p /srv/causeway',
    'npm install --omit=dev --omit=optional',
    'useradd',
    'install -D',
    'install -o',
    'cp',
    'systemctl enable',
    'cp',
    'certbot',
    'nginx -t',
  ],
  'docs/guides/quick-start.md': ['npm install && npm start'],
  'docs/guides/upgrade.md': [
    'cd /srv/causeway && npm install --omit=dev --omit=optional',
    'npx causeway migrate',
    'systemctl restart',
    'curl',
    'systemctl restart',
  ],
};

const textOf = ({ blocks }: GuideFile, language: string) =>
  blocks.filter((block) => block.language === language).map(({ text }) => text);

test('commands that are not run are those of the list, and every block says what it is', () => {
  const lines = guides.flatMap((guide) =>
    textOf(guide, 'console').flatMap((text) => text.split('\n').map((line) => ({ file: guide.file, line }))),
  );
  const wanted = Object.entries(notRun).flatMap(([file, starts]) => starts.map((start) => ({ file, start })));
  assert.equal(lines.length, wanted.length, JSON.stringify(lines, null, 1));
  lines.forEach(({ file, line }, at) => {
    assert.equal(file, wanted[at]!.file);
    assert.ok(line.startsWith(wanted[at]!.start), `${file}: ${line}`);
  });
  const known = ['sh', 'text', 'console', 'json', 'sql'];
  for (const { file, blocks } of guides)
    for (const { language, text } of blocks) assert.ok(known.includes(language), `${file}: ${text}`);
});

test('every guide is in the list of guides, has a heading, and is short', () => {
  const list = readFileSync(path.join(root, 'docs/guides/README.md'), 'utf8');
  for (const { file } of guides.slice(1)) {
    const text = readFileSync(path.join(root, file), 'utf8');
    assert.match(text, /^# \S/, file);
    assert.ok(text.split('\n').length <= 150, `${file} is too long`);
    if (!file.endsWith('README.md')) assert.ok(list.includes(`(${path.basename(file)})`), file);
  }
  assert.ok(readFileSync(path.join(root, 'README.md'), 'utf8').split('\n').length < 150);
});

const folder = mkdtempSync(path.join(tmpdir(), 'causeway guides '));
// As root, PostgreSQL runs under another account, which must be able to pass through here.
chmodSync(folder, 0o755);
// The guide “Receive events” says to install it.
installClient(folder);
const home = path.join(folder, 'home');
let sandbox: ChildProcess | undefined;
after(async () => {
  if (sandbox && sandbox.exitCode === null) {
    const ended = new Promise((resolve) => sandbox!.on('exit', resolve));
    sandbox.kill('SIGINT');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

// Not what npm and the test runner set for themselves.
const env = { PATH: [path.dirname(process.execPath), process.env.PATH].join(':'), HOME: folder };
const bin = path.join(root, 'bin/causeway.js');

async function startSandbox(): Promise<SandboxFile> {
  sandbox = spawn(process.execPath, [bin, 'sandbox'], {
    cwd: folder,
    env: { ...env, CAUSEWAY_HOME: home, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const note = (chunk: Buffer) => {
      output += chunk;
      if (output.includes('npx causeway')) resolve();
    };
    sandbox!.stdout!.on('data', note);
    sandbox!.stderr!.on('data', note);
    sandbox!.on('exit', () => reject(new Error(`the sandbox ended: ${output}`)));
  });
  return JSON.parse(readFileSync(path.join(home, 'sandbox.json'), 'utf8'));
}

/** Before each file: a failed request ends the script unless it prints its status, and npx starts quickly. */
const preamble = `set -eu
curl() { case " $* " in *' -w '*) command curl "$@" ;; *) command curl --fail-with-body "$@" ;; esac; }
npx() { test "$1" = causeway; shift; node '${bin}' "$@"; }
`;
const mark = (at: number) => `=== block ${at} ===`;

interface Ran {
  code: number | null;
  /** What each block has written. */
  outputs: string[];
  trouble: string;
}

async function runBlocks(name: string, texts: readonly string[], others: NodeJS.ProcessEnv): Promise<Ran> {
  const cwd = path.join(folder, name);
  mkdirSync(cwd);
  symlinkSync(home, path.join(cwd, '.causeway'));
  // As in a clone.
  symlinkSync(path.resolve(import.meta.dirname, '../docs'), path.join(cwd, 'docs'));
  const script = preamble + texts.map((text, at) => `echo; echo '${mark(at)}'\n${text}\n`).join('');
  // Files, not pipes: what a block leaves running would keep a pipe open.
  const [out, err] = ['stdout', 'stderr'].map((file) => path.join(folder, `${name}.${file}`)) as [
    string,
    string,
  ];
  const [outFd, errFd] = [openSync(out, 'w'), openSync(err, 'w')];
  // Detached: a group, so that nothing stays behind.
  const bash = spawn(findTool('bash')!, ['-c', script], {
    cwd,
    env: { ...env, ...others },
    detached: true,
    stdio: ['ignore', outFd, errFd],
  });
  const endGroup = () => {
    try {
      process.kill(-bash.pid!, 'SIGKILL');
    } catch {
      // Everything has ended.
    }
  };
  const limit = setTimeout(endGroup, 300_000);
  const code = await new Promise<number | null>((resolve) => bash.on('exit', resolve));
  clearTimeout(limit);
  endGroup();
  for (const fd of [outFd, errFd]) closeSync(fd);
  const outputs = readFileSync(out, 'utf8')
    .split(/^=== block \d+ ===$/m)
    .slice(1);
  return { code, outputs, trouble: readFileSync(err, 'utf8') };
}

async function checkGuide(guide: GuideFile, others: NodeJS.ProcessEnv, change = (text: string) => text) {
  const shell = guide.blocks.flatMap((block, at) =>
    block.language === 'sh' ? [{ text: change(block.text), next: guide.blocks[at + 1] }] : [],
  );
  if (shell.length === 0) return;
  const name = path.basename(guide.file, '.md');
  const { code, outputs, trouble } = await runBlocks(
    guide.file.includes('/') ? name : 'front',
    shell.map(({ text }) => text),
    others,
  );
  const last = outputs.length - 1;
  assert.equal(code, 0, `${guide.file} ended in\n${shell[last]?.text}\n\n${outputs[last]}\n${trouble}`);
  shell.forEach(({ text, next }, at) => {
    if (next?.language !== 'text') return;
    assert.ok(matchesSample(next.text, outputs[at]!), `${guide.file}\n${text}\nprinted\n${outputs[at]}`);
  });
}

/** Some that were free at the same moment. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.on('listening', () => resolve((server.address() as { port: number }).port)),
        ),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

toolTest(['bash', 'curl', 'openssl'], 'each command works as it stands', { timeout: 900_000 }, async (t) => {
  const { networks } = await startSandbox();
  // test/point-in-time.test.ts runs that guide, which needs a server whose files it can move.
  const others = /(?:point-in-time|production)\.md$/;
  for (const guide of guides.filter(({ file }) => !others.test(file)))
    await t.test(guide.file, () => checkGuide(guide, {}));

  await t.test('docs/guides/production.md, on a database of its own role', async () => {
    const guide = guides.find(({ file }) => file.endsWith('production.md'))!;
    const databasePort = readFileSync(path.join(home, 'postgres/postmaster.pid'), 'utf8').split('\n')[3];
    const password = readFileSync(path.join(home, 'postgres-password'), 'utf8').trim();
    const superuser = new pg.Client(`postgres://causeway:${password}@127.0.0.1:${databasePort}/postgres`);
    await superuser.connect();
    const statements = textOf(guide, 'sql')
      .join('\n')
      .split(';')
      .filter((text) => text.trim() !== '');
    for (const statement of statements) await superuser.query(statement);
    await superuser.end();
    const [port, metricsPort] = await freePorts(2);
    // Only what is outside of this machine in production, and ports that others may use here.
    const change = (text: string) =>
      text
        .replaceAll('db.example.com:5432', `127.0.0.1:${databasePort}`)
        .replace('https://polygon-1.example.com', networks.polygon!.rpcUrl)
        .replace('https://polygon-2.example.com', 'http://127.0.0.1:1')
        .replace('https://polygon-3.example.com', 'http://127.0.0.1:2')
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
        .replace('METRICS_PORT=9464', `METRICS_PORT=${metricsPort}`);
    await checkGuide(guide, { PORT: String(port) }, change);
  });
});
