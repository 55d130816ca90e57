import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, isIP } from 'node:net';
import { after, before, beforeEach, type TestContext, test } from 'node:test';
import { startNameServer } from '#test/outside/name-server';
import { createOutgoing, OutgoingFault, type OutgoingPolicy, OutgoingRefusal } from './index.ts';
import { nameResolver } from './resolve-name.ts';

/** Forbidden hosts as somebody may write them. Those that reach this machine if nothing refuses them: */
const reaching = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.0.0.1.', '127.255.255.254', '2130706433', '0x7f000001'],
  ...['0x7f.0x0.0x0.0x1', '0x7F.1', '0177.0.0.1', '0177.0.0.01', '017700000001', '%31%32%37.0.0.1'],
  ...['１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1', '0.0.0.0', '0', '0x0', '[::1]', '[0:0:0:0:0:0:0:1]'],
];
const elsewhere = [
  ...['0.0.0.1', '10.0.0.1', '10.255.255.255', '012.0.0.1', '167772161', '172.16.0.1', '172.31.255.255'],
  ...['192.168.0.1', '192.168.257', '3232235777', '169.254.169.254', '0xa9fea9fe', '2852039166'],
  ...['0251.0376.0251.0376', '169.254.170.2', '100.64.0.1', '100.100.100.200', '168.63.129.16'],
  ...['192.0.0.192', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
  ...['[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:169.254.169.254]'],
  ...['[::127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]'],
  ...['[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001:0:7f00:1::1]', '[2001:2::1]', '[2001:10::1]'],
  ...['[2001:20::1]', '[2001:db8::1]', '[3fff::1]', '[fc00::1]', '[fd00:ec2::254]', '[fd20:ce::254]'],
  ...['[fe80::1]', '[febf::1]', '[fec0::1]', '[ff02::1]', '[100::1]', '[5f00::1]', '[4000::1]'],
  ...['localhost', 'LOCALHOST', 'loc%61lhost', 'localhost.', 'app.localhost', 'printer.local', 'intranet'],
  ...['metadata.google.internal', '127.0.0.1.localhost'],
];
const spellings = [...reaching, ...elsewhere];

/** Counts every call of connect(2) of this process, wherever it leads. */
let connects = 0;
const hook = createHook({
  init: (_id, type) => {
    if (type === 'TCPCONNECTWRAP') connects++;
  },
});

/** Local addresses at which connections arrived, on one port of every address of this machine. */
const arrivals: string[] = [];
const listener = createServer((socket) => {
  arrivals.push(socket.localAddress!.replace('::ffff:', ''));
  socket.destroy();
});
let port: number;
const names = await startNameServer();

before(async () => {
  listener.listen(0);
  await once(listener, 'listening');
  port = (listener.address() as AddressInfo).port;
  hook.enable();
});
after(() => {
  hook.disable();
  listener.close();
});
beforeEach(() => {
  arrivals.length = 0;
  names.queries.length = 0;
  connects = 0;
});

const post = { headers: {}, body: '{}', timeoutMs: 60_000, answerBytesMax: 1_000 };
const guard = (policy: Partial<OutgoingPolicy> = {}) =>
  createOutgoing(
    { allowsLoopbackHttp: false, ports: [port], allowedBlocks: [], ...policy },
    nameResolver([names.address]),
  );

/** What a name server can answer for a spelling: of IPv6 an IPv4 address of this machine, of names both. */
function recordsOf(spelling: string): { A: string; AAAA: string } {
  const host = new URL(`https://${spelling}`).hostname;
  if (isIP(host) === 4) return { A: host, AAAA: `::ffff:${host}` };
  return { A: '127.0.0.1', AAAA: host.startsWith('[') ? host.slice(1, -1) : '::1' };
}

const refusals: Record<string, (spelling: string) => Promise<unknown>> = {
  'as a literal': (spelling) => guard().post(`https://${spelling}:${port}/`, post),
  'in an A record': (spelling) => {
    names.answer = () => [recordsOf(spelling).A];
    return guard().post(`https://hooks.example.com:${port}/`, post);
  },
  'in an AAAA record': (spelling) => {
    names.answer = () => [recordsOf(spelling).AAAA];
    return guard().post(`https://hooks.example.com:${port}/`, post);
  },
  'in an AAAA record beside an allowed A record': (spelling) => {
    names.answer = () => ['127.0.0.2', recordsOf(spelling).AAAA];
    return guard({ allowedBlocks: ['127.0.0.2'] }).post(`https://hooks.example.com:${port}/`, post);
  },
};

for (const [way, call] of Object.entries(refusals)) {
  test(`refused: ${spellings.length} spellings of forbidden hosts ${way}; nothing is connected to`, async () => {
    for (const spelling of spellings) {
      const { message } = await call(spelling).then(
        () => assert.fail(`${spelling} was connected to`),
        (error) => (error instanceof OutgoingRefusal ? error : assert.fail(`${spelling}: ${error}`)),
      );
      assert.doesNotMatch(message, /\d+\.\d+\.\d+\.\d+|::/, 'no address in the message');
    }
    assert.deepEqual({ connects, arrivals }, { connects: 0, arrivals: [] });
  });
}

test('one resolution, one address: a name that changes its address later reaches the first one only', async () => {
  assert.ok(spellings.length >= 60);
  for (const [at, spelling] of spellings.entries()) {
    const { A, AAAA } = recordsOf(spelling);
    const [name, second] = [`r${at}.example.com`, at % 2 === 0 ? A : AAAA];
    names.answer = () => (names.queries.length > 2 ? [second] : ['127.0.0.2']);
    names.queries.length = arrivals.length = connects = 0;
    const outgoing = guard({ allowedBlocks: ['127.0.0.2'] });
    const call = () => outgoing.post(`https://${name}:${port}/`, post);
    await assert.rejects(call(), OutgoingFault, spelling);
    assert.deepEqual(names.queries.toSorted(), [`A ${name}`, `AAAA ${name}`]);
    assert.deepEqual({ connects, arrivals }, { connects: 1, arrivals: ['127.0.0.2'] });
    await assert.rejects(call(), OutgoingRefusal, spelling);
    assert.deepEqual({ connects, arrivals }, { connects: 1, arrivals: ['127.0.0.2'] });
  }
});

/** A receiver on loopback; what it answers is the test's. */
async function receive(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createHttpServer(answer).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('3xx is returned and not followed, wherever it leads', async (t) => {
  let location = '';
  let status = 0;
  const url = await receive(t, (_request, response) => response.writeHead(status, { location }).end());
  const outgoing = guard({ allowsLoopbackHttp: true, allowedBlocks: ['127.0.0.0/8', '::1'] });
  for (const spelling of spellings) {
    for (status of [301, 302, 303, 307, 308]) {
      for (const scheme of ['http', 'https']) {
        location = `${scheme}://${encodeURI(spelling).replaceAll('%25', '%')}:${port}/`;
        const answer = await outgoing.post(url, post);
        assert.deepEqual([answer.status, answer.headers.location], [status, location]);
      }
    }
  }
  assert.deepEqual({ connects, arrivals }, { connects: 1, arrivals: [] });
  // The control: a client that follows redirects does arrive.
  location = `http://127.0.0.1:${port}/`;
  await assert.rejects(fetch(url, { redirect: 'follow' }));
  assert.equal(arrivals.length, 1);
});

test('the control: without the rules, every spelling of this machine does reach the socket', async () => {
  const lifted = guard({ allowedBlocks: ['127.0.0.0/8', '0.0.0.0', '::1'] });
  for (const spelling of reaching) {
    const { A, AAAA } = recordsOf(spelling);
    names.answer = () => [spelling.startsWith('[') ? AAAA : A];
    for (const host of [spelling, 'hooks.example.com']) {
      await assert.rejects(lifted.post(`https://${host}:${port}/`, post), OutgoingFault, spelling);
    }
  }
  assert.equal(arrivals.length, 2 * reaching.length);
  assert.equal(connects, 2 * reaching.length);
});
