import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigFault } from '#config/setting';
import { StartupError, Unreachable } from '#platform/errors/startup-error';
import { CommandFault, reportFault, UsageFault } from './exit-codes.ts';

for (const [error, code] of [
  [new UsageFault('Say it'), 2],
  [new ConfigFault(['Say it']), 2],
  [new Unreachable('Say it'), 3],
  [new StartupError('Say it'), 4],
  [new CommandFault('Say it', 3), 3],
  [new TypeError('a bug'), 5],
] as const) {
  test(`${code} ${error.name} ${error.message}: the stack only of a bug`, (t) => {
    const said = t.mock.method(console, 'error', () => {});
    assert.equal(reportFault(error), code);
    assert.deepEqual(said.mock.calls[0]?.arguments, [code === 5 ? error : 'Say it']);
  });
}
