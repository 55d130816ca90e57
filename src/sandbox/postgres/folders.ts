import { execFile } from 'node:child_process';
import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode, reasonOf, StartupError } from '#platform/errors/startup-error';

export const run = promisify(execFile);

/** Where root's sandbox keeps what must lie outside a folder closed to others. */
export const systemFolder = '/var/lib/causeway';

export const environment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

/** The account that the server runs as where that is not our own. */
export interface Account {
  uid: number;
  gid: number;
}

export async function contentOf(file: string): Promise<string | undefined> {
  try {
    return (await fs.readFile(file, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export async function statIfThere(name: string): Promise<Stats | undefined> {
  try {
    return await fs.stat(name);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export async function linkTarget(name: string): Promise<string | undefined> {
  try {
    return path.resolve(path.dirname(name), await fs.readlink(name));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EINVAL') return undefined;
    throw error;
  }
}

export async function makeReadableFolder(folder: string): Promise<void> {
  try {
    await fs.mkdir(folder, { recursive: true });
    await fs.chmod(folder, 0o755);
  } catch (error) {
    const remedy = 'run as an ordinary user, or set DATABASE_URL to use a PostgreSQL server of your own';
    throw new StartupError(`The folder ${folder} cannot be made: ${reasonOf(error)}; ${remedy}.`);
  }
}
