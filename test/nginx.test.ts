import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { processFile } from '#test/bundle/process-file';
import { toolTest } from '#test/callers/tools';
import { csrfIn, encodeForm } from '#test/callers/visitor';
import { type AskOptions, type Site, siteName, startSite } from '#test/outside/nginx-site';
import { freePort } from '../src/sandbox/free-port.ts';
import { cloneDatabase, noteSecret, testFolder, useHarness } from './harness.ts';
import { waitUntil } from './wait-until.ts';

// The site of docs/deploy/ in front of two processes, with TLS: what a partner, an app and a user see.

const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'causeway-nginx-'));
// As root, nginx works under another account, which must be able to pass through here.
chmodSync(folder, 0o755);
const origin = `https://${siteName}`;
const operatorToken = noteSecret(`cwo_${randomBytes(24).toString('hex')}`);
const encryptionKey = noteSecret(randomBytes(32).toString('base64'));

/** With every page: without a provider, `/people/openid` would be missing. */
const everyPage = useHarness({
  acceptsApplications: true,
  openid: {
    issuer: 'https://login.example.com',
    clientId: 'causeway',
    clientSecret: randomBytes(16).toString('hex'),
  },
});
const secretParams = ['linkSecret', 'linkToken', 'secret'];
const publicParams = ['asset', 'hash', 'id', 'name', 'sha256'];

/** The paths of all routes, from the tree that Fastify prints. */
function listPaths(): string[] {
  const above: string[] = [];
  return everyPage.server
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, segment] = /^([\s│]*)[├└]── (\S+) \(/u.exec(line) ?? [];
      if (segment === undefined) return [];
      above.splice(indent!.length / 4, Number.POSITIVE_INFINITY, segment);
      return above.join('').replace('//', '/');
    });
}

/** What the site's log shows instead of a path, by its map. */
function loggedPath(at: string): string {
  const site = readFileSync(path.join(root, 'docs/deploy/nginx.conf'), 'utf8');
  const patterns = [...site.matchAll(/^ {2}~(\S+) (\S+);$/gm)];
  return patterns.find(([, pattern]) => new RegExp(pattern!).test(at))?.[2] ?? at;
}

test('the log of nginx hides the secret of every route that has one in its path', () => {
  const paths = listPaths();
  const withSecret = paths.filter((at) => secretParams.some((name) => at.includes(`/:${name}`)));
  assert.ok(paths.length > 150 && withSecret.length >= 7, `${paths.length} routes`);
  for (const at of withSecret) assert.doesNotMatch(loggedPath(at), /:/, at);
  // A parameter with a new name is an id, a secret, or one of a few names.
  const params = new Set(paths.flatMap((at) => [...at.matchAll(/:(\w+)/g)].map(([, name]) => name!)));
  const unknown = [...params].filter((name) => ![...secretParams, ...publicParams].includes(name));
  for (const name of unknown) assert.match(name, /Id$/);
});

const running = new Set<ChildProcess>();
let site: Site | undefined;
after(async () => {
  await site?.stop();
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

/** With the settings that docs/guides/production.md and the site name. */
async function serve(databaseUrl: string, port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [processFile('src/cli.ts'), 'serve', '--roles', 'api'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: databaseUrl,
      OPERATOR_TOKENS: `tester:${operatorToken}`,
      ENCRYPTION_KEYS: `1:${encryptionKey}`,
      PUBLIC_URL: origin,
      TRUSTED_PROXIES: '127.0.0.1/32',
      MCP_ALLOWED_HOSTS: siteName,
      POLYGON_RPC_URLS: 'http://127.0.0.1:1',
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.on('exit', () => running.delete(child));
  let output = '';
  child.stdout!.on('data', (chunk) => {
    output += chunk;
    // The last test of the run looks for secrets in what this process logs, too.
    appendFileSync(path.join(testFolder(), 'causeway-serve.log'), chunk);
  });
  await waitUntil('serve has started', () => output.includes('"msg":"started"') || child.exitCode !== null);
  assert.equal(child.exitCode, null, output);
  return child;
}

toolTest(
  ['nginx', 'openssl'],
  'the nginx site in front of two processes',
  { timeout: 600_000 },
  async (t) => {
    const databaseUrl = await cloneDatabase();
    const upstream: [number, number] = [await freePort(), await freePort()];
    const [http, https] = [await freePort(), await freePort()];
    const processes = [await serve(databaseUrl, upstream[0]), await serve(databaseUrl, upstream[1])];
    site = await startSite(folder, { http, https, upstream });
    const { ask, readLogs } = site;

    const json = { 'content-type': 'application/json' };
    const send = async (method: string, where: string, options: AskOptions = {}) => {
      const { status, headers, text } = await ask(method, where, options);
      return { status, headers, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
    };
    const operate = async (command: string, input: object) => {
      const { status, body, text } = await send('POST', `/operator/${command}`, {
        headers: { ...json, authorization: `Bearer ${operatorToken}` },
        body: JSON.stringify(input),
      });
      assert.equal(status, 200, `${command}: ${text}`);
      return body.data;
    };

    const user = await operate('users.create', {
      email: 'proxied@example.com',
      givenName: 'Nina',
      familyName: 'Proxy',
    });
    const partner = await operate('partners.create', { name: 'Behind a proxy' });
    await operate('partners.allow-user', { partnerId: partner.id, userId: user.id });
    const issue = async (ipAllowlist?: string[]): Promise<Record<string, string>> => {
      const input = { name: 'Proxied', partnerId: partner.id, userId: user.id, scopes: ['mcp'] };
      const { token } = await operate('keys.issue', ipAllowlist ? { ...input, ipAllowlist } : input);
      return { authorization: `Bearer ${noteSecret(token)}` };
    };
    const key = await issue();
    const funds = { userId: user.id, network: 'polygon', currency: 'USDT', amount: '100' };
    await operate('ledger.fund', funds);

    const to = '0x7777c0ffeec0ffeec0ffeec0ffeec0ffee777777';
    const pay = (externalId: string) =>
      send('POST', `/api/crypto/${user.id}/withdraw`, {
        headers: { ...key, ...json, 'idempotency-key': externalId },
        body: JSON.stringify({ amount: '1.5', to, externalId }),
      });
    const list = async (externalId: string) => {
      const { body } = await send('GET', `/api/crypto/${user.id}/withdraws?externalId=${externalId}`, {
        headers: key,
      });
      return body.data.withdraws as { status: string; toAddress: string }[];
    };

    await t.test('200 a withdrawal is created once and listed', async () => {
      assert.deepEqual([(await pay('proxied-1')).status, (await pay('proxied-1')).status], [200, 200]);
      const [entry, ...others] = await list('proxied-1');
      assert.equal(entry!.toAddress.toLowerCase(), to);
      assert.deepEqual(others, []);
    });

    await t.test('200 history, a streamed statement and a tool', async () => {
      const history = await send('GET', '/api/history?resource=account&feature=account', { headers: key });
      assert.equal(history.body.nodes[0].amount, '100');
      const statement = await send('GET', '/api/history/statement?format=csv', { headers: key });
      assert.equal(statement.status, 200);
      assert.equal(statement.headers['transfer-encoding'], 'chunked');
      assert.equal(statement.text.trim().split('\n').length, 2);
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getAccountBalance' } };
      const called = await send('POST', '/mcp', {
        headers: { ...key, ...json },
        body: JSON.stringify(message),
      });
      assert.equal(called.status, 200);
      assert.match(called.body.result.content[0].text, /"currency":"USD"/);
    });

    await t.test('200 a user decides on the pages of Connect, and the app reads', async () => {
      const { token } = await operate('integrations.register', {
        name: 'My App',
        logoColor: '#3b5bdb',
        purposes: ['Open an account'],
        scopes: ['profile'],
        redirectUris: ['https://app.example.com/back'],
      });
      const app = { 'x-api-key': noteSecret(token) };
      const asked = await send('POST', '/api/v1/consent/requests', {
        headers: { ...app, ...json },
        body: JSON.stringify({
          scopes: ['profile'],
          purpose: 'Open an account',
          duration: { type: 'days', days: 30 },
          redirect_uri: 'https://app.example.com/back',
          state: 'order-7',
        }),
      });
      const page = new URL(asked.body.link);
      assert.equal(page.origin, origin);
      const { url } = await operate('users.sign-in-link', { userId: user.id, returnTo: page.pathname });
      const signedIn = await send('GET', new URL(url).pathname);
      assert.equal(signedIn.status, 303);
      const cookie = signedIn.headers['set-cookie']![0]!.split(';')[0]!;
      const opened = await send('GET', page.pathname, { headers: { cookie } });
      assert.equal(opened.status, 200);
      const decided = await send('POST', page.pathname, {
        headers: {
          cookie,
          origin,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: encodeForm({ csrf: csrfIn(opened.text), decision: 'grant', scopes: ['profile'] }),
      });
      assert.equal(decided.status, 303, decided.text);
      const consentId = new URL(decided.headers.location!).searchParams.get('consent_id');
      const read = await send('GET', `/api/v1/consent/${consentId}/user`, { headers: app });
      assert.equal(read.body.user.profile.name, 'Nina Proxy');
      const hidden = ['/developers/applications/', '/people/invitation/', '/people/openid/invitation/'];
      const links = hidden.map((where) => `${where}${noteSecret(randomBytes(32).toString('base64url'))}`);
      for (const where of links) await send('GET', where);
      const log = readLogs();
      for (const where of links) assert.ok(!log.includes(where), where);
      assert.match(log, /GET \/developers\/\.\.\. \d/);
      for (const secret of [page.pathname, new URL(url).pathname]) assert.ok(!log.includes(secret));
    });

    await t.test(
      '403 the address of a caller is that of the connection, whatever a header says',
      async () => {
        const forwarded = { 'x-forwarded-for': '203.0.113.9' };
        const balance = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
        const callWith = async (headers: Record<string, string>) =>
          (await send('POST', '/mcp', { headers: { ...headers, ...json }, body: JSON.stringify(balance) }))
            .status;
        assert.equal(await callWith({ ...(await issue(['127.0.0.1'])), ...forwarded }), 200);
        assert.equal(await callWith({ ...(await issue(['203.0.113.9'])), ...forwarded }), 403);
      },
    );

    await t.test('401, 404, 405, 413 are Causeway’s own answers; /metrics is not public', async () => {
      assert.equal((await send('GET', `/api/crypto/${user.id}/withdraws`)).body.error, 'Unauthorized');
      const wrong = await send('DELETE', '/api/history');
      assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'GET, HEAD']);
      assert.equal((await send('GET', '/metrics')).status, 404);
      assert.equal((await send('GET', '/guides')).status, 200);
      const large = await send('POST', `/api/crypto/${user.id}/withdraw`, {
        headers: { ...key, ...json },
        body: JSON.stringify({ amount: '1', to, externalId: 'x'.repeat(20_000) }),
      });
      assert.equal(large.status, 413);
      assert.ok(large.body.error);
    });

    await t.test('308 plain HTTP leads to HTTPS', async () => {
      const answer = await fetch(`http://127.0.0.1:${http}/docs?a=b`, { redirect: 'manual' });
      assert.equal(answer.status, 308);
      assert.match(answer.headers.get('location')!, /^https:\/\/[^/]+\/docs\?a=b$/);
    });

    await t.test(
      '200 one process is killed: each call is still answered, and each payment made once',
      async () => {
        processes[0]!.kill('SIGKILL');
        await once(processes[0]!, 'exit');
        const names = Array.from({ length: 12 }, (_, at) => `killed-${at}`);
        for (const name of names) {
          assert.equal((await pay(name)).status, 200, name);
          assert.equal((await list(name)).length, 1, name);
        }
      },
    );

    await t.test('the log has paths, and no query, key or address of a page', () => {
      const log = readLogs();
      assert.match(log, /POST \/api\/crypto\/[0-9a-f-]+\/withdraw 200/);
      assert.doesNotMatch(log, /[?]|cwk_|cwi_|cwo_|externalId|Bearer/);
    });
  },
);
