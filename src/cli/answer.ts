import { existsSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { CommandDescription } from '#platform/commands/command-description';
import { describeCause } from '#platform/errors/describe-cause';
import { CommandFault, exitCodes, UsageFault } from './exit-codes.ts';
import { nameFlags, type Refused } from './name-flags.ts';

/** The answer of a server, or of the app in this process. The body can be read once. */
export interface Answer {
  /** The sender, for messages. */
  from: string;
  status: number;
  headers: Headers;
  body: Readable;
}

/** The data of an answer to a command. Throws a `CommandFault` if it was refused. */
export async function readData(
  command: CommandDescription,
  { from, status, body }: Answer,
): Promise<unknown> {
  const answer: { data?: unknown } & Partial<Refused> = await json(body)
    .catch(() => undefined)
    .then((answer) => answer ?? {});
  const { data, error, details } = answer;
  if (status === 401) {
    throw new CommandFault(
      `${from} refused the operator token: pass --token or set CAUSEWAY_OPERATOR_TOKEN.`,
      exitCodes.refused,
    );
  }
  if (error !== undefined) {
    throw new CommandFault(
      nameFlags(command, { error, details }),
      busyStatuses.includes(status) ? exitCodes.unreachable : exitCodes.refused,
    );
  }
  if (data === undefined) throw foreign(from, status);
  return data;
}

/** Trying again later may help, as with a server that does not answer. */
const busyStatuses = [502, 503, 504];

const foreign = (from: string, status: number) =>
  new CommandFault(
    `${from} is not a Causeway server: it sent HTTP ${status} with an unknown body.`,
    exitCodes.unreachable,
  );

/**
 * Saves a file to `--out`. Default: standard output, or a file in this folder if that is a terminal. Returns
 * the name of the file that it wrote.
 */
export async function saveFile(
  command: CommandDescription,
  answer: Answer,
  out = process.stdout.isTTY ? undefined : '-',
): Promise<string | undefined> {
  const { from, status, headers, body } = answer;
  const offered = /filename="([\w.-]+)"/.exec(headers.get('content-disposition') ?? '')?.[1];
  if (status !== 200 || !offered) {
    await readData(command, answer);
    throw foreign(from, status);
  }
  const broken = (error: Error) =>
    new CommandFault(`The download failed: ${describeCause(error)}.`, exitCodes.unreachable);
  if (out === '-') {
    await pipeline(body, process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw broken(error);
    });
    return undefined;
  }
  // The file gets its name when it is complete. A name that the user did not choose never replaces a file.
  const file = out ?? path.basename(offered);
  if (out === undefined && existsSync(file)) throw new UsageFault(`${file} already exists: pass --out.`);
  const partial = `${file}.part`;
  const handle = await open(partial, 'w').catch((error: Error) => {
    body.destroy();
    throw new UsageFault(`${file} cannot be written: ${error.message}.`);
  });
  try {
    await pipeline(body, handle.createWriteStream());
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw broken(error as Error);
  }
  return file;
}
