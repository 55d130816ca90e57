import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeys, signedHeaders, writePublicKey, writeSecret } from '#features/webhooks';
import { Inbox } from './inbox.ts';
import { renderInbox } from './inbox-page.ts';

const now = new Date('2026-07-31T12:00:00Z');
const keys = createKeys();

function receive(change: { body?: string; timestamp?: number; signs?: typeof keys } = {}) {
  const inbox = new Inbox();
  inbox.setKeys({ secret: writeSecret(keys), publicKeys: [writePublicKey(keys)] });
  const body = '{"type":"withdrawal.completed"}';
  const timestamp = change.timestamp ?? now.getTime() / 1_000;
  const headers = signedHeaders({ id: 'evt_1', timestamp, body }, [change.signs ?? keys]);
  inbox.receive(headers, Buffer.from(change.body ?? body), now);
  return inbox;
}

test('a message as it was sent is valid by both signatures', () => {
  const [message] = receive().list();
  assert.deepEqual(message!.verification, { hmac: true, ed25519: true, isFresh: true });
  assert.equal(message!.type, 'withdrawal.completed');
  assert.match(renderInbox([message!]), /Signature valid \(v1, v1a\)/);
});

for (const [what, change, expected] of [
  [
    'a changed byte',
    { body: '{"type":"withdrawal.completeD"}' },
    { hmac: false, ed25519: false, isFresh: true },
  ],
  ['an old timestamp', { timestamp: 1_700_000_000 }, { hmac: true, ed25519: true, isFresh: false }],
  ['other keys', { signs: createKeys() }, { hmac: false, ed25519: false, isFresh: true }],
] as const) {
  test(`${what} is shown as not valid`, () => {
    const [message] = receive(change).list();
    assert.deepEqual(message!.verification, expected);
    assert.match(renderInbox([message!]), /Not valid: /);
  });
}

test('texts of events are escaped, and what is not JSON is shown as it is', () => {
  const inbox = receive({ body: '{"type":"<script>alert(1)</script>"}' });
  inbox.receive({}, Buffer.from('<b>no JSON</b>'), now);
  const page = renderInbox(inbox.list());
  assert.ok(!page.includes('<script>alert') && !page.includes('<b>no'));
  assert.match(page, /not JSON/);
});

test('the newest 200 messages are kept', () => {
  const inbox = new Inbox();
  for (let n = 0; n < 250; n++) inbox.receive({ 'webhook-id': `evt_${n}` }, Buffer.from('{}'), now);
  const list = inbox.list();
  assert.deepEqual([list.length, list[0]!.number, list.at(-1)!.number], [200, 250, 51]);
  assert.equal(inbox.list(248).length, 2);
});
