import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { processFile } from '#test/bundle/process-file';
import { runCli } from '#test/callers/run-cli';
import { toolTest } from '#test/callers/tools';
import { makeCertificate } from '#test/outside/certificate';
import { startNameServer } from '#test/outside/name-server';
import { createOutgoing, OutgoingFault } from './index.ts';
import { nameResolver } from './resolve-name.ts';

const names = await startNameServer();
names.answer = () => ['127.0.0.1'];
const message = { headers: {}, body: '{}', timeoutMs: 60_000, answerBytesMax: 1_000 };

async function listen(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

interface Peer {
  port: number;
  /** File and text of its certificate. */
  file: string;
  certificate: string;
  connections: number;
  serverNames: unknown[];
}

async function startPeer(t: TestContext, options: ServerOptions = {}): Promise<Peer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-tls-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { key, certificate: file } = makeCertificate(folder, ['DNS:hooks.example.com', 'IP:127.0.0.1']);
  const certificate = readFileSync(file, 'utf8');
  const server = createServer({ key: readFileSync(key), cert: certificate, ...options });
  const peer: Peer = { port: 0, file, certificate, connections: 0, serverNames: [] };
  server.on('request', (_request, response) => response.end('ok'));
  server.on('connection', () => peer.connections++);
  server.on('secureConnection', (socket) => peer.serverNames.push(socket.servername));
  peer.port = await listen(t, server);
  return peer;
}

function trust(t: TestContext, { certificate }: Peer): void {
  const usual = getCACertificates('default');
  setDefaultCACertificates([...usual, certificate]);
  t.after(() => setDefaultCACertificates(usual));
}

const guard = ({ port }: Peer) =>
  createOutgoing(
    { allowsLoopbackHttp: false, ports: [port], allowedBlocks: ['127.0.0.1'] },
    nameResolver([names.address]),
  );

const tlsFault = (code: string) => (error: unknown) => {
  assert.ok(error instanceof OutgoingFault, String(error));
  assert.deepEqual([error.reason, error.message], ['tls', `No secure connection could be made (${code}).`]);
  return true;
};

toolTest(['openssl'], '200: a trusted certificate for the name, or for the address', {}, async (t) => {
  const peer = await startPeer(t);
  trust(t, peer);
  for (const host of ['hooks.example.com', '127.0.0.1']) {
    const { status } = await guard(peer).post(`https://${host}:${peer.port}/`, message);
    assert.equal(status, 200);
  }
  assert.deepEqual(peer.serverNames, ['hooks.example.com', false]);
});

toolTest(['openssl'], 'tls: a certificate for another name, whatever the Host header says', {}, async (t) => {
  const peer = await startPeer(t);
  trust(t, peer);
  const headers = { host: 'hooks.example.com' };
  const call = guard(peer).post(`https://other.example.com:${peer.port}/`, { ...message, headers });
  await assert.rejects(call, tlsFault('ERR_TLS_CERT_ALTNAME_INVALID'));
});

toolTest(['openssl'], 'tls: a certificate that nobody trusted has signed', {}, async (t) => {
  const peer = await startPeer(t);
  const call = guard(peer).post(`https://hooks.example.com:${peer.port}/`, message);
  await assert.rejects(call, tlsFault('DEPTH_ZERO_SELF_SIGNED_CERT'));
});

toolTest(['openssl'], 'tls: a peer that speaks only TLS 1.1', {}, async (t) => {
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
  const peer = await startPeer(t, old);
  trust(t, peer);
  const call = guard(peer).post(`https://hooks.example.com:${peer.port}/`, message);
  await assert.rejects(call, { name: 'OutgoingFault', reason: 'tls' });
});

toolTest(['openssl'], 'tls: a peer that speaks http', {}, async (t) => {
  const peer = await startPeer(t);
  peer.port = await listen(t, createHttpServer());
  const call = guard(peer).post(`https://hooks.example.com:${peer.port}/`, message);
  await assert.rejects(call, { name: 'OutgoingFault', reason: 'tls' });
});

toolTest(
  ['openssl'],
  'a kept connection is used for a minute, and its name resolved again then',
  {},
  async (t) => {
    const peer = await startPeer(t);
    trust(t, peer);
    const outgoing = guard(peer);
    const call = () => outgoing.post(`https://hooks.example.com:${peer.port}/`, message);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    names.queries.length = 0;
    for (let at = 0; at < 4; at++) {
      await call();
      t.mock.timers.tick(19_000);
    }
    assert.deepEqual([peer.connections, names.queries.length], [1, 2]);
    t.mock.timers.tick(4_000);
    await call();
    await call();
    assert.deepEqual([peer.connections, names.queries.length], [2, 4]);
  },
);

toolTest(['openssl'], 'variables for proxies and against verification change nothing', {}, async (t) => {
  const [trusted, stranger] = [await startPeer(t), await startPeer(t)];
  let proxied = 0;
  const proxy = createTcpServer((socket) => {
    proxied++;
    socket.destroy();
  });
  const proxyUrl = `http://127.0.0.1:${await listen(t, proxy)}`;
  const script = processFile('test/processes/post-outgoing.ts');
  const plainUrl = `http://127.0.0.1:${await listen(
    t,
    createHttpServer((_request, answer) => answer.end()),
  )}/`;
  const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  const env = {
    ...Object.fromEntries(variables.map((name) => [name, proxyUrl])),
    NODE_USE_ENV_PROXY: '1',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    NODE_EXTRA_CA_CERTS: trusted.file,
  };
  const outcomes: string[] = [];
  for (const [at, peer] of [trusted, stranger].entries()) {
    const urls = [`https://hooks.example.com:${peer.port}/`, plainUrl];
    const order = JSON.stringify({ nameServer: names.address, port: peer.port, urls, plainUrl });
    const { out, err } = await runCli([order], { cwd: tmpdir(), env, program: [process.execPath, script] });
    assert.notEqual(out, '', err);
    outcomes.push(...JSON.parse(out));
    // The control: Node's default agent does use the proxy.
    assert.equal(proxied, at + 1);
  }
  const refused = 'No secure connection could be made (DEPTH_ZERO_SELF_SIGNED_CERT).';
  assert.deepEqual(outcomes, ['200', '200', refused, '200']);
  assert.deepEqual([trusted.connections, stranger.connections], [1, 1]);
});
