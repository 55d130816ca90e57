import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { artifactFile, compileTokens } from '../../../contracts/compile.ts';

test('src/sandbox/devnet/test-tokens.json is what contracts/test-tokens.sol compiles to', () => {
  assert.ok(
    readFileSync(artifactFile, 'utf8') === compileTokens(),
    'run `npm run contracts`, and look at what changed',
  );
});
