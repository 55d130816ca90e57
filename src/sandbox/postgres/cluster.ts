import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { errorCode, StartupError } from '#platform/errors/startup-error';
import { spawnGuarded } from '../guarded-process.ts';
import { dataOutside, giveTo } from './data-folder.ts';
import { type Account, contentOf, environment } from './folders.ts';
import { binary, type ServerFiles } from './server-files.ts';
import { readLogFrom, tellingLine } from './server-log.ts';

export const superuser = 'causeway';

interface ClusterPlace {
  folder: string;
  data: string;
  account: Account | undefined;
  server: ServerFiles;
  logFile: string;
  durable: boolean;
  onSpawn?: (() => void) | undefined;
}

/** Creates the cluster if it is absent, and returns the superuser's password. */
export async function prepareCluster({
  folder,
  data,
  account,
  server,
  logFile,
  durable,
  onSpawn,
}: ClusterPlace): Promise<string> {
  const passwordFile = path.join(folder, 'postgres-password');
  const kept = await contentOf(passwordFile);
  const clusterVersion = await contentOf(path.join(data, 'PG_VERSION'));
  if (clusterVersion !== undefined) {
    if (clusterVersion !== server.version.split('.')[0]) {
      const versions = `was made by PostgreSQL ${clusterVersion}, and this server is ${server.version}`;
      throw new StartupError(`The database in ${data} ${versions}; move it away to start with an empty one.`);
    }
    if (!kept) {
      throw new StartupError(
        `${passwordFile} is missing; restore it, or remove ${data} to start with an empty one.`,
      );
    }
    return kept;
  }
  // Only an empty folder can be removed in this way.
  await fs.rmdir(data).catch((error) => {
    if (errorCode(error) === 'ENOENT') return;
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'ENOTDIR') throw error;
    throw new StartupError(`${data} holds no PostgreSQL database; move it away to start with an empty one.`);
  });
  const password = kept || randomBytes(24).toString('hex');
  if (!kept) {
    await fs.writeFile(`${passwordFile}.new`, password, { mode: 0o600 });
    await fs.rename(`${passwordFile}.new`, passwordFile);
  }

  // Created aside and renamed when complete, so that a kill halfway leaves no half cluster.
  const partial = `${data}.partial`;
  await fs.rm(partial, { recursive: true, force: true, maxRetries: 5 });
  await fs.mkdir(partial, { mode: 0o700 });
  const passwordForInitdb = path.join(partial, 'password');
  await fs.writeFile(passwordForInitdb, password, { mode: 0o600 });
  if (account) await giveTo(account, partial);
  const logStart = (await fs.stat(logFile)).size;
  const initdb = await spawnGuarded({
    command: binary(server, 'initdb'),
    args: [
      `--pgdata=${path.join(partial, 'data')}`,
      `--username=${superuser}`,
      `--pwfile=${passwordForInitdb}`,
      '--auth-host=scram-sha-256',
      '--auth-local=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ],
    cwd: '/',
    env: environment,
    ...account,
    stopSignal: 'SIGTERM',
    logFile,
  });
  onSpawn?.();
  const { code } = await initdb.exited;
  if (code !== 0) {
    const line = tellingLine(await readLogFrom(logFile, logStart));
    throw new StartupError(`The database in ${data} could not be made: ${line} (see ${logFile}).`);
  }
  await fs.rename(path.join(partial, 'data'), data);
  await fs.rm(partial, { recursive: true, force: true });
  if (data === dataOutside(folder)) {
    const inFolder = path.join(folder, 'postgres');
    await fs.rm(inFolder, { force: true });
    await fs.symlink(data, inFolder);
  }
  return password;
}
