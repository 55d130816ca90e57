import { stat } from 'node:fs/promises';
import { isLoopback } from '#config/parsers';
import type { SecretFile } from '#context';
import { type Check, count, list, ok, problem, skipped, warning } from '../outcome.ts';

/** What the CLI and `serve` read from the folder that they are started in. */
const ownFile: SecretFile = { setting: '.env', file: '.env' };

/** Neither needs the database nor a node. */
export const secretChecks: readonly Check[] = [
  {
    name: 'public address',
    run: async ({ publicUrl }) => {
      const { protocol, hostname } = new URL(publicUrl);
      if (protocol === 'https:') return ok(publicUrl);
      if (isLoopback(hostname))
        return warning(
          `${publicUrl} works only on this machine`,
          'Set PUBLIC_URL to the https:// address of your proxy.',
        );
      return problem(
        `${publicUrl} is not encrypted`,
        'Set PUBLIC_URL to an https:// address: browsers send sessions to it.',
      );
    },
  },
  {
    name: 'secret files',
    run: async ({ installation }) => {
      if (process.platform === 'win32') return skipped('Windows has no file modes');
      const looked = await Promise.all([...installation.secretFiles, ownFile].map(look));
      const found = looked.filter((one) => one !== undefined);
      if (found.length === 0) return ok('No setting comes from a file');
      const open = found.filter(({ mode }) => mode & 0o007);
      if (open.length > 0)
        return problem(
          `Open to every user of this machine: ${list(open.map(({ setting }) => setting))}`,
          'Run chmod 640 or chmod 600 on the files, and rotate the secrets if others use this machine.',
        );
      const writable = found.filter(({ mode }) => mode & 0o020);
      if (writable.length > 0)
        return warning(
          `Writable by a group: ${list(writable.map(({ setting }) => setting))}`,
          'Run chmod 640 or chmod 600 on the files.',
        );
      return ok(`${count(found.length, 'file')}, closed to other users`);
    },
  },
];

/** Undefined if the file is gone: a process reads it at its start. */
async function look({ setting, file }: SecretFile): Promise<{ setting: string; mode: number } | undefined> {
  try {
    const { mode } = await stat(file);
    return { setting, mode };
  } catch {
    return undefined;
  }
}
