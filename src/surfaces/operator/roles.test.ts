import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isOperatorRole, type OperatorRole, operatorRoles } from '#operator-roles';
import type { HttpServer } from '#platform/http/http';
import { createMetrics } from '#platform/observe/metrics';
import { noteSecret, useHarness } from '#test/harness';
import { buildApp, commands } from '../../app.ts';

const harness = useHarness();
const roles = Object.keys(operatorRoles) as OperatorRole[];
const tokenOf = (role: OperatorRole) => `cwo_${role}_${'t'.repeat(40)}`;
let server: HttpServer;

before(async () => {
  const tokens = roles.map((role) => [role, { token: noteSecret(tokenOf(role)), role }] as const);
  server = await buildApp(
    { ...harness.deps, metrics: createMetrics() },
    {
      operatorTokens: new Map(tokens),
      trustedProxies: [],
      databasePoolMax: 10,
      withdrawalLimits: [],
      withdrawalRates: { partner: 1_000_000, user: 1_000_000 },
      balanceStaleAfterMs: 3_600_000,
      servesApi: true,
    },
  );
  await server.listen({ host: '127.0.0.1', port: 0 });
});
after(() => server.close());

const call = async (role: OperatorRole, command: string, body = '{"unheardOf":1}') => {
  const address = server.server.address() as { port: number };
  const response = await fetch(`http://127.0.0.1:${address.port}/operator/${command}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf(role)}`, 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

test('each cell of role and command is decided: 403 before the body is read, or past the guard', async () => {
  const cells = { allowed: 0, refused: 0 };
  for (const { name, roles: allowed } of commands) {
    assert.ok(Array.isArray(allowed) && allowed.every(isOperatorRole), `${name} names unknown roles`);
    for (const role of roles) {
      const mayRun = role === 'admin' || allowed.includes(role);
      const { status, body } = await call(role, name, mayRun ? '{"unheardOf":1}' : '{"half');
      const message = `The role ${role} may not run ${name}`;
      if (mayRun) assert.equal(status, 400, `${role} ${name}: ${JSON.stringify(body)}`);
      else assert.deepEqual([status, body.code, body.error], [403, 'role_refused', message]);
      cells[mayRun ? 'allowed' : 'refused']++;
    }
  }
  assert.equal(cells.allowed + cells.refused, commands.length * roles.length);
  assert.ok(cells.allowed > 200 && cells.refused > 200, JSON.stringify(cells));
});

test('a viewer runs what changes nothing, but for those that call others or show inputs, as every other person', () => {
  const closed = commands.filter(({ changes, roles: allowed }) => !changes && !allowed.includes('viewer'));
  assert.deepEqual(closed.map(({ name }) => name).sort(), [
    'approvals.show',
    'cards.catch-up',
    'deposits.check',
    'prices.refresh',
  ]);
  for (const { name, changes, roles: allowed } of commands.filter((one) => one.roles.includes('viewer'))) {
    assert.equal(changes, false, name);
    for (const role of ['support', 'treasury', 'compliance']) assert.ok(allowed.includes(role), name);
  }
});

test('what creates money or grants access is for administrators only', () => {
  const dangerous = [
    'ledger.fund',
    'ledger.post',
    'ledger.settle',
    'keys.issue',
    'keys.rotate',
    'keys.update',
    'partners.create',
    'partners.allow-user',
    'integrations.register',
    'integrations.rotate-key',
    'webhooks.create',
    'webhooks.rotate-secret',
  ];
  for (const name of dangerous)
    assert.deepEqual(commands.find((command) => command.name === name)?.roles, [], name);
});

test('what only administrators change needs a confirmation, but for what takes rights or data away', () => {
  const without = commands
    .filter(({ changes, roles: allowed, stepUp }) => changes && allowed.length === 0 && !stepUp)
    .map(({ name }) => name);
  assert.deepEqual(without.sort(), [
    'events.skip-ahead',
    'integrations.refuse',
    'integrations.revoke',
    'integrations.set-logo',
    'keys.revoke',
    'ledger.record-unsettled',
    'ledger.update-unsettled',
    'partners.disallow-user',
    'people.end-sessions',
    'users.reseal',
    'webhooks.delete',
    'webhooks.reseal',
  ]);
});

test('the role of a login backend makes sign-in links, and neither runs nor reads anything else', async () => {
  const own = commands.filter(({ roles: allowed }) => allowed.includes('sign-in')).map(({ name }) => name);
  assert.deepEqual(own, ['users.sign-in-link']);
  const readReference = (role: OperatorRole) =>
    server.inject({ url: '/operator/openapi.json', headers: { authorization: `Bearer ${tokenOf(role)}` } });
  assert.equal((await readReference('sign-in')).statusCode, 403);
  assert.equal((await readReference('viewer')).statusCode, 200);
});

test('200 roles.show: the table that the guard applies, with roles.show in it', async () => {
  const { status, body } = await call('viewer', 'roles.show', '{}');
  assert.equal(status, 200);
  const { items } = body.data as { items: Record<string, string | boolean>[] };
  assert.deepEqual(
    items.map(({ command, ...cells }) => [command, roles.filter((role) => cells[role])]),
    commands.map(({ name, roles: allowed }) => [
      name,
      roles.filter((role) => role === 'admin' || allowed.includes(role)),
    ]),
  );
});
