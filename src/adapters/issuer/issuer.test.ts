import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import {
  type Asked,
  at,
  card,
  eventOf,
  events,
  failure,
  faultOf,
  type Handler,
  json,
  movement,
  privateKey,
  publicKey,
  secrets,
  sessionId,
  token,
  transaction,
  useIssuerStub,
  user,
} from '#test/outside/issuer-stub';
import { createHttpIssuer, type Issuer } from './index.ts';
import { statusOfReason } from './protocol.ts';

let answer: Handler;
const { asked, url, issuer, operations, everyOperation } = await useIssuerStub(() => answer);

for (const [name, { call, sent, good }] of everyOperation) {
  test(`${name}: what is sent, and what a good answer becomes`, async () => {
    answer = json(good);
    const value = await call();
    assert.equal(asked.length, 1);
    const [{ method, url, headers, body }] = asked as [Asked];
    assert.deepEqual([method, url, body === '' ? undefined : JSON.parse(body)], sent);
    assert.equal(headers.authorization, `Bearer ${token}`);
    assert.equal(headers['content-type'], body === '' ? undefined : 'application/json');
    const key = headers['idempotency-key'];
    if (method === 'GET' || name === 'reveal') assert.equal(key, undefined);
    else assert.match(String(key), /^k-\d$|^deposit-[\w-]{43}$|^[0-9a-f-]{36}$/);
    const told = events.map((event) => ({ ...event, sequence: BigInt(event.sequence) }));
    const expected: Partial<Record<string, unknown>> = {
      createCards: [card],
      readRevealKey: publicKey,
      announceDeposit: undefined,
      readEvents: told,
      simulate: told,
    };
    assert.deepEqual(value, name in expected ? expected[name] : good);
  });
}

for (const [what, reason, status, fault] of [
  ['invalid-request', 'invalid-request', 400, 'refused'],
  ['unauthorized', 'unauthorized', 401, 'unavailable'],
  ['not-found', 'not-found', 404, 'not-found'],
  ['unknown-path', 'unknown-path', 404, 'unavailable'],
  ['refused', 'refused', 409, 'refused'],
  ['session-used', 'session-used', 410, 'session-used'],
  ['session-invalid', 'session-invalid', 422, 'session-invalid'],
  ['key-reused', 'key-reused', 422, 'key-reused'],
  ['unsupported', 'unsupported', 501, 'unsupported'],
  ['a reason that nobody knows', 'tired', 409, 'unavailable'],
  ['a reason with the status of another', 'not-found', 409, 'unavailable'],
  ['a status that nobody knows', 'refused', 418, 'unavailable'],
] as const) {
  test(`${fault}: the issuer answers ${what}, once`, async () => {
    for (const [name, { call }] of everyOperation) {
      answer = failure(reason, status, 'CANARY');
      asked.length = 0;
      if (name === 'readCard' && fault === 'not-found') assert.equal(await call(), undefined);
      else {
        // A plain sentence of a refusal is passed on, and so this one is made not to be plain.
        answer = failure(reason, status, `CANARY ${sessionId}`);
        assert.equal((await faultOf(call())).reason, fault, name);
      }
      assert.equal(asked.length, 1, name);
    }
  });
}

test('every reason of the protocol is in the table above or may be tried again', () => {
  assert.deepEqual(Object.keys(statusOfReason).length, 10);
  assert.equal(statusOfReason.unavailable, 503);
});

test('refused: a plain sentence is passed on, and nothing that could be a secret', async () => {
  const messageFor = async (message: string) => {
    answer = failure('refused', 409, message);
    return (await faultOf(operations.updateCard.call())).message;
  };
  for (const plain of [
    'A canceled card does not change.',
    'At most 13 digits, not 100,000.00 in 24 hours.',
  ]) {
    assert.equal(await messageFor(plain), plain);
  }
  for (const hidden of [
    '',
    'x'.repeat(201),
    'line\nbreak',
    '\u202eturned',
    '<b>bold</b>',
    'The card 4111111111111111 is canceled.',
    'The card 4111 1111 1111 1111 is canceled.',
    'The card 4111-1111-1111-1111 is canceled.',
    'The card 4111.1111.1111.1111 is canceled.',
    'The card 4111 - 1111 - 1111 - 1111 is canceled.',
    'The card 4 1 1 1 1 1 1 1 1 is canceled.',
    'The card (4111), (1111), (1111) is canceled.',
    `The session ${sessionId.slice(0, 24)} is used.`,
  ]) {
    assert.equal(await messageFor(hidden), 'The issuer refused it.', hidden);
  }
});

test('a refused reveal has our own message, whatever the issuer sends', async () => {
  for (const [reason, status, message] of [
    ['refused', 409, 'The issuer does not reveal this card.'],
    ['invalid-request', 400, 'The issuer does not reveal this card.'],
    ['session-invalid', 422, 'The session id cannot be used.'],
    ['session-used', 410, 'The session id was used before.'],
    ['not-found', 404, 'The issuer does not know it.'],
  ] as const) {
    answer = failure(reason, status, 'CANARY of a plain sentence.');
    assert.equal((await faultOf(operations.reveal.call())).message, message);
  }
});

test('not there: a 404 of something between us and the issuer does not pass for a card that is not there', async () => {
  for (const handler of [
    json({ message: 'CANARY' }, 404),
    json({ error: 'not-found' }, 404),
    ((_request, response) => response.writeHead(404).end('<h1>CANARY</h1>')) as Handler,
    ((_request, response) => response.writeHead(404).end()) as Handler,
  ]) {
    answer = handler;
    assert.equal((await faultOf(operations.readCard.call())).reason, 'unavailable');
  }
});

const broken: [string, Handler][] = [
  ['not JSON', (_request, response) => response.end('CANARY')],
  ['nothing', (_request, response) => response.end()],
  ['null', json(null)],
  ['an array', json([card])],
  ['an error with status 200', failure('refused', 200)],
  ['the same field twice', (_request, response) => response.end('{"id":"CANARY","id":"card_1"}')],
  ['half a character', (_request, response) => response.end(Buffer.from([0x7b, 0xff]))],
  ['half of an object', (_request, response) => response.end('{"id":"CANARY"')],
];
for (const [what, handler] of broken) {
  test(`unavailable: the issuer answers ${what}, and is asked once`, async () => {
    for (const [name, { call }] of everyOperation) {
      // What is no answer to anything else tells a deposit that it was taken.
      if (name === 'announceDeposit' && what.startsWith('an error')) continue;
      answer = handler;
      asked.length = 0;
      assert.equal((await faultOf(call())).reason, 'unavailable', name);
      assert.equal(asked.length, 1, name);
    }
  });
}

const spoilt: [keyof Issuer, string, unknown][] = [
  ['createUser', 'another reference', { ...user, reference: 'user-2' }],
  ['createUser', 'no address', { ...user, collateralAddress: undefined }],
  ['createUser', 'an id with a slash', { ...user, id: 'ciu/1' }],
  ['createUser', 'an id of 101 characters', { ...user, id: 'c'.repeat(101) }],
  ['createUser', 'an id of two points', { ...user, id: '..' }],
  ['createCards', 'no card', { cards: [] }],
  ['createCards', 'two cards', { cards: [card, { ...card, id: 'card_2' }] }],
  ['createCards', 'a card of another account', { cards: [{ ...card, cardIssuerUserId: 'ciu_2' }] }],
  ['createCards', 'a card', card],
  ['updateCard', 'another card', { ...card, id: 'card_2' }],
  ['readCard', 'another card', { ...card, id: 'card_2' }],
  ['readCard', 'an unknown state', { ...card, status: 'frozen' }],
  ['readCard', 'an unknown interval', { ...card, spendingInterval: 'hourly' }],
  ['readCard', 'a limit as a number', { ...card, spendingLimit: 500 }],
  ['readCard', 'a limit with one decimal', { ...card, spendingLimit: '500.0' }],
  ['readCard', 'a limit below zero', { ...card, spendingLimit: '-1.00' }],
  ['readCard', 'a limit beyond all money', { ...card, spendingLimit: `${'9'.repeat(14)}.00` }],
  ['readCard', 'version 0', { ...card, version: 0 }],
  ['readCard', 'version 1.5', { ...card, version: 1.5 }],
  ['readCard', 'version 2³¹', { ...card, version: 2 ** 31 }],
  ['readCard', 'the whole number', { ...card, lastFourDigits: '4111111111111111' }],
  ['readCard', 'a day that does not exist', { ...card, updatedAt: '2026-02-30T12:00:00.000Z' }],
  ['readCard', 'an instant with an offset', { ...card, updatedAt: '2026-11-15T12:00:00.000+00:00' }],
  ['readCard', 'a name of 501 characters', { ...card, name: 'n'.repeat(501) }],
  ['readCard', 'a name with U+0000', { ...card, name: '\0' }],
  ['readCard', 'half of a surrogate pair', { ...card, name: '\ud800' }],
  ['readEvents', 'no list', { events: {} }],
  ['readEvents', 'more than was asked for', { events: [...events, eventOf(12, 'card.changed', card)] }],
  ['readEvents', 'an event of before', { events: [eventOf(7, 'card.changed', card)] }],
  ['readEvents', 'an event twice', { events: [events[0], events[0]] }],
  ['readEvents', 'events in disorder', { events: [events[1], events[0]] }],
  ['simulate', 'one bad event among good ones', { events: [events[0], eventOf(9, 'card.changed', user)] }],
  ['simulate', 'an event of an unknown type', { events: [eventOf(8, 'dispute.opened', card)] }],
  ['readEvents', 'a sequence as a number', { events: [{ ...events[0], sequence: 8 }] }],
  ['readEvents', 'a sequence beyond 63 bits', { events: [{ ...events[0], sequence: '9'.repeat(19) }] }],
  ...(
    [
      ['of nothing', { amount: '0.00' }],
      ['below zero', { amount: '-12.30' }],
      ['in another currency', { currency: 'EUR' }],
      ['in an unknown state', { status: 'frozen' }],
      ['in an unknown local currency', { localCurrency: 'reais' }],
    ] as const
  ).map(([what, change]): [keyof Issuer, string, unknown] => [
    'simulate',
    `a transaction ${what}`,
    { events: [eventOf(8, 'transaction.changed', { ...transaction, ...change })] },
  ]),
  ...(
    [
      ['of nothing', { amount: '0.00', runningBalance: '100.00' }],
      ['whose balances do not fit', { runningBalance: '87.71' }],
      ['to the wrong side', { type: 'credit' }],
      ['with a balance of minus nothing', { previousBalance: '12.30', runningBalance: '-0.00' }],
      ['that is not there yet', { status: 'pending' }],
    ] as const
  ).map(([what, change]): [keyof Issuer, string, unknown] => [
    'simulate',
    `a movement ${what}`,
    { events: [eventOf(8, 'movement.posted', { ...movement, ...change })] },
  ]),
  ['readRevealKey', 'no PEM', { publicKey: 'CANARY' }],
  ['readRevealKey', 'a private key', { publicKey: privateKey }],
  ['readRevealKey', 'a key of 1024 bits', { publicKey: shortKey() }],
  ['readRevealKey', 'a key of an elliptic curve', { publicKey: curveKey() }],
  ['reveal', 'a number that is not encrypted', { ...secrets, encryptedPan: '4111111111111111' }],
  ['reveal', 'a code that is not encrypted', { ...secrets, encryptedCvc: '123' }],
  ['reveal', 'no base64', { ...secrets, encryptedPan: `${'*'.repeat(60)}` }],
  ['reveal', 'one of two', { encryptedPan: secrets.encryptedPan }],
];
for (const [name, what, value] of spoilt) {
  test(`unavailable: ${name} is answered with ${what}`, async () => {
    answer = json(value);
    const fault = await faultOf(operations[name].call(), '4111111111111111', 'PRIVATE');
    assert.equal(fault.reason, 'unavailable');
    assert.equal(asked.length, 1);
  });
}

function shortKey(): string {
  return generateKeyPairSync('rsa', {
    modulusLength: 1_024,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).publicKey;
}

function curveKey(): string {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).publicKey;
}

test('what the protocol does not have goes no further, whatever an issuer tells', async () => {
  answer = json({ ...card, pan: '4111111111111111', cvc: '123', owner: { taxId: '1' } });
  assert.deepEqual(await issuer.readCard('card_1'), card);
  answer = json({
    events: [{ ...eventOf(8, 'card.changed', { ...card, pan: '4111111111111111' }), pan: '4' }],
  });
  const [event] = await issuer.readEvents({ after: 7n, limit: 1 });
  assert.deepEqual(event, { ...eventOf(8, 'card.changed', card), sequence: 8n });
  answer = json({ ...secrets, pan: '4111111111111111' });
  assert.deepEqual(await operations.reveal.call(), secrets);
});

test('an overdrawn account and a gap in the events are passed on as they are', async () => {
  const overdrawn = { ...movement, previousBalance: '2.30', runningBalance: '-10.00' };
  answer = json({ events: [eventOf(9, 'movement.posted', overdrawn)] });
  const [event] = await issuer.readEvents({ after: 7n, limit: 1 });
  assert.deepEqual([event?.sequence, event?.data], [9n, overdrawn]);
});

/** Entries of the feed that cannot be applied; only their sequence is reported. */
const unread: [string, 'foreign' | 'unreadable', object][] = [
  ['data of another thing', 'unreadable', eventOf(9, 'card.changed', user)],
  ['data with an unknown state', 'unreadable', eventOf(9, 'card.changed', { ...card, status: 'CANARY' })],
  [
    'balances that do not fit',
    'unreadable',
    eventOf(9, 'movement.posted', { ...movement, runningBalance: '87.71' }),
  ],
  ['no data', 'unreadable', eventOf(9, 'user.created', undefined)],
  ['an id with a slash', 'unreadable', { ...eventOf(9, 'card.changed', card), id: 'evt/9' }],
  ['no type', 'unreadable', { ...eventOf(9, 'card.changed', card), type: undefined }],
  ['a new type about a card', 'unreadable', eventOf(9, 'card.replaced', card)],
  ['a new type about a movement', 'unreadable', eventOf(9, 'movement.reversed', movement)],
  ['a type that is misspelt', 'unreadable', eventOf(9, 'Movement.posted', movement)],
  ['a type of several', 'unreadable', eventOf(9, 'movements.posted', movement)],
  ['a type with a blank', 'unreadable', eventOf(9, ' movement.posted', movement)],
  ['a new type about a new thing', 'foreign', eventOf(9, 'dispute.opened', { pan: 'CANARY' })],
];
for (const [what, type, event] of unread) {
  test(`${type}: an event of the feed with ${what} hides none beside it`, async () => {
    answer = json({ events: [events[0], event, events[2]] });
    const told = await issuer.readEvents({ after: 7n, limit: 4 });
    const placed = { sequence: 9n, createdAt: at, type, data: null };
    assert.deepEqual(told, [{ ...events[0], sequence: 8n }, placed, { ...events[2], sequence: 10n }]);
  });
}

for (const [what, unfit] of [
  ['U+0000', '\\u0000'],
  ['half of a pair', '\\ud83c'],
  ['the other half of a pair', '\\uDF75'],
] as const) {
  test(`unreadable: an event of the feed with ${what} in a text hides none beside it`, async () => {
    const named = (merchantName: string) =>
      eventOf(9, 'transaction.changed', { ...transaction, merchantName });
    const good = eventOf(8, 'card.changed', { ...card, name: 'A \\u0000 \\" and PAIR' });
    const text = JSON.stringify({ events: [good, named(`CANARY UNFIT`), events[2]] });
    const sent = text.replace('PAIR', '\\ud83c\\udf75').replace('UNFIT', unfit);
    answer = (_request, response) => response.end(sent);
    const told = await issuer.readEvents({ after: 7n, limit: 4 });
    assert.deepEqual(told, [
      { ...good, sequence: 8n, data: { ...card, name: 'A \\u0000 \\" and 🍵' } },
      { sequence: 9n, createdAt: at, type: 'unreadable', data: null },
      { ...events[2], sequence: 10n },
    ]);
    answer = (_request, response) => response.end(sent.replace('"id"', '"type":"CANARY","id"'));
    assert.equal(
      (await faultOf(operations.readEvents.call())).reason,
      'unavailable',
      'nothing else is forgiven',
    );
  });
}

test('an unreadable event without an instant is dated 1970, older than any other', async () => {
  answer = json({ events: [{ ...eventOf(8, 'card.changed', card), createdAt: '2026-11-15' }] });
  const [event] = await issuer.readEvents({ after: 7n, limit: 1 });
  assert.deepEqual(event, {
    sequence: 8n,
    createdAt: '1970-01-01T00:00:00.000Z',
    type: 'unreadable',
    data: null,
  });
});

test('a malformed id is not sent: it could be another path', async () => {
  answer = json(card);
  for (const id of [
    '',
    '.',
    '..',
    '../../features/users',
    'a/b',
    'a?b',
    'a#b',
    'a%2fb',
    'ä',
    'a b',
    'c'.repeat(101),
  ]) {
    assert.equal(await issuer.readCard(id), undefined, id);
    const update = issuer.updateCard({ cardId: id, status: 'active', idempotencyKey: 'k' });
    assert.equal((await faultOf(update)).reason, 'not-found', id);
    const reveal = issuer.reveal({ cardId: id, cardIssuerUserId: 'ciu_1', sessionId });
    assert.equal((await faultOf(reveal)).reason, 'not-found', id);
  }
  assert.equal(asked.length, 0);
});

test('refused: an idempotency key that no header can hold', async () => {
  for (const idempotencyKey of ['', 'a b', 'ключ', 'a\nb', 'k'.repeat(256)]) {
    const fault = await faultOf(issuer.createUser({ reference: 'user-1', idempotencyKey }));
    assert.equal(fault.reason, 'refused');
  }
  assert.equal(asked.length, 0);
});

test('an address or a token that cannot work is refused at once, and not repeated in the error', () => {
  for (const bad of [
    '',
    'issuer',
    'ftp://issuer',
    'http://me:CANARY@issuer',
    'http://issuer?key=CANARY',
    'http://issuer#CANARY',
  ]) {
    assert.throws(
      () => createHttpIssuer({ url: bad, token }),
      (error: Error) => error instanceof TypeError && !error.message.includes('CANARY'),
    );
  }
  for (const bad of ['', 'CANARY\nCANARY', 'CANÁRY']) {
    assert.throws(
      () => createHttpIssuer({ url, token: bad }),
      (error: Error) => error instanceof TypeError && !error.message.includes('CAN'),
    );
  }
});
