import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { dayMs } from '#platform/values/duration';
import { noteSecret } from '#test/harness';
import { useWebhooks } from '#test/worlds/webhook';
import { createKeys, signedHeaders, writePublicKey, writeSecret } from './sign.ts';

const { world, call, createEndpoint, makeEvents, startDelivering, arrived } = useWebhooks();

/** Of the specification's libraries. */
const message = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
};
const keys = {
  secret: Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'),
  seed: Buffer.from('VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=', 'base64'),
};

test('the reference vectors of Standard Webhooks: v1 and v1a', () => {
  assert.deepEqual(signedHeaders(message, [keys]), {
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature':
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= ' +
      'v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==',
  });
  assert.equal(writeSecret(keys), 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
});

type Headers = Record<string, string>;

/** As receivers verify who have the secret. */
const accepts = (secret: string, body: string, headers: Headers) => {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
};

/** As receivers verify who have the public key, by Node alone. */
function acceptsByKey(publicKey: string, body: string, headers: Headers): boolean {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const text = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  const signatures = headers['webhook-signature']!.split(' ').filter((one) => one.startsWith('v1a,'));
  return signatures.some((one) => verify(null, text, key, Buffer.from(one.slice(4), 'base64')));
}

test('the package standardwebhooks accepts a message, and no changed byte, old timestamp or other secret', () => {
  const own = createKeys();
  const secret = noteSecret(writeSecret(own));
  const now = Math.floor(Date.now() / 1_000);
  const body = '{"type":"withdrawal.completed","note":"São Tomé – 10 €"}';
  const headers = signedHeaders({ id: 'evt_1', timestamp: now, body }, [own]);
  assert.equal(accepts(secret, body, headers), true);
  assert.equal(acceptsByKey(writePublicKey(own), body, headers), true);
  for (let at = 0; at < body.length; at++) {
    const changed = `${body.slice(0, at)}${body[at] === '?' ? '!' : '?'}${body.slice(at + 1)}`;
    assert.equal(accepts(secret, changed, headers), false, changed);
    assert.equal(acceptsByKey(writePublicKey(own), changed, headers), false, changed);
  }
  for (const other of [
    { ...headers, 'webhook-id': 'evt_2' },
    { ...headers, 'webhook-timestamp': String(now + 1) },
    { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v2,') },
  ]) {
    assert.equal(accepts(secret, body, other), false, JSON.stringify(other));
  }
  for (const timestamp of [now - 310, now + 310]) {
    const signed = signedHeaders({ id: 'evt_1', timestamp, body }, [own]);
    assert.equal(accepts(secret, body, signed), false, String(timestamp - now));
  }
  const stranger = createKeys();
  assert.equal(accepts(noteSecret(writeSecret(stranger)), body, headers), false);
  assert.equal(acceptsByKey(writePublicKey(stranger), body, headers), false);
});

const publishedKeys = async (endpointId: string) => {
  const { status, body } = await world.harness.request('GET', `/.well-known/webhook-keys/${endpointId}`);
  assert.equal(status, 200);
  return body.keys as string[];
};

test('every message that arrives verifies by the secret and by the published key of its endpoint', async () => {
  const { id, secret, publicKeys } = await createEndpoint();
  const other = await createEndpoint({ types: ['withdrawal.failed'] });
  startDelivering();
  await makeEvents(10);
  await arrived(10);
  assert.deepEqual(await publishedKeys(id), publicKeys);
  const [foreign] = await publishedKeys(other.id);
  for (const { body, headers } of world.receiver.received) {
    assert.equal(accepts(secret, body, headers as Headers), true);
    assert.equal(acceptsByKey(publicKeys[0]!, body, headers as Headers), true);
    assert.equal(acceptsByKey(foreign!, body, headers as Headers), false);
  }
});

test('after a rotation both secrets sign for 24 hours, then only the new one', async () => {
  const { id, secret: old, publicKeys } = await createEndpoint();
  const rotated = await call('POST', `/${id}/rotate-secret`);
  const secret = noteSecret(rotated.body.secret as string);
  const both = await publishedKeys(id);
  assert.deepEqual(both, rotated.body.publicKeys);
  assert.deepEqual(both.slice(1), publicKeys);
  startDelivering();
  await makeEvents(1);
  await arrived(1);
  const { body, headers } = world.receiver.received[0]! as { body: string; headers: Headers };
  assert.equal(headers['webhook-signature']!.split(' ').length, 4);
  for (const one of [old, secret]) assert.equal(accepts(one, body, headers), true);
  for (const key of both) assert.equal(acceptsByKey(key, body, headers), true);

  const now = world.harness.deps.clock();
  world.harness.advance(dayMs);
  await makeEvents(1);
  await arrived(2);
  const later = world.receiver.received[1]! as { body: string; headers: Headers };
  assert.equal(later.headers['webhook-signature']!.split(' ').length, 2);
  assert.ok(Number(later.headers['webhook-timestamp']) * 1_000 > now.getTime() + 86_000_000);
  assert.equal(acceptsByKey(both[0]!, later.body, later.headers), true);
  assert.equal(acceptsByKey(both[1]!, later.body, later.headers), false);
  assert.deepEqual(await publishedKeys(id), both.slice(0, 1));
});
