import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { runCli } from '#test/callers/run-cli';
import { exitCodes } from '../src/cli/exit-codes.ts';
import { noteSecret, useHarness } from './harness.ts';

const bob = noteSecret(`cwo_${randomBytes(24).toString('hex')}`);
const harness = useHarness({
  operatorTokens: new Map([['bob', { token: bob, role: 'admin' as const }]]),
  fourEyesCommands: ['partners.create'],
  twoPersonResume: true,
});
const folder = mkdtempSync(path.join(tmpdir(), 'causeway-cli-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const run = (args: string[], token = harness.operatorToken) =>
  runCli([...args, '--url', harness.url, '--token', token], { cwd: folder });

test('6 the CLI says that a command waits for another operator; 0 when one approves it', async () => {
  const asked = await run(['partners', 'create', 'Acme', '--json']);
  assert.equal(asked.code, exitCodes.waits, asked.err);
  assert.equal(exitCodes.waits, 6);
  const { id, status } = JSON.parse(asked.out);
  assert.equal(status, 'pending');
  assert.match(
    asked.err,
    new RegExp(`Not run yet: another operator must run causeway approvals decide ${id} approve\\.`),
  );
  const own = await run(['approvals', 'decide', id, 'approve']);
  assert.deepEqual([own.code, own.err.trim()], [4, 'You asked for this: another operator must decide']);
  const decided = await run(['approvals', 'decide', id, 'approve', '--json'], bob);
  assert.equal(decided.code, 0, decided.err);
  assert.equal(JSON.parse(decided.out).answer.name, 'Acme');
  assert.ok(!decided.err.includes('Not run yet'));
});

test('TWO_PERSON_RESUME: one operator pauses payouts, two resume them', async () => {
  assert.equal((await run(['payouts', 'pause', '--reason', 'a test'])).code, 0);
  const resumed = await run(['payouts', 'resume', '--json']);
  assert.equal(resumed.code, exitCodes.waits);
  const { id } = JSON.parse(resumed.out);
  const pauses = async () => JSON.parse((await run(['payouts', 'list-pauses', '--json'])).out).pauses.length;
  assert.equal(await pauses(), 1);
  assert.equal((await run(['approvals', 'decide', id, 'approve'], bob)).code, 0);
  assert.equal(await pauses(), 0);
});

test('the reference of a command that waits has its 202', async () => {
  const { body } = await harness.request('GET', '/operator/openapi.json', { token: bob });
  const answers = (name: string) => Object.keys(body.paths[`/operator/${name}`].post.responses);
  assert.ok(answers('partners.create').includes('202') && !answers('partners.create').includes('200'));
  assert.ok(answers('partners.list').includes('200') && !answers('partners.list').includes('202'));
});
