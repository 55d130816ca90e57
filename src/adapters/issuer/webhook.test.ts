import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { isWebhookSecret } from '#platform/secrets/webhook-secret';
import { signWebhook, verifyWebhook } from './index.ts';

const now = new Date('2026-11-15T12:00:00.000Z');
const seconds = String(now.getTime() / 1_000);
const secret = `whsec_${randomBytes(32).toString('base64')}`;
const otherSecret = `whsec_${randomBytes(32).toString('base64')}`;

const told = {
  id: 'evt_1',
  sequence: '12',
  createdAt: '2026-11-15T11:59:59.000Z',
  type: 'user.created',
  data: {
    id: 'ciu_1',
    reference: 'somebody',
    collateralAddress: `0x${'Ab'.repeat(20)}`,
    createdAt: '2026-11-15T11:59:59.000Z',
  },
};
const bytes = (value: unknown = told) => Buffer.from(JSON.stringify(value));
const headersOf = (body: Buffer, { id = told.id, timestamp = seconds, by = secret } = {}) => ({
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': signWebhook(by, id, timestamp, body),
});
const body = bytes();
const headers = headersOf(body);

test('the signature is that of the example of Standard Webhooks', () => {
  const example = Buffer.from('{"test": 2432232314}');
  assert.equal(
    signWebhook(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '1614265330',
      example,
    ),
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('a signed event is read, its sequence as a number and its address in lower case', () => {
  const verdict = verifyWebhook(secret, headers, body, now);
  assert.deepEqual(verdict, {
    event: {
      ...told,
      sequence: 12n,
      data: { ...told.data, collateralAddress: `0x${'ab'.repeat(20)}` },
    },
  });
});

test('either side may change its secret: several secrets, several signatures', () => {
  const [old, young] = [headersOf(body, { by: otherSecret }), headers];
  const both = `${old['webhook-signature']} ${young['webhook-signature']}`;
  for (const [secrets, signature] of [
    [[otherSecret, secret], young['webhook-signature']],
    [[otherSecret, secret], old['webhook-signature']],
    [[secret], both],
    [[otherSecret], both],
    [[secret], `v1a,AAAA v2,BBBB ${both}`],
  ] as const) {
    const verdict = verifyWebhook(secrets, { ...headers, 'webhook-signature': signature }, body, now);
    assert.ok('event' in verdict, signature);
  }
});

test('a secret works with its prefix and without', () => {
  assert.ok('event' in verifyWebhook(secret.slice('whsec_'.length), headers, body, now));
});

const mac = headers['webhook-signature'].slice('v1,'.length);
const hexMac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
  .update(`${told.id}.${seconds}.`)
  .update(body)
  .digest('hex');

for (const [what, changes] of [
  [
    'a signature by another secret',
    { 'webhook-signature': headersOf(body, { by: otherSecret })['webhook-signature'] },
  ],
  ['another id than was signed', { 'webhook-id': 'evt_2' }],
  ['another time than was signed', { 'webhook-timestamp': String(Number(seconds) + 1) }],
  ['the same time with a zero before it', { 'webhook-timestamp': `0${seconds}` }],
  ['a signature without its version', { 'webhook-signature': mac }],
  ['a signature of another version', { 'webhook-signature': `v2,${mac}` }],
  ['half a signature', { 'webhook-signature': `v1,${mac.slice(0, 20)}` }],
  ['a signature and one character more', { 'webhook-signature': `v1,${mac}=` }],
  ['a signature in hexadecimal', { 'webhook-signature': `v1,${hexMac}` }],
  ['no signature', { 'webhook-signature': '' }],
  ['a version and nothing after it', { 'webhook-signature': 'v1,' }],
  ['signatures separated by commas', { 'webhook-signature': `v1,AAAA,v1,${mac}` }],
  ['the right one after ten wrong ones', { 'webhook-signature': `${'v1,AAAA '.repeat(10)}v1,${mac}` }],
] as const) {
  test(`forged: ${what}`, () => {
    assert.deepEqual(verifyWebhook(secret, { ...headers, ...changes }, body, now), { refused: 'forged' });
  });
}

test('forged: one byte of the body is another one, and the same event with its fields in another order', () => {
  for (let at = 0; at < body.length; at++) {
    const altered = Buffer.from(body);
    altered[at]! ^= 1;
    assert.deepEqual(verifyWebhook(secret, headers, altered, now), { refused: 'forged' });
  }
  const { id, ...rest } = told;
  assert.deepEqual(verifyWebhook(secret, headers, bytes({ ...rest, id }), now), { refused: 'forged' });
});

test('untimely: more than five minutes from now, to either side', () => {
  for (const [offset, isTimely] of [
    [-301, false],
    [-300, true],
    [0, true],
    [300, true],
    [301, false],
  ] as const) {
    const timestamp = String(Number(seconds) + offset);
    const verdict = verifyWebhook(secret, headersOf(body, { timestamp }), body, now);
    if (isTimely) assert.ok('event' in verdict, String(offset));
    else assert.deepEqual(verdict, { refused: 'untimely' }, String(offset));
  }
});

test('unsigned: a header is missing, is there twice, or has no number of seconds', () => {
  for (const name of Object.keys(headers)) {
    for (const value of [undefined, ['a', 'b']]) {
      assert.deepEqual(verifyWebhook(secret, { ...headers, [name]: value }, body, now), {
        refused: 'unsigned',
      });
    }
  }
  for (const timestamp of ['', 'now', '1.5', '-1', ' 1', '1e9', '0x10', '9'.repeat(12)]) {
    const verdict = verifyWebhook(secret, headersOf(body, { timestamp }), body, now);
    assert.deepEqual(verdict, { refused: 'unsigned' }, timestamp);
  }
});

test('malformed: signed as it should be, and no event of the protocol', () => {
  for (const value of [
    null,
    [],
    {},
    { ...told, type: 'user.deleted' },
    { ...told, sequence: 12 },
    { ...told, sequence: '0' },
    { ...told, sequence: '-1' },
    { ...told, createdAt: '2026-02-30T00:00:00.000Z' },
    { ...told, createdAt: '2026-11-15T11:59:59Z' },
    { ...told, data: { ...told.data, collateralAddress: '0x12' } },
    { ...told, data: null },
    { ...told, id: 'evt_2' },
  ]) {
    const signed = bytes(value);
    const verdict = verifyWebhook(secret, headersOf(signed), signed, now);
    assert.deepEqual(verdict, { refused: 'malformed' }, JSON.stringify(value));
  }
  for (const text of [
    '',
    'evt_1',
    `${body}`.replace('{', '{"id":"evt_1",'),
    `${body.toString('latin1')}\xff`,
  ]) {
    const signed = Buffer.from(text, 'latin1');
    assert.deepEqual(verifyWebhook(secret, headersOf(signed), signed, now), { refused: 'malformed' }, text);
  }
});

test('a weak or malformed secret signs and verifies nothing', () => {
  const good = [24, 32, 64].map((length) => randomBytes(length).toString('base64'));
  for (const text of good) assert.ok(isWebhookSecret(text) && isWebhookSecret(`whsec_${text}`), text);
  for (const bad of [
    '',
    'whsec_',
    'secret',
    `whsec_${'!'.repeat(40)}`,
    ...[8, 23, 65].map((length) => randomBytes(length).toString('base64')),
  ]) {
    assert.equal(isWebhookSecret(bad), false, bad);
    assert.throws(() => signWebhook(bad, 'evt_1', seconds, body), TypeError);
    assert.throws(() => verifyWebhook([secret, bad], headers, body, now), TypeError);
  }
});
