import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createHttpServer, type HttpServer } from '#platform/http/http';
import { createMetrics } from '#platform/observe/metrics';
import { useHarness } from '#test/harness';
import { Inbox } from '../inbox/inbox.ts';
import type { SandboxFacts } from '../sandbox-file.ts';
import type { SandboxSecrets } from '../secrets.ts';
import { createDoor } from './mount-door.ts';
import { StaffLinks } from './staff-links.ts';

// The door of a sandbox that listens on all addresses of its machine.

const harness = useHarness();
const demoKey = 'the-key-of-the-demo';
const operatorToken = 'the-token-of-the-operator';
const key = { id: 'key', token: demoKey, scopes: [] };
const facts = {
  operatorToken,
  users: { owner: { id: 'owner' }, friend: { email: 'friend@example.com' } },
  keys: { full: key, readOnly: key, friend: key, business: key },
  integrations: { main: { apiKey: demoKey } },
  consents: { active: 'consent' },
} as unknown as SandboxFacts;

let server: HttpServer;
const staffLinks = new StaffLinks();
before(async () => {
  server = createHttpServer({ log: harness.deps.log, metrics: createMetrics(), trustedProxies: [] });
  const secrets = { operatorToken, issuerKey: 'issuer' } as unknown as SandboxSecrets;
  const door = createDoor(facts, secrets, { inbox: new Inbox(), staffLinks });
  server.get('/', async (request) => door.section(request as never)?.text ?? 'no tour');
  door.mount(server, harness.deps);
  await server.ready();
});
after(() => server.close());

const get = (url: string, remoteAddress: string, host: string) =>
  server.inject({ url, remoteAddress, headers: { host } });

const hosts = ['localhost', 'localhost:8080', '127.0.0.1:8080', '[::1]:8080'];
const elsewhere = ['192.168.1.20', '10.0.0.7', '::ffff:192.168.1.20', '2001:db8::7'];

test('200 on this machine, keys, inbox and links are there, by every loopback name', async () => {
  for (const host of hosts)
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      const { payload } = await get('/', address, host);
      assert.ok(payload.includes(demoKey) && payload.includes(operatorToken), `${host} from ${address}`);
      assert.equal((await get('/sandbox/inbox', address, host)).statusCode, 200);
    }
});

test('404 from elsewhere, nothing is there, whatever Host says', async () => {
  const link = new URL(staffLinks.issue('operator', harness.deps)).pathname;
  for (const host of hosts)
    for (const address of elsewhere) {
      assert.equal((await get('/', address, host)).payload, 'no tour', `${host} from ${address}`);
      for (const url of ['/sandbox/inbox', '/sandbox/inbox/messages?after=0', link])
        assert.equal((await get(url, address, host)).statusCode, 404, `${url} from ${address}`);
    }
  assert.equal((await get(link, '127.0.0.1', 'localhost')).statusCode, 303);
});
