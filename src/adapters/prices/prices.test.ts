import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createPrices, noPrices, PriceFault, parsePrice } from './index.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
let answer: Handler;
let asked = 0;
let server: Server;
let url: string;
const secret = 'told-to-nobody';
const folder = mkdtempSync(path.join(tmpdir(), `causeway prices ${secret} `));

before(async () => {
  server = createServer((request, response) => {
    asked++;
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/usd?key=${secret}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const say =
  (text: string | Uint8Array, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  };
const json = (value: unknown, status = 200) => say(JSON.stringify(value), status);

function fileWith(text: string | Uint8Array): string {
  const file = path.join(folder, 'prices #1.json');
  writeFileSync(file, text);
  return pathToFileURL(file).href;
}

const ether = 10n ** 18n;
const document = { asOf: '2026-01-31T12:00:00+01:00', prices: { USDT: '0.9998', 'BRK.B': '481.05' } };
const list = {
  asOf: new Date('2026-01-31T11:00:00Z'),
  prices: new Map([
    ['USDT', 999_800_000_000_000_000n],
    ['BRK.B', 481_050_000_000_000_000_000n],
  ]),
  refused: [],
};

test('without an address there is no source, and nobody is asked', async () => {
  for (const none of [undefined, '']) {
    assert.equal(createPrices(none), noPrices);
    await assert.rejects(createPrices(none).read(), PriceFault);
  }
  assert.equal(asked, 0);
});

test('a document is read by GET, and from a file whose name has spaces and signs', async () => {
  let seen: unknown;
  answer = (request, response) => {
    seen = [request.method, request.url];
    json(document)(request, response);
  };
  assert.deepEqual(await createPrices(url).read(), list);
  assert.deepEqual(seen, ['GET', `/usd?key=${secret}`]);
  assert.deepEqual(await createPrices(fileWith(JSON.stringify(document))).read(), list);
});

test('a file is read again each time', async () => {
  const prices = createPrices(fileWith('{"prices":{"ETH":"1"}}'));
  assert.equal((await prices.read()).prices.get('ETH'), ether);
  fileWith('{"prices":{"ETH":"2"}}');
  assert.equal((await prices.read()).prices.get('ETH'), 2n * ether);
});

test('what is in no list of ours beside the prices is passed over, and a source may say nothing of its age', async () => {
  answer = json({ prices: {}, asOf: null, base: 'USD' });
  assert.deepEqual(await createPrices(url).read(), { asOf: undefined, prices: new Map(), refused: [] });
});

test('an invalid price or name is left out and listed; the others are kept', async () => {
  answer = json({
    prices: {
      USDC: '1',
      usdc: '1',
      '': '1',
      'A B': '1',
      '-A': '1',
      [`A${'B'.repeat(20)}`]: '1',
      ＵＳＤ: '1',
      A: 1,
      B: 1.5,
      C: '0',
      D: '0.000',
      E: '-1',
      F: '1e3',
      G: '01',
      H: '1,5',
      I: '',
      J: null,
      K: ['1'],
      L: `0.${'0'.repeat(18)}1`,
      M: '1'.repeat(19),
      N: ' 1',
      O: '+1',
      P: 'NaN',
      Q: '.5',
      R: '5.',
      'X\u202eY': '1',
      EURC: `0.${'0'.repeat(17)}1`,
      MAX: '9'.repeat(18),
    },
  });
  const { prices, refused } = await createPrices(url).read();
  assert.deepEqual(
    [...prices],
    [
      ['USDC', ether],
      ['EURC', 1n],
      ['MAX', (10n ** 18n - 1n) * ether],
    ],
  );
  assert.deepEqual(refused, [
    'usdc',
    '',
    'A B',
    '-A',
    `A${'B'.repeat(20)}`,
    'ＵＳＤ',
    ...'ABCDEFGHIJKLMNOPQR',
    'XY',
  ]);
});

const cases: [what: string, document: string | Uint8Array, message: RegExp][] = [
  ['nothing', '', /not valid JSON/],
  ['no JSON', '<html>', /not valid JSON/],
  ['half of it', '{"prices":{"A":"1"', /not valid JSON/],
  ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), /not valid UTF-8/],
  ['a token twice', '{"prices":{"A":"1","A":"2"}}', /the same key twice/],
  ['__proto__', '{"prices":{"__proto__":"1"}}', /__proto__/],
  ['null', 'null', /no object of prices/],
  ['an array', '[]', /no object of prices/],
  ['no prices', '{"USDT":"1"}', /no object of prices/],
  ['prices in an array', '{"prices":["1"]}', /no object of prices/],
  ['prices that are null', '{"prices":null}', /no object of prices/],
  ['a number for asOf', '{"asOf":1769857200,"prices":{}}', /asOf/],
  ['a day for asOf', '{"asOf":"2026-01-31","prices":{}}', /asOf/],
  ['a time of nowhere for asOf', '{"asOf":"2026-01-31T12:00:00","prices":{}}', /asOf/],
  ['30 February for asOf', '{"asOf":"2026-02-30T12:00:00Z","prices":{}}', /asOf/],
  ['an asOf before all time', '{"asOf":"0000-01-01T00:00:00Z","prices":{}}', /asOf/],
  [
    'more than 1,000 prices',
    JSON.stringify({ prices: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`T${n}`, '1'])) }),
    /more than 1000 prices/,
  ],
  ['more than 256 KB', `{"prices":{}}${' '.repeat(256 * 1024)}`, /more than 256 KB/],
];

const isFault = (message: RegExp) => (error: Error) => {
  assert.ok(error instanceof PriceFault, String(error));
  assert.match(error.message, message);
  assert.doesNotMatch(`${error.stack}`, new RegExp(`${secret}|127\\.0\\.0\\.1`));
  assert.equal(error.cause, undefined);
  return true;
};

for (const [what, text, message] of cases) {
  test(`no prices: the source has ${what}`, async () => {
    answer = say(text);
    await assert.rejects(createPrices(url).read(), isFault(message));
    await assert.rejects(createPrices(fileWith(text)).read(), isFault(message));
  });
}

for (const [what, handler, message] of [
  ['500', json(document, 500), /status 500/],
  ['201', json(document, 201), /status 201/],
  ['204', (_request, response) => response.writeHead(204).end(), /status 204/],
  [
    'a redirect, which would tell somebody else',
    (_request, response) => response.writeHead(302, { location: url }).end(),
    /status 302/,
  ],
  ['a broken connection', (request) => request.socket.destroy(), /cannot be read/],
  [
    'half an answer',
    (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"prices":');
      setTimeout(() => request.socket.destroy(), 20);
    },
    /cannot be read/,
  ],
  [
    'without end',
    (_request, response) => {
      response.writeHead(200);
      const more = () => {
        while (response.write(Buffer.alloc(16 * 1024, 0x20)));
        response.once('drain', more);
      };
      more();
    },
    /more than 256 KB/,
  ],
] as [string, Handler, RegExp][]) {
  test(`no prices: the source answers ${what}`, async () => {
    answer = handler;
    const askedBefore = asked;
    await assert.rejects(createPrices(url).read(), isFault(message));
    assert.equal(asked, askedBefore + 1, 'asked once');
  });
}

for (const [what, handler] of [
  ['says nothing', () => {}],
  [
    'never ends its answer',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const trickle = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(trickle));
    },
  ],
] as [string, Handler][]) {
  test(`no prices after five seconds: the source ${what}`, async () => {
    answer = handler;
    const startedAt = performance.now();
    await assert.rejects(createPrices(url).read(), isFault(/did not answer in time/));
    const ms = performance.now() - startedAt;
    assert.ok(ms > 4_900 && ms < 60_000, `${ms} ms`);
  });
}

test('no prices: nobody is at the address', async () => {
  const nobody = `http://127.0.0.1:1/?key=${secret}`;
  await assert.rejects(createPrices(nobody).read(), isFault(/cannot be read/));
});

test('no prices: there is no such file, it is a folder, or a pipe that nobody writes to', async () => {
  const absent = pathToFileURL(path.join(folder, 'absent')).href;
  await assert.rejects(createPrices(absent).read(), isFault(/cannot be read: ENOENT/));
  await assert.rejects(createPrices(pathToFileURL(folder).href).read(), isFault(/no ordinary file/));
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  await assert.rejects(createPrices(pathToFileURL(pipe).href).read(), isFault(/no ordinary file/));
});

test('a price is exact, or none', () => {
  assert.equal(parsePrice('1.083200000000000001'), 1_083_200_000_000_000_001n);
  assert.equal(parsePrice('1.0832000000000000010'), undefined);
  assert.equal(parsePrice(`${'9'.repeat(18)}.${'9'.repeat(18)}`), 10n ** 36n - 1n);
  assert.equal(parsePrice(`1${'0'.repeat(18)}`), undefined);
});
