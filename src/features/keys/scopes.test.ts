import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { apiScopes, mcpScopes, noApiScope, routeScopes, usualScopes } from './scopes.ts';

const harness = useHarness();
const id = '0198a0de-ffff-7000-8000-000000000000';

interface Operations {
  paths: Record<string, Record<string, { security?: object[] }>>;
}

/** Every operation of the reference that takes a partner's key, as `routeScopes` spells it. */
async function keyRoutes(): Promise<string[]> {
  const { paths } = (await harness.request('GET', '/openapi.json')).body as Operations;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security = [] }]) => security.some((scheme) => 'apiKey' in scheme))
      .map(([method]) => `${method.toUpperCase()} ${path.replaceAll('{', ':').replaceAll('}', '')}`),
  );
}

/** Calls a route with ids that do not exist: whatever is answered, 403 for the scope comes before it. */
async function call(route: string, token: string) {
  const [method, path] = route.split(' ') as [string, string];
  const url = path.replaceAll(/:\w+/g, id);
  return harness.request(method, url, { token, ...(['POST', 'PATCH'].includes(method) && { body: {} }) });
}

const lacks = (scope: string) => `Forbidden: the key lacks the ${scope} scope`;

test('every route behind a key has a scope, and the table names no other route', async () => {
  const routes = (await keyRoutes()).filter((route) => route !== 'POST /mcp');
  assert.deepEqual(routes.sort(), Object.keys(routeScopes).sort());
});

test('403 with every scope but those of the route; with one of these alone, the key is admitted', async () => {
  const all = [...mcpScopes, ...apiScopes];
  for (const [route, scopes] of Object.entries(routeScopes)) {
    const others = all.filter((one) => !(scopes as readonly string[] | null)?.includes(one));
    const without = await makeKey(harness, { scopes: others });
    const refused = await call(route, without.token);
    if (scopes !== null) {
      assert.deepEqual(
        [refused.status, refused.body.error, refused.body.code],
        [403, lacks(scopes[0]), 'scope_missing'],
        route,
      );
    }
    for (const scope of scopes ?? (['events:read', noApiScope] as const)) {
      const only = await makeKey(harness, { scopes: [scope] });
      const admitted = await call(route, only.token);
      assert.notEqual(admitted.body.code, 'scope_missing', route);
      assert.ok(admitted.status < 500, `${route}: ${admitted.status}`);
    }
  }
});

test('a missing scope is refused before the allowance is spent and the body is read', async () => {
  const { token, userId } = await makeKey(harness, { scopes: ['events:read'] });
  for (let n = 0; n < 5; n += 1) {
    const { status, body } = await harness.request('GET', '/api/history', { token });
    assert.deepEqual([status, body.error], [403, lacks('history:read')]);
  }
  const created = await harness.request('POST', `/api/crypto/${userId}/withdraw`, {
    token,
    headers: { 'content-type': 'text/plain' },
    body: 'no JSON',
  });
  assert.deepEqual([created.status, created.body.error], [403, lacks('withdrawals:create')]);
  const { body } = await harness.request('GET', '/metrics');
  assert.match(String(body), /causeway_keys_refused_total\{reason="scope"\} \d/);
});

test('a HEAD needs the scope of its GET', async () => {
  const without = await makeKey(harness, { scopes: ['events:read'] });
  const { partnerId, userId } = without;
  const reading = await makeKey(harness, { partnerId, userId, scopes: ['withdrawals:read'] });
  const head = async ({ token }: { token: string }) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${harness.url}/api/crypto/${userId}/withdraws`, { method: 'HEAD', headers })).status;
  };
  assert.deepEqual([await head(without), await head(reading)], [403, 200]);
});

test('keys.issue: without one of our scopes, a key gets all that keys had before', async () => {
  for (const scopes of [undefined, [], ['mcp'], ['mcp:write', 'mcp']]) {
    const key = await makeKey(harness, { ...(scopes && { scopes }) });
    assert.deepEqual(key.scopes, [...(scopes ?? []), ...usualScopes]);
    assert.ok(!key.scopes.includes('partner:admin'));
  }
  const narrow = await makeKey(harness, { scopes: ['mcp', 'history:read'] });
  assert.deepEqual(narrow.scopes, ['mcp', 'history:read']);
});

test('keys.update: MCP scopes alone leave the others as they are, and never add one', async () => {
  const { id: keyId, token } = await makeKey(harness, { scopes: ['history:read'] });
  const scopesAfter = async (scopes: string[]) =>
    (await harness.operator('keys.update', { keyId, scopes })).body.data.scopes;
  assert.deepEqual(await scopesAfter(['mcp']), ['mcp', 'history:read']);
  assert.deepEqual(await scopesAfter([]), ['history:read']);
  assert.deepEqual(await scopesAfter(['events:read']), ['events:read']);
  const { body } = await harness.request('GET', '/api/history', { token });
  assert.equal(body.error, lacks('history:read'), 'from the next request on');
});

test('keys.rotate keeps the scopes, also those of a key from before them', async () => {
  const narrow = await makeKey(harness, { scopes: ['withdrawals:read'] });
  const old = await makeKey(harness);
  // As a release before our scopes stored it.
  await harness.deps.db.query(`update api_keys set scopes = '{mcp}' where id = $1`, [old.id]);
  const rotated = async (keyId: string) =>
    (await harness.operator('keys.rotate', { keyId })).body.data.scopes;
  assert.deepEqual(await rotated(narrow.id), ['withdrawals:read']);
  assert.deepEqual(await rotated(old.id), ['mcp', ...usualScopes]);
});

test('a key from before our scopes works as before, and keys.list shows what it may do', async () => {
  const { id: keyId, token, userId, partnerId } = await makeKey(harness, { scopes: ['events:read'] });
  await harness.deps.db.query(`update api_keys set scopes = '{}' where id = $1`, [keyId]);
  const listed = await harness.request('GET', `/api/crypto/${userId}/withdraws`, { token });
  assert.equal(listed.status, 200);
  const { body } = await harness.operator('keys.list', { partnerId });
  assert.deepEqual(body.data.items[0].scopes, usualScopes);
});

test('api:none makes a key for MCP only, which stays so; beside scopes of the API it is refused', async () => {
  const { id: keyId, token, userId, scopes } = await makeKey(harness, { scopes: ['mcp', noApiScope] });
  assert.deepEqual(scopes, ['mcp', noApiScope]);
  const { status } = await harness.request('GET', `/api/crypto/${userId}/withdraws`, { token });
  assert.equal(status, 403);
  const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  assert.equal((await harness.request('POST', '/mcp', { token, body: ping })).status, 200);
  const rotated = await harness.operator('keys.rotate', { keyId });
  assert.deepEqual(rotated.body.data.scopes, ['mcp', noApiScope]);
  const wrong = await harness.operator('keys.update', {
    keyId: rotated.body.data.id,
    scopes: [noApiScope, 'events:read'],
  });
  assert.deepEqual([wrong.status, wrong.body.code], [400, 'invalid_request']);
});
