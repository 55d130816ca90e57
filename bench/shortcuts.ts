import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type Bench, median } from './measure.ts';
import { measureCode } from './shortcuts/code.ts';
import { measurePosting } from './shortcuts/posting.ts';
import { measureStatements } from './shortcuts/statements.ts';

const allParts: Record<string, Bench> = {
  statements: measureStatements,
  code: measureCode,
  posting: measurePosting,
  starts: measureStarts,
};

/**
 * Code that is longer than it must be because the plain way takes more time, against the plain way. A comment
 * that names this benchmark has its ratio; where the ratio is near 1, use the plain way.
 */
export const run: Bench = async (given) => {
  const unknown = given.parts.find((part) => !Object.hasOwn(allParts, part));
  if (unknown) throw new Error(`no part ${unknown}: ${Object.keys(allParts).join(', ')}`);
  for (const [name, measure] of Object.entries(allParts)) {
    if (given.parts.length === 0 || given.parts.includes(name)) await measure(given);
  }
};

/** CPU of processes that build the app or load a package, in milliseconds. */
async function measureStarts({ databaseUrl }: Parameters<Bench>[0]): Promise<void> {
  const kinds = ['nothing', 'typebox-compiler', 'app', 'app-with-all-schemas'];
  for (const kind of kinds) {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const child = fork(path.join(import.meta.dirname, 'shortcuts/start.ts'), [kind, databaseUrl]);
      const [cpuMs] = (await once(child, 'message')) as [number];
      times.push(cpuMs);
      if (child.exitCode === null) await once(child, 'exit');
    }
    console.log(`start ${kind}: ${Math.round(median(times))} ms of CPU`);
  }
}
