// `npm run endurance`: the tests that kill, search and generate at their full sizes (test/sizes.ts), then
// wrong payout workers, each of which must be caught. It says what it runs and stops at the first failure.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
/** Those that import test/sizes.ts; each argument is a part of a file's name. */
const sizedTests = globSync('{src,test}/**/*.test.ts', { cwd: root }).filter((file) =>
  /from '(?:#test|[^']*)\/sizes(?:\.ts)?'/.test(readFileSync(path.join(root, file), 'utf8')),
);
if (!sizedTests.some((file) => file.startsWith('src/'))) throw new Error('no test in src/ has sizes');
// Chaos has goals to reach within minutes, so nothing else runs beside it.
const chaos = 'test/payout-chaos.test.ts';
const others = sizedTests.filter((file) => file !== chaos);
const parts = [
  { about: 'Payout chaos', args: ['test/run.ts', chaos] },
  { about: 'Other tests at full size', args: ['test/run.ts', ...others] },
  { about: 'Wrong workers in the payout model', args: ['test/model/run.ts', '--mutants'] },
];

const startedAt = performance.now();
for (const { about, args } of parts) {
  console.log(`\n# ${about}: node ${args.join(' ')}`);
  const partStartedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CAUSEWAY_ENDURANCE: 'full' },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
  const [code] = await once(child, 'exit');
  console.log(`# ${about}: ${code === 0 ? 'passed' : 'FAILED'} after ${secondsSince(partStartedAt)} s`);
  if (code !== 0) process.exit(code ?? 1);
}
console.log(`\n# Endurance passed after ${secondsSince(startedAt)} s`);

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(0);
}
