import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { type TestContext, type TestOptions, test } from 'node:test';

// CI sets the variable, so that a run without a tool fails there instead of passing with fewer tests.
const isRequired = process.env.CAUSEWAY_REQUIRE_TOOLS === '1';

type Work = (t: TestContext) => void | Promise<void>;

/** A program that operators have and npm does not install, such as nginx; Debian has some only in sbin. */
export function findTool(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

/** A test that runs these programs. Without one of them it is reported as skipped, with what to install. */
export function toolTest(tools: readonly string[], title: string, options: TestOptions, work: Work): void {
  const missing = tools.filter((name) => !findTool(name));
  const reason = missing.length > 0 && `Install ${missing.join(', ')} to run this test.`;
  void test(title, { ...options, skip: isRequired ? false : reason }, (t) => {
    if (reason) throw new Error(reason);
    return work(t);
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
