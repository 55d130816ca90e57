import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { StartupError } from '#platform/errors/startup-error';
import {
  type Account,
  contentOf,
  linkTarget,
  makeReadableFolder,
  run,
  statIfThere,
  systemFolder,
} from './folders.ts';
import { stopOrphan } from './orphan.ts';

/** Decides where the data is, and which account runs the server if it is not ours. */
export async function settleData(folder: string): Promise<{ data: string; account: Account | undefined }> {
  const inFolder = path.join(folder, 'postgres');
  const outside = dataOutside(folder);
  const target = await linkTarget(inFolder);
  const linked = target ?? inFolder;
  if (path.dirname(linked) === systemFolder && linked !== outside) {
    // Otherwise a copied folder would share the data of the original and stop its server.
    throw new StartupError(
      `${inFolder} leads to the data of another folder; remove it to start with an empty one.`,
    );
  }
  const found = await statIfThere(linked);
  if (found === undefined && target !== undefined) await fs.unlink(inFolder);

  if (process.getuid?.() !== 0) {
    if (found !== undefined && found.uid !== process.getuid?.()) {
      throw new StartupError(`The database in ${linked} belongs to another user (uid ${found.uid}).`);
    }
    return { data: found === undefined ? inFolder : await fs.realpath(linked), account: undefined };
  }

  // PostgreSQL refuses to run as root.
  if (found !== undefined) {
    const account =
      found.uid === 0 ? await unprivilegedAccount() : { uid: found.uid | 0, gid: found.gid | 0 };
    if (found.uid === 0) await giveTo(account, linked);
    if (!(await canEnter(account, linked)) && !(await canBeLetIn(account, folder))) {
      throw new StartupError(
        `User ${found.uid} owns ${linked} and cannot reach it; open the folders above to others.`,
      );
    }
    return { data: await fs.realpath(linked), account };
  }
  const account = await unprivilegedAccount();
  if (await canBeLetIn(account, folder)) return { data: inFolder, account };
  await makeReadableFolder(systemFolder);
  // Without a link to it, the data is what a deleted folder of the same path left behind.
  await stopOrphan(outside);
  await fs.rm(outside, { recursive: true, force: true });
  return { data: outside, account };
}

export function dataOutside(folder: string): string {
  return path.join(systemFolder, `data-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`);
}

async function unprivilegedAccount(): Promise<Account> {
  const passwd = (await contentOf('/etc/passwd')) ?? '';
  const nobody = passwd.split('\n').find((line) => line.startsWith('nobody:'));
  const [uid, gid] = nobody?.split(':').slice(2, 4).map(Number) ?? [];
  // Node wants signed ids to spawn with, and macOS counts this account as -2.
  return uid && gid ? { uid: uid | 0, gid: gid | 0 } : { uid: 65534, gid: 65534 };
}

export async function giveTo({ uid, gid }: Account, folder: string): Promise<void> {
  await run('chown', ['-R', `${uid >>> 0}:${gid >>> 0}`, `${folder}/`]);
}

async function canEnter(account: Account, folder: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...account, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}

/** Opens our own folder, though none above it, for passing through; the secrets in it are in closed files. */
async function canBeLetIn(account: Account, folder: string): Promise<boolean> {
  if (await canEnter(account, folder)) return true;
  const { mode } = await fs.stat(folder);
  await fs.chmod(folder, (mode & 0o777) | 0o011);
  return canEnter(account, folder);
}
