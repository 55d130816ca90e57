import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildClient } from '#test/callers/install-client';
import { clientFolder, makeClientFiles, readDocument, writeClientFiles } from '#test/generate/client-files';
import * as client from '../../packages/client/src/index.ts';
import { testFolder } from '../harness.ts';
import type { ClientDocument } from './prune-document.ts';
import { classOf, rowsOf } from './write-errors.ts';

const root = path.resolve(import.meta.dirname, '../..');
const tsc = path.join(root, 'node_modules/.bin/tsc');
let document: ClientDocument;
let built: string;
before(async () => {
  document = await readDocument();
  built = mkdtempSync(path.join(testFolder(), 'client-'));
  buildClient(built);
});

test('the generated files of packages/ are those of the API reference', async () => {
  for (const [file, text] of Object.entries(await makeClientFiles()))
    assert.equal(readFileSync(file, 'utf8'), text, 'run `npm run client`');
});

test('each row of the contract’s error tables has its class', () => {
  const contract = readFileSync(path.join(root, 'docs/contract.md'), 'utf8');
  const errors = contract.slice(contract.indexOf('## Errors'));
  const tables = errors.slice(0, errors.indexOf('### MCP'));
  const messages = [...tables.matchAll(/^\| \d{3} \| `([^`]+)`/gm)].map(([, message]) => message!);
  assert.equal(messages.length, 11);
  const rows = rowsOf(document);
  for (const message of messages) {
    const row = rows.find((one) => one.message.startsWith(message.replace(/\.\.\.$/, '')));
    assert.ok(row, message);
    const Class = (client as unknown as Record<string, typeof client.CausewayError>)[classOf(row.code)]!;
    assert.ok(Class.prototype instanceof client.CausewayError, message);
  }
});

test('once the reference has webhooks, the events are made of them, and `type` tells them apart', async () => {
  const eventOf = (type: string, object: object) => ({
    type: 'object',
    required: ['id', 'type', 'sequence', 'data'],
    properties: {
      id: { type: 'string' },
      type: { type: 'string', const: type },
      sequence: { type: 'integer' },
      data: { type: 'object', required: ['object'], properties: { object } },
    },
  });
  const hookOf = (schema: object) => ({
    post: {
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { 204: { description: 'Received' } },
    },
  });
  const paid = eventOf('withdrawal.completed', { $ref: '#/components/schemas/Withdrawal' });
  const described = structuredClone(document);
  described.components.schemas.PaidEvent = paid;
  described.webhooks = {
    withdrawalCompleted: hookOf({ $ref: '#/components/schemas/PaidEvent' }),
    'deposit.posted': hookOf(
      eventOf('deposit.posted', { type: 'object', properties: { amount: { type: 'string' } } }),
    ),
  };
  const folder = mkdtempSync(path.join(testFolder(), 'events-'));
  for (const [file, text] of Object.entries(await writeClientFiles(described)))
    writeFileSync(path.join(folder, path.basename(file)), text);
  const use = `import type { CausewayEvent, EventType } from './events.ts';
export const read = (event: CausewayEvent) =>
  event.type === 'withdrawal.completed' ? event.data.object.transactionHash : event.sequence;
export const types: EventType[] = ['withdrawal.completed', 'deposit.posted'];
// @ts-expect-error: not an event of this reference.
export const other: EventType = 'card.created';
// @ts-expect-error: which event it is must be known first.
export const guess = (event: CausewayEvent) => event.data.object.transactionHash;
`;
  writeFileSync(path.join(folder, 'use.ts'), use);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--allowImportingTsExtensions'];
  execFileSync(tsc, [...options, 'use.ts'], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
});

test('the built client has at most 15 kB gzipped, imports nothing, and needs only what browsers have', () => {
  const files = globSync('**/*.js', { cwd: built });
  const texts = new Map(files.map((file) => [file, readFileSync(path.join(built, file), 'utf8')]));
  const imported = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/(?:from|import)\s*\(?['"]([^'"]+)['"]/g)].map(([, name]) => ({ file, name: name! })),
  );
  const foreign = imported.filter(({ name }) => !name.startsWith('./') && !name.startsWith('../'));
  assert.deepEqual([...new Set(foreign.map(({ file }) => file))], ['node.js']);
  assert.ok(foreign.every(({ name }) => name.startsWith('node:')));
  const size = gzipSync([...texts.values()].join('\n'), { level: 9 }).length;
  assert.ok(size <= 15_000, `${size} bytes`);
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(path.join(clientFolder, 'package.json'), 'utf8'),
  );
  assert.deepEqual([dependencies, peerDependencies], [undefined, undefined]);
  // Types of the web only: what Node alone has would not compile.
  execFileSync(tsc, ['-p', path.join(clientFolder, 'tsconfig.web.json')], { stdio: 'pipe' });
});
