import assert from 'node:assert/strict';
import { test } from 'node:test';
import commandList from '../src/commands.json' with { type: 'json' };
import { listCommands } from './command-list.ts';

test('src/commands.json describes the operator commands of the app', () => {
  assert.deepEqual(commandList, listCommands(), 'run `npm run commands`');
});
