import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOfHosts, splitHosts } from './hosts.ts';

test('an address with several servers becomes one address for each', () => {
  assert.deepEqual(splitHosts('postgres://user:p%40ss@a:5432,b,[::1]:5433/main?sslmode=require'), {
    urls: [
      'postgres://user:p%40ss@a:5432/main?sslmode=require',
      'postgres://user:p%40ss@b/main?sslmode=require',
      'postgres://user:p%40ss@[::1]:5433/main?sslmode=require',
    ],
    mustWrite: true,
  });
});

test('one server is used as it is, unless the address asks for one that accepts writes', () => {
  const plain = 'postgres://user@a/main';
  assert.deepEqual(splitHosts(plain), { urls: [plain], mustWrite: false });
  for (const kind of ['read-write', 'primary'])
    assert.deepEqual(splitHosts(`${plain}?target_session_attrs=${kind}`), { urls: [plain], mustWrite: true });
  assert.deepEqual(splitHosts(`${plain}?target_session_attrs=any`), { urls: [plain], mustWrite: false });
  assert.deepEqual(splitHosts('postgres://'), { urls: ['postgres://'], mustWrite: false });
});

test('what is wrong with an address is said in words', () => {
  assert.equal(faultOfHosts('postgres://user@a:1,b:2/main'), undefined);
  assert.match(faultOfHosts('postgres://user@a,,b/main')!, /each server/);
  assert.match(faultOfHosts('postgres://user@a,b:port/main')!, /each server/);
  assert.match(faultOfHosts('postgres://user@a/main?target_session_attrs=standby')!, /standby; known/);
  assert.match(faultOfHosts('postgres://user@a,b/main?target_session_attrs=any')!, /several servers/);
});
