import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { processFile } from '#test/bundle/process-file';
import { readCsv } from '#test/callers/read-csv';
import { readPdfRows } from '#test/callers/read-pdf';
import { makeFunds, makeUser } from '#test/data/factories';
import { noteSecret, useHarness } from './harness.ts';

const harness = useHarness();
const cli = processFile('src/cli.ts');
const folder = mkdtempSync(path.join(tmpdir(), 'causeway-statement-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A real process whose output is led into a pipe, so no terminal. */
async function run(args: string[], env: Record<string, string> = {}) {
  const own = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' };
  const child = spawn(process.execPath, [cli, 'ledger', 'statement', ...args], {
    cwd: folder,
    env: { ...own, ...env },
  });
  const [out, err, [code]] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    once(child, 'close'),
  ]);
  return { code, out, err: err.toString().trimEnd() };
}

const byUrl = () => ['--url', harness.url, '--token', harness.operatorToken];
const encryptionKeys = noteSecret(`1:${randomBytes(32).toString('base64')}`);
const byDatabase = () => ({ DATABASE_URL: harness.databaseUrl, ENCRYPTION_KEYS: encryptionKeys });

test('0: CSV on standard output, the same by --url and by DATABASE_URL', async () => {
  const { id } = await makeUser(harness);
  for (const amount of ['1', '2', '3']) await makeFunds(harness, id, 'polygon', 'USDT', amount);
  const remote = await run(['--user', id, ...byUrl()]);
  const direct = await run(['--user-id', id, '--out', '-'], byDatabase());
  assert.deepEqual([remote.code, remote.err, direct.code, direct.err], [0, '', 0, '']);
  assert.equal(remote.out.toString(), direct.out.toString());
  assert.deepEqual(
    readCsv(remote.out.toString()).map(({ amount, runningBalance }) => [amount, runningBalance]),
    [
      ['3', '6'],
      ['2', '3'],
      ['1', '1'],
    ],
  );
});

test('0: PDF of a period and a feature into the file that was asked for, the same both ways', async () => {
  const { id } = await makeUser(harness);
  await makeFunds(harness, id, 'base', 'EURC', '7.5');
  const day = new Date().toISOString().slice(0, 10);
  const terms = ['--user', id, '--format', 'pdf', '--from', day, '--to', day, '--feature', 'account-onramp'];
  const files = ['remote.pdf', 'direct.pdf'];
  const remote = await run([...terms, '--out', files[0]!, ...byUrl()]);
  const direct = await run([...terms, '--out', files[1]!], byDatabase());
  assert.deepEqual([remote.code, remote.out.toString()], [0, 'Wrote remote.pdf.\n'], remote.err);
  assert.deepEqual([direct.code, direct.out.toString()], [0, 'Wrote direct.pdf.\n'], direct.err);
  for (const file of files) {
    const rows = await readPdfRows(readFileSync(path.join(folder, file)));
    assert.deepEqual(
      rows.map(({ amount, asset }) => [amount, asset]),
      [['7.5', 'EURC']],
    );
  }
});

test('4: the same words for the same fault both ways, and no file', async () => {
  const { id } = await makeUser(harness);
  const nobody = '0198a6a0-0000-7000-8000-000000000001';
  for (const [args, message] of [
    [['--user', nobody], 'User not found'],
    [['--user', id, '--format', 'docx'], '--format must be one of csv, pdf, xlsx, camt053, ofx'],
    [
      ['--user', id, '--from', 'yesterday'],
      '--from must be a year, month, day or instant of ISO 8601, such as 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z',
    ],
    [['--user', id, '--from', '2026-02-01', '--to', '2026-01-01'], '--from must not be after to'],
    [
      ['--user', id, '--feature', 'account-unsettled'],
      '--feature must be one of account, account-onramp, account-offramp, account-swap, account-crypto, account-portifolio',
    ],
  ] as const) {
    const [remote, direct] = await Promise.all([
      run([...args, '--out', 'none.csv', ...byUrl()]),
      run([...args, '--out', 'none.csv'], byDatabase()),
    ]);
    assert.deepEqual([remote.code, remote.out.toString(), remote.err], [4, '', message]);
    assert.deepEqual([direct.code, direct.out.toString(), direct.err], [4, '', message]);
  }
  assert.ok(!existsSync(path.join(folder, 'none.csv')));
});

test('3: a file that breaks off leaves nothing under its name, and what was there before', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, {
      'content-type': 'text/csv',
      'content-disposition': 'attachment; filename="a.csv"',
    });
    response.write('id\r\n');
    setTimeout(() => response.destroy(), 1_000);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(path.join(folder, 'kept.csv'), 'before');
  const filed = await run(['--user', 'x', '--out', 'kept.csv', '--url', url, '--token', 'x']);
  const piped = await run(['--user', 'x', '--url', url, '--token', 'x']);
  server.close();
  for (const { code, err } of [filed, piped]) {
    assert.equal(code, 3);
    assert.match(err, /^The download failed: .+\.$/);
  }
  assert.equal(readFileSync(path.join(folder, 'kept.csv'), 'utf8'), 'before');
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('2: a file that cannot be written, in one sentence, both ways', async () => {
  const { id } = await makeUser(harness);
  const args = ['--user', id, '--out', 'nowhere/a.csv'];
  for (const { code, err } of [await run([...args, ...byUrl()]), await run(args, byDatabase())]) {
    assert.equal(code, 2);
    assert.match(err, /^nowhere\/a\.csv cannot be written: ENOENT.*\.$/);
  }
});

test('3: somebody else’s server, in one sentence', async () => {
  const server = createServer((_request, response) => response.end('<html>'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, err } = await run(['--user', 'x', '--url', url, '--token', 'x']);
  server.close();
  assert.deepEqual(
    [code, err],
    [3, `${url} is not a Causeway server: it sent HTTP 200 with an unknown body.`],
  );
});

test('--help names every flag', async () => {
  const { code, out } = await run(['--help']);
  assert.equal(code, 0);
  for (const flag of [
    '--user-id',
    '--format',
    '--from',
    '--to',
    '--feature',
    '--lang',
    '--order',
    '--[no-]bom',
    '--out',
    '--url',
    '--token',
  ]) {
    assert.ok(out.toString().includes(`\n  ${flag} `), flag);
  }
});

test('the references have the command and the route, with every type of file', async () => {
  const token = harness.operatorToken;
  const { body: partner } = await harness.request('GET', '/openapi.json');
  const { body: operator } = await harness.request('GET', '/operator/openapi.json', { token });
  for (const [operation, security] of [
    [operator.paths['/operator/ledger.statement'].post, ['operatorToken']],
    [partner.paths['/api/history/statement'].get, ['apiKey', 'personSession']],
  ]) {
    assert.deepEqual(Object.keys(operation.responses['200'].content), [
      'text/csv',
      'application/pdf',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'application/xml',
      'application/x-ofx',
    ]);
    assert.deepEqual(operation.security.flatMap(Object.keys), security);
  }
});
