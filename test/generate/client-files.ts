// The generated files of packages/: types, error classes and events, from the API reference and the error
// tables. `npm run client` writes them; test/client/generated.test.ts compares.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { readConfig } from '#config/config';
import { personErrors } from '#features/people';
import { commonErrors } from '#platform/errors/errors';
import { createLog } from '#platform/observe/log';
import { type ClientDocument, leaveOutSessions, pruneDocument } from '#test/client/prune-document';
import { writeErrors } from '#test/client/write-errors';
import { writeEvents } from '#test/client/write-events';
import { writePythonErrors, writePythonTypes } from '#test/client/write-python';
import { buildApp } from '../../src/app.ts';
import { createDeps } from '../../src/main.ts';

const packages = path.resolve(import.meta.dirname, '../../packages');
export const clientFolder = path.join(packages, 'client');

/** By their paths. */
export async function makeClientFiles(): Promise<Record<string, string>> {
  return writeClientFiles(await readDocument());
}

export async function writeClientFiles(full: ClientDocument): Promise<Record<string, string>> {
  const common = Object.values(commonErrors).map((row) => row());
  const ofSessions = new Set(Object.values(personErrors).map((row) => row().code));
  const document = leaveOutSessions(full, ofSessions);
  const pruned = pruneDocument(document);
  const files = {
    'client/src/generated/types.ts': header + (await makeTypes(pruned)),
    'client/src/generated/errors.ts': header + writeErrors(document, common),
    'client/src/generated/events.ts': header + writeEvents(document),
    'python/src/causeway/generated/types.py': writePythonTypes(pruned),
    'python/src/causeway/generated/errors.py': writePythonErrors(document, common),
  };
  const byPath = Object.entries(files).map(([file, text]) => [path.join(packages, file), text]);
  return Object.fromEntries(byPath);
}

const header = '// Written by `npm run client` from the API reference. Do not edit.\n\n';

/** The reference is made of the routes, so it needs neither a database nor a node. */
export async function readDocument(): Promise<ClientDocument> {
  const config = readConfig({
    DATABASE_URL: 'postgres://127.0.0.1:1/unused',
    OPERATOR_TOKENS: `writer:${'x'.repeat(32)}`,
    ENCRYPTION_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
  });
  const deps = createDeps(config, createLog({ level: 'silent' }));
  const server = await buildApp(deps, { ...config, servesApi: true });
  const { body } = await server.inject('/openapi.json');
  await server.close();
  await deps.db.end();
  return JSON.parse(body);
}

async function makeTypes(document: ClientDocument): Promise<string> {
  const temporary = mkdtempSync(path.join(tmpdir(), 'causeway-client-'));
  try {
    const file = path.join(temporary, 'document.json');
    writeFileSync(file, JSON.stringify(document));
    const maker = path.resolve(import.meta.dirname, 'make-types.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [maker, file], { maxBuffer: 2 ** 26 });
    return stdout;
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

async function writeAll(): Promise<void> {
  for (const [file, text] of Object.entries(await makeClientFiles())) writeFileSync(file, text);
}

// No await here: a module that awaits would move the tests of its importers into another file's suite.
if (process.argv[1] === import.meta.filename) void writeAll();
