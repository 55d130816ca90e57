// `npm run examples [-- name …]`: writes the examples of operator commands, MCP tools and operations of
// partners for the API reference, from calls that tests made with CAUSEWAY_RECORD_CALLS: of these names, or
// of everything that was called. Other examples stay.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readDocument } from './client-files.ts';
import { mergeExamples, storedExamples } from './merge-examples.ts';
import type { RecordedCall } from './record-calls.ts';

const file = process.env.CAUSEWAY_RECORD_CALLS;
if (!file)
  throw new Error('Run tests with CAUSEWAY_RECORD_CALLS=<new file>, then this with the same setting.');
const names = process.argv.slice(2);
const recorded: RecordedCall[] = readFileSync(file, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const calls = recorded.filter(({ name }) => names.length === 0 || names.includes(name));
const missing = names.filter((name) => !calls.some((call) => call.name === name));
if (missing.length > 0) throw new Error(`No call was recorded of ${missing.join(', ')}.`);
const merged = mergeExamples(storedExamples, calls, await readDocument());

const without = Object.entries(merged.operator).filter(([, example]) => !example!.answer);
console.log(`Without an answer: ${without.map(([name]) => name).join(', ')}`);

const surfaces = path.resolve(import.meta.dirname, '../../src/surfaces');
const written = {
  'operator/examples.json': merged.operator,
  'mcp/examples.json': merged.mcp,
  'examples/partner.json': merged.partner,
};
for (const [name, examples] of Object.entries(written))
  writeFileSync(path.join(surfaces, name), JSON.stringify(examples));
const { status } = spawnSync('biome', ['format', '--write', ...Object.keys(written)], {
  cwd: surfaces,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
