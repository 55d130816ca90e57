import * as fs from 'node:fs/promises';
import type { Account } from './folders.ts';

export async function prepareLog(logFile: string, account: Account | undefined): Promise<void> {
  const log = await fs.open(logFile, 'a', 0o600);
  // The owner of the data may be the person who will start it without root's rights next time.
  if (account) await log.chown(account.uid >>> 0, account.gid >>> 0);
  await log.close();
}

export async function readLogFrom(logFile: string, start: number): Promise<string> {
  return (await fs.readFile(logFile)).subarray(start).toString();
}

/** The line that says best why the server or initdb ended. */
export function tellingLine(log: string): string {
  const lines = log.split('\n').filter((line) => line.trim() !== '' && !line.includes('is starting up'));
  const line =
    lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1) ?? 'its log is empty';
  return line.replace(/^[\d-]+ [\d:.]+ \S+ \[\d+\] /, '').replace(/\s+/g, ' ');
}
