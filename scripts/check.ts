// `npm run check`: types, lint and formatting, tidy. Every step runs, so that one failure hides no other.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);
const root = path.resolve(import.meta.dirname, '..');

const passed = [
  hasBinary('typescript', 'types were') && run('tsc', '--noEmit'),
  (process.env.BIOME_BINARY || hasBinary('@biomejs/biome', 'lint and formatting were')) &&
    run('biome', 'check', '--error-on-warnings'),
  run('node', '--test', ...globSync('test/tidy*.test.ts', { cwd: root })),
];
process.exitCode = passed.every(Boolean) ? 0 : 1;

function run(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0;
}

/** Whether npm installed the tool's program, an optional package that a registry may lack for a platform. */
function hasBinary(tool: string, unchecked: string): boolean {
  const manifest = path.join(root, 'node_modules', tool, 'package.json');
  const { version, optionalDependencies } = JSON.parse(readFileSync(manifest, 'utf8'));
  if (Object.keys(optionalDependencies).some(isInstalled)) return true;
  const platform = `${process.platform} ${process.arch}`;
  console.error(
    `${tool} ${version} has no package for ${platform} in your npm registry: ${unchecked} not checked.`,
  );
  return false;
}

function isInstalled(name: string): boolean {
  try {
    require.resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}
