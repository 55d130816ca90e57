import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { test } from 'node:test';
import { WebhookVerificationError, webhooks } from './index.ts';

const secretOf = (bytes: Buffer) => `whsec_${bytes.toString('base64')}`;
const hmac = (secret: string, text: string) =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(text)
    .digest('base64')}`;

const [secret, older] = [secretOf(randomBytes(24)), secretOf(randomBytes(32))];
const pair = generateKeyPairSync('ed25519');
const raw = pair.publicKey.export({ format: 'jwk' }).x!;
const publicKey = `whpk_${Buffer.from(raw, 'base64url').toString('base64')}`;

const body = JSON.stringify({
  id: 'evt_1',
  type: 'withdrawal.completed',
  timestamp: '2026-11-17T12:00:00.000Z',
  sequence: 7,
  apiVersion: '1',
  data: {
    object: { bulkId: 'bulk-1', status: 'completed', externalId: 'ação' },
    previousStatus: 'processing',
  },
});

const now = Math.floor(Date.now() / 1000);

function messageOf({ id = 'msg_1', at = now as number | string, secrets = [secret], sent = body } = {}) {
  const signed = `${id}.${at}.${sent}`;
  const ed25519 = `v1a,${sign(null, Buffer.from(signed), pair.privateKey).toString('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': [...secrets.map((one) => hmac(one, signed)), ed25519].join(' '),
  };
}

test('the vector of the specification verifies', async () => {
  // From the test vectors of Standard Webhooks.
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const known = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const options = { toleranceSeconds: Number.POSITIVE_INFINITY };
  assert.deepEqual(await webhooks.unwrap('{"test": 2432232314}', headers, known, options), {
    test: 2432232314,
  });
});

test('a message verifies by a secret, by either of two, or by a public key, from text or bytes', async () => {
  for (const secrets of [secret, [older, secret], [secret, older], publicKey, [older, publicKey]])
    for (const sent of [body, Buffer.from(body)]) {
      const event = await webhooks.unwrap(sent, messageOf(), secrets);
      assert.equal(event.id, 'evt_1');
      // Compiles only if `type` tells the objects apart.
      if (event.type === 'withdrawal.completed') assert.equal(event.data.object.externalId, 'ação');
    }
  const during = messageOf({ secrets: [older, secret] });
  assert.equal((await webhooks.unwrap(body, during, secret)).sequence, 7);
});

test('an event of a type newer than the client is the case `unknown`, with the type as it was sent', async () => {
  const sent = body.replace('withdrawal.completed', 'withdrawal.returned');
  const event = await webhooks.unwrap(sent, messageOf({ sent }), secret);
  const shown = (() => {
    switch (event.type) {
      case 'withdrawal.completed':
        return event.data.object.transactionHash;
      case 'unknown':
        // Compiles only as a case of the union.
        return [event.receivedType, event.sequence, event.data.object.bulkId, event.data.previousStatus];
      default:
        return event.type;
    }
  })();
  assert.deepEqual(shown, ['withdrawal.returned', 7, 'bulk-1', 'processing']);
});

test('headers may be of fetch or of Node, in any case', async () => {
  const plain = messageOf();
  const upper = Object.fromEntries(Object.entries(plain).map(([name, value]) => [name.toUpperCase(), value]));
  const lists = Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, [value]]));
  for (const headers of [new Headers(plain), plain, upper, lists])
    assert.equal((await webhooks.unwrap(body, headers, secret)).id, 'evt_1');
});

const { 'webhook-signature': good } = messageOf();
interface Change {
  sent?: string;
  secrets?: string;
  headers?: Record<string, string>;
}

const changes: Record<string, Change> = {
  'a changed byte': { sent: body.replace('bulk-1', 'bulk-2') },
  'another secret': { secrets: older },
  'another public key': { secrets: `whpk_${randomBytes(32).toString('base64')}` },
  'another id': { headers: { 'webhook-id': 'msg_2' } },
  'a moved timestamp': { headers: { 'webhook-timestamp': String(now - 1) } },
  'a message of 6 minutes ago': { headers: messageOf({ at: now - 360 }) },
  'a message from 6 minutes ahead': { headers: messageOf({ at: now + 360 }) },
  'a timestamp that is no number': { headers: messageOf({ at: 'now' }) },
  'no signature': { headers: { 'webhook-signature': '' } },
  'a signature that is not base64': { headers: { 'webhook-signature': 'v1,§' } },
  'an empty signature': { headers: { 'webhook-signature': 'v1,' } },
  'a signature under another version': { headers: { 'webhook-signature': good.replaceAll('v1', 'v2') } },
  'an HMAC that claims to be Ed25519': {
    headers: { 'webhook-signature': good.split(' ')[0]!.replace('v1,', 'v1a,') },
    secrets: publicKey,
  },
};

for (const [what, changed] of Object.entries(changes)) {
  test(`refused: ${what}`, async () => {
    const { sent = body, secrets = secret, headers } = changed;
    const all = { ...messageOf(), ...headers };
    await assert.rejects(webhooks.unwrap(sent, all, secrets), WebhookVerificationError);
  });
}

test('a missing header is named; parsed JSON and malformed secrets are errors of the program', async () => {
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    const { [name]: _left, ...others } = messageOf() as Record<string, string>;
    await assert.rejects(webhooks.unwrap(body, others, secret), new RegExp(name));
  }
  await assert.rejects(webhooks.unwrap(JSON.parse(body), messageOf(), secret), TypeError);
  for (const wrong of [[], '', 'whsec_§', 'whpk_AAAA'])
    await assert.rejects(webhooks.unwrap(body, messageOf(), wrong), TypeError);
});
