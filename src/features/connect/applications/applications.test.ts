import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecret } from '#platform/secrets/secret';
import { networksWithoutNodes, useHarness } from '#test/harness';
import { applicationTerms, makeApplication } from '#test/worlds/application';
import { applyForIntegration } from './apply.ts';
import { findApplication } from './find-application.ts';
import { applicationJobs } from './jobs.ts';
import { openInvitation } from './open-invitation.ts';

const harness = useHarness({ networks: networksWithoutNodes() });
const at = () => ({ db: harness.deps.db, now: harness.deps.clock() });
const age = (id: string, column: string, days: number) =>
  harness.deps.db.query(
    `update connect_applications set ${column} = ${column} - make_interval(days => $2) where id = $1`,
    [id, days],
  );
const runJobs = async () => {
  for (const { run } of applicationJobs) await run(harness.deps);
};

test('200 approve: the integration as applied for, the applicant as owner, no key and no link in the answer', async () => {
  const { id: applicationId, linkSecret } = await makeApplication(harness, { name: 'Banker' });
  const { status, body } = await harness.operator('integrations.approve', { applicationId });
  assert.equal(status, 200, body.error);
  const { integrationId, personId } = body.data;
  const listed = await harness.operator('integrations.list', { limit: 200 });
  const made = listed.body.data.items.find(({ id }: { id: string }) => id === integrationId);
  const { name, scopes, redirectUris, keys } = made;
  assert.deepEqual(
    [name, scopes, redirectUris, keys],
    ['Banker', ['profile', 'email'], ['https://app.example.com/back'], []],
  );
  const { body: owner } = await harness.operator('people.show', { personId });
  assert.deepEqual([owner.data.person.role, owner.data.person.integrationId], ['owner', integrationId]);
  const text = JSON.stringify(body);
  assert.ok(!text.includes('cwi_') && !text.includes('/people/invitation/'));
  const log = await harness.operator('audit.list', { subject: `application:${applicationId}` });
  assert.deepEqual(
    log.body.data.items.map(({ action }: { action: string }) => action),
    ['integrations.approve'],
  );
  const rotated = await harness.operator('integrations.rotate-key', { integrationId });
  assert.deepEqual([rotated.status, rotated.body.code], [409, 'keys_by_owner']);
  assert.equal((await findApplication(at(), linkSecret)).status, 'approved');
});

test('409 two operators at the same time: one decision counts, and later ones are refused', async () => {
  const { id: applicationId } = await makeApplication(harness);
  const answers = await Promise.all([
    harness.operator('integrations.approve', { applicationId }),
    harness.operator('integrations.refuse', { applicationId, reason: 'No' }),
    harness.operator('integrations.approve', { applicationId }),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  const rows = await harness.deps.db.query<{ count: number }>(
    `select count(*)::integer as count from people where integration_id in (
       select integration_id from connect_applications where id = $1)`,
    [applicationId],
  );
  const approved = answers.some(({ body }) => body.data?.status === 'approved');
  assert.equal(rows[0]!.count, approved ? 1 : 0);
});

test('200 refuse: the applicant reads the reason; show and list have it', async () => {
  const { id: applicationId, linkSecret } = await makeApplication(harness);
  const reason = 'The privacy policy does not name us';
  await harness.operator('integrations.refuse', { applicationId, reason });
  assert.equal((await findApplication(at(), linkSecret)).reason, reason);
  const shown = await harness.operator('integrations.show-application', { applicationId });
  assert.deepEqual([shown.body.data.status, shown.body.data.reason], ['refused', reason]);
  const listed = await harness.operator('integrations.applications', { status: 'refused' });
  assert.equal(listed.body.data.items[0].id, applicationId);
  const none = '0198a6a0-0000-7000-8000-000000000001';
  for (const name of ['show-application', 'approve'])
    assert.equal((await harness.operator(`integrations.${name}`, { applicationId: none })).status, 404);
});

test('409 the fourth open application of an email, and a form that was sent before', async () => {
  const applicantEmail = 'Rui@Example.org';
  for (let made = 0; made < 3; made += 1) await makeApplication(harness, { applicantEmail });
  await assert.rejects(makeApplication(harness, { applicantEmail: 'rui@example.org' }), {
    code: 'too_many_of_email',
  });
  const formSecret = createSecret();
  const apply = () =>
    applyForIntegration(at(), { input: applicationTerms({ applicantEmail: 'x@example.org' }), formSecret });
  const sent = await Promise.allSettled([apply(), apply()]);
  assert.deepEqual(sent.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('an open application expires after 30 days, and is deleted 90 days after its end', async () => {
  const { id, linkSecret } = await makeApplication(harness);
  await age(id, 'expires_at', 30);
  assert.equal((await findApplication(at(), linkSecret)).status, 'expired');
  const refused = await harness.operator('integrations.approve', { applicationId: id });
  assert.deepEqual([refused.status, refused.body.code], [409, 'application_ended']);
  await runJobs();
  assert.equal((await findApplication(at(), linkSecret)).status, 'expired');
  await age(id, 'ended_at', 89);
  await runJobs();
  assert.ok(await findApplication(at(), linkSecret));
  await age(id, 'ended_at', 2);
  await runJobs();
  await assert.rejects(findApplication(at(), linkSecret), { code: 'application_not_found' });
});

test('503 more than 200 open applications, and the figure of the overview', async () => {
  const { db } = harness.deps;
  const [{ open } = { open: 0 }] = await db.query<{ open: number }>(
    `select count(*)::integer as open from connect_applications where status = 'open'`,
  );
  await db.query(
    `insert into connect_applications (link_sha256, form_sha256, name, logo_color, purposes, scopes, redirect_uris,
       applicant_name, applicant_email, created_at, expires_at)
     select sha256(('link' || n)::bytea), sha256(('form' || n)::bytea), 'Many', '#1a7f5a', '{a}', '{email}', '{https://a.example}',
       'Eva', 'many-' || n || '@example.org', now(), now() + interval '1 day' from generate_series(1, $1) n`,
    [200 - open],
  );
  await assert.rejects(makeApplication(harness), { code: 'too_many_applications', status: 503 });
  const { body } = await harness.request('GET', '/metrics');
  assert.ok(body.includes('causeway_integration_applications_open 200'));
  await db.query(`delete from connect_applications where name = 'Many'`);
  assert.ok(await makeApplication(harness));
});

test('an invitation by the private link: only after the approval, within 30 days, the newest works', async () => {
  const { id: applicationId, linkSecret } = await makeApplication(harness);
  const open = () => openInvitation(harness.deps, harness.deps.log, linkSecret);
  await assert.rejects(open(), { code: 'application_not_found' });
  await harness.operator('integrations.approve', { applicationId });
  const [first, second] = [await open(), await open()];
  assert.notEqual(first, second);
  const statusOf = async (url: string) =>
    (
      await harness.request('GET', new URL(url).pathname, {
        headers: { host: new URL(url).host },
      })
    ).status;
  assert.deepEqual([await statusOf(first), await statusOf(second)], [404, 200]);
  await age(applicationId, 'ended_at', 31);
  await assert.rejects(open(), { code: 'invitation_over' });
});
