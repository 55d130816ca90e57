// One process of a test run (test/run.ts): it runs the next file that no other process has taken, and so on,
// until it has become large. Each file is a suite, in which its hooks and tests stay. A process that loads
// the app takes two seconds of CPU before its first test.
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { after, suite } from 'node:test';

/** On a machine with other work to do, the longest files take minutes. */
const timeout = 900_000;
/** node:test keeps each test, and with it what the test has used. A process that is larger than this ends. */
const residentBytesMax = 600 * 2 ** 20;

const [taken = '', ...files] = process.argv.slice(2);

for (const [at, file] of files.entries()) {
  if (isTaken(at)) continue;
  await new Promise<void>((resolve) => {
    void suite(file, { timeout }, async () => {
      // The next suite is there before this one has ended: node:test takes a moment without one for the end.
      after(() => resolve());
      await import(path.resolve(file));
    });
  });
  if (process.memoryUsage.rss() > residentBytesMax) break;
}

/** Takes a file, unless another process has. */
function isTaken(at: number): boolean {
  try {
    closeSync(openSync(path.join(taken, String(at)), 'wx'));
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return true;
    throw error;
  }
}
