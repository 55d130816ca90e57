// `npm run lock`: update package-lock.json after a change to the dependencies in package.json.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Lockfile {
  packages: Record<string, { engines?: unknown; optionalDependencies?: Record<string, string> }>;
}

const root = path.resolve(import.meta.dirname, '..');
const file = path.join(root, 'package-lock.json');
const npm = (...args: string[]) => execFileSync('npm', args, { cwd: root, stdio: 'inherit' });

// Resolves every platform's optional packages, not only those of this machine.
npm('install', '--package-lock-only', '--ignore-scripts');
const lock: Lockfile = JSON.parse(readFileSync(file, 'utf8'));
// npm skips an optional package, without a word, if its `engines` excludes the Node that runs npm. Ours run
// on the pinned Node 24, so an older Node may install them. Our own packages keep theirs.
for (const [place, entry] of Object.entries(lock.packages))
  if (place.includes('node_modules/')) delete entry.engines;
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
npm('install');

const locked = new Set(Object.keys(lock.packages).map((place) => place.split('node_modules/').at(-1)));
const lacking = Object.values(lock.packages)
  .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
  .filter((name) => !locked.has(name));
if (lacking.length > 0)
  console.log(`Not in your npm registry, so not in the lockfile:\n  ${lacking.join('\n  ')}`);
