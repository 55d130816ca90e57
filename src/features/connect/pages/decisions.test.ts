import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everything, useConnectPages } from '#test/worlds/connect-pages';

const { harness, newVisitor, sql, ask, read, statusOf, decide } = useConnectPages();
const minuteMs = 60_000;

test('303 grant: what was ticked is shared, what was left out is not, and one is sent back with id and state', async () => {
  const visitor = await newVisitor();
  const { integration, path } = await ask();
  const { status, headers } = await decide(visitor, path, {
    decision: 'grant',
    scopes: ['profile', 'email', 'kyc'],
  });
  assert.equal(status, 303);
  const back = new URL(headers.get('location')!);
  assert.equal(back.origin + back.pathname, 'https://app.example.com/back');
  assert.equal(back.searchParams.get('state'), 'st/ate');
  const { status: readStatus, body } = await read(integration, back.searchParams.get('consent_id')!);
  assert.equal(readStatus, 200);
  assert.deepEqual(Object.keys(body.user).sort(), ['email', 'kyc', 'profile']);
});

test('303 refuse: nothing is shared, and one is sent back with the state', async () => {
  const visitor = await newVisitor();
  const { integration, path, consentId } = await ask();
  const { status, headers } = await decide(visitor, path, { decision: 'refuse', scopes: everything });
  assert.equal(status, 303);
  const back = new URL(headers.get('location')!);
  assert.deepEqual([...back.searchParams.keys()].sort(), ['error', 'state']);
  assert.equal((await read(integration, consentId)).status, 404);
});

test('410 a link that was used or has expired; 404 a link that never existed', async () => {
  const visitor = await newVisitor();
  const used = await ask();
  await decide(visitor, used.path, { decision: 'refuse' });
  const again = await visitor.get(used.path);
  assert.equal(again.status, 410);
  assert.match(again.text, /This request was already answered/);
  assert.match(again.text, /href="\/connect\/apps"/);

  const late = await ask();
  harness.advance(16 * minuteMs);
  const visitorNow = await newVisitor();
  const expired = await visitorNow.get(late.path);
  assert.equal(expired.status, 410);
  assert.match(expired.text, /This request has expired/);
  assert.equal((await visitorNow.post(late.path, { decision: 'grant', scopes: everything })).status, 410);

  const absent = await visitorNow.get(`/connect/requests/${'a'.repeat(43)}`);
  assert.equal(absent.status, 404);
  assert.match(absent.text, /Request not found/);
});

test('404 somebody else’s link: it belongs to the user who opened it first', async () => {
  const [first, second] = [await newVisitor(), await newVisitor()];
  const { path, consentId } = await ask();
  assert.equal((await first.get(path)).status, 200);
  assert.equal((await second.get(path)).status, 404);
  assert.equal((await second.post(path, { decision: 'grant', scopes: everything })).status, 404);
  assert.equal(await statusOf(consentId), 'awaiting');
  assert.equal((await first.post(path, { decision: 'refuse' })).status, 303);
});

const decisionsOn = async (consentId: string) => {
  const rows = await sql(
    `select action from audit_log where subject = $1 and action in ('consents.grant', 'consents.refuse')`,
    [`consent:${consentId}`],
  );
  return rows.map(({ action }) => action);
};

for (const decision of ['grant', 'refuse']) {
  test(`303 ${decision} sent again, also at the same time, decides once and leads to the same place`, async () => {
    const visitor = await newVisitor();
    const { path, consentId } = await ask();
    await visitor.get(path);
    const send = (scopes = ['profile', 'email'], as = decision) =>
      visitor.post(path, { decision: as, scopes });
    const answers = [
      ...(await Promise.all([send(), send(), send(), send()])),
      await send(),
      await send(['email', 'profile']),
    ];
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [303]);
    const places = new Set(answers.map(({ headers }) => headers.get('location')));
    assert.equal(places.size, 1);
    assert.match([...places][0]!, /^https:\/\/app\.example\.com\/back\?.*state=st%2Fate$/);
    assert.deepEqual(await decisionsOn(consentId), [`consents.${decision}`]);

    const other = decision === 'grant' ? 'refuse' : 'grant';
    assert.equal((await send(undefined, other)).status, 410);
    assert.equal((await visitor.get(path)).status, 410);
    assert.deepEqual(await decisionsOn(consentId), [`consents.${decision}`]);
    const stranger = await newVisitor();
    assert.equal((await stranger.post(path, { decision, scopes: ['profile', 'email'] })).status, 404);
  });
}

test('410 grant sent again with other scopes, or once it is over', async () => {
  const visitor = await newVisitor();
  const { path, consentId } = await ask();
  const send = (scopes: string[]) => visitor.post(path, { decision: 'grant', scopes });
  await visitor.get(path);
  assert.equal((await send(['profile', 'email'])).status, 303);
  for (const scopes of [['profile', 'email', 'kyc'], ['profile'], []])
    assert.equal((await send(scopes)).status, 410);
  await visitor.post(`/connect/apps/${consentId}/revoke`);
  assert.equal((await send(['profile', 'email'])).status, 410);
  assert.deepEqual(await decisionsOn(consentId), ['consents.grant']);
});

test('410 two decisions at the same time: one counts', async () => {
  const visitor = await newVisitor();
  const { path, consentId } = await ask();
  await visitor.get(path);
  const answers = await Promise.all(
    ['grant', 'refuse'].map((decision) => visitor.post(path, { decision, scopes: ['profile', 'email'] })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 410]);
  assert.equal((await decisionsOn(consentId)).length, 1);
});
