import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type IssuedKey, issueKey } from '#features/keys';
import { makeKey } from '#test/data/factories';
import type { Answer, Harness } from '#test/harness';

/** A route behind a partner's key, and the messages of its surface's refusals. */
export interface GuardedRoute {
  title: string;
  call(options: { token?: string; headers?: Record<string, string> }): Promise<Answer>;
  refusals: Record<'missing' | 'invalid' | 'address', { status: number; error: string }> & {
    /** Where the contract has a row for it; elsewhere such a key is invalid. */
    offList?: { status: number; error: string };
  };
  /** How to find the message if refusals are not `{ error }`, as with JSON-RPC. */
  errorOf?(answer: Answer): unknown;
}

type Call = [command: string, input: object];

/** What stops a key without ending it, and what undoes that. */
const stops: readonly [
  what: string,
  stop: (key: IssuedKey) => Call,
  resume: (key: IssuedKey) => Call,
  kind?: 'offList',
][] = [
  [
    'suspended key',
    ({ id }) => ['keys.suspend', { keyId: id, reason: 'a test' }],
    ({ id }) => ['keys.resume', { keyId: id }],
  ],
  [
    'suspended partner',
    ({ partnerId }) => ['partners.suspend', { partnerId, reason: 'a test' }],
    ({ partnerId }) => ['partners.resume', { partnerId }],
  ],
  [
    'suspended user',
    ({ userId }) => ['users.suspend', { userId, reason: 'a test' }],
    ({ userId }) => ['users.resume', { userId }],
  ],
  [
    'user taken off the partner’s list',
    ({ partnerId, userId }) => ['partners.disallow-user', { partnerId, userId }],
    ({ partnerId, userId }) => ['partners.allow-user', { partnerId, userId }],
    'offList',
  ],
];

/** What every route behind a key must refuse; every such route runs it. */
export function runKeyBattery(harness: Harness, route: GuardedRoute): void {
  const { call, refusals, errorOf = (answer) => answer.body.error } = route;
  const expectRefusal = (answer: Answer, kind: keyof typeof refusals) => {
    assert.equal(answer.status, refusals[kind]!.status);
    assert.equal(errorOf(answer), refusals[kind]!.error);
  };
  const title = (kind: keyof typeof refusals, what: string) =>
    `${refusals[kind]!.status} ${refusals[kind]!.error}: ${route.title}, ${what}`;

  test(title('missing', 'no Authorization header'), async () => {
    expectRefusal(await call({}), 'missing');
  });
  for (const header of ['Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'bearer:abc', 'token abc']) {
    test(title('missing', `malformed header "${header}"`), async () => {
      expectRefusal(await call({ headers: { authorization: header } }), 'missing');
    });
  }
  test(title('invalid', 'not a token of ours'), async () => {
    expectRefusal(await call({ token: 'not-a-token' }), 'invalid');
  });
  test(title('invalid', 'one character of the secret changed'), async () => {
    const { token } = await makeKey(harness);
    const changed = token.slice(0, 25) + (token[25] === 'a' ? 'b' : 'a') + token.slice(26);
    expectRefusal(await call({ token: changed }), 'invalid');
  });
  test(title('invalid', 'the id of one key with the secret of another'), async () => {
    const [one, other] = [await makeKey(harness), await makeKey(harness)];
    const mixed = `${one.token.slice(0, 21)}${other.token.slice(21)}`;
    expectRefusal(await call({ token: mixed }), 'invalid');
  });
  test(title('invalid', 'expired key'), async () => {
    const owner = await makeKey(harness);
    const { partnerId, userId } = owner;
    const yesterday = { ...harness.operatorContext(), now: new Date(Date.now() - 86_400_000) };
    const expiresAt = new Date(Date.now() - 1_000).toISOString();
    const { token } = await issueKey(yesterday, { name: 'expired', partnerId, userId, expiresAt });
    expectRefusal(await call({ token }), 'invalid');
  });
  test(title('invalid', 'revoked key, from the next request on'), async () => {
    const { id, token } = await makeKey(harness);
    assert.notEqual((await call({ token })).status, refusals.invalid.status);
    assert.equal((await harness.operator('keys.revoke', { keyId: id })).status, 200);
    expectRefusal(await call({ token }), 'invalid');
  });
  test(title('invalid', 'operator token'), async () => {
    expectRefusal(await call({ token: harness.operatorToken }), 'invalid');
  });
  for (const [what, stop, resume, kind] of stops) {
    const expected = kind && refusals[kind] ? kind : 'invalid';
    test(title(expected, `${what}, from the next request on until it is undone`), async () => {
      const key = await makeKey(harness);
      assert.notEqual((await call({ token: key.token })).status, refusals.invalid.status);
      assert.equal((await harness.operator(...stop(key))).status, 200);
      expectRefusal(await call({ token: key.token }), expected);
      assert.equal((await harness.operator(...resume(key))).status, 200);
      assert.notEqual((await call({ token: key.token })).status, refusals[expected]!.status);
    });
  }
  test(title('address', 'caller outside the allowlist of the key'), async () => {
    const { token } = await makeKey(harness, { ipAllowlist: ['203.0.113.0/24', '2001:db8::/32'] });
    expectRefusal(await call({ token }), 'address');
  });
  test(title('address', 'X-Forwarded-For of a caller that is no trusted proxy'), async () => {
    const { token } = await makeKey(harness, { ipAllowlist: ['203.0.113.0/24'] });
    expectRefusal(await call({ token, headers: { 'x-forwarded-for': '203.0.113.7' } }), 'address');
  });
}
