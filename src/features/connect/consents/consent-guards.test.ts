import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  integrationContextOf,
  makeConsent,
  makeConsentRequest,
  makeIntegration,
  makeUser,
  userContextOf,
} from '#test/data/factories';
import { useHarness } from '#test/harness';
import { openConsentLink, revokeConsent } from './index.ts';
import { readConsentedData } from './read-consented-data.ts';

const harness = useHarness();
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const restricted = { code: '23001' };
const violated = (constraint: string) => ({ code: '23514', constraint });

const copy = (id: string, changes: Record<string, string>) => {
  const columns = [
    'integration_id',
    'purpose',
    'requested_scopes',
    'optional_scopes',
    'duration',
    'duration_days',
    'redirect_uri',
    'link_expires_at',
    'requested_at',
    'link_sha256',
    ...Object.keys(changes),
  ];
  const values = columns.map((column) =>
    column === 'link_sha256' ? 'sha256(random()::text::bytea)' : (changes[column] ?? column),
  );
  const names = [...new Set(columns)];
  return sql(
    `insert into consents (${names}) select ${names.map((name) => values[columns.indexOf(name)])} from consents where id = $1`,
    [id],
  );
};

test('the database refuses a consent that does not begin as a request', async () => {
  const { id } = await makeConsent(harness, await makeIntegration(harness));
  await copy(id, {});
  await assert.rejects(copy(id, { user_id: 'user_id' }), restricted);
  const granted = { user_id: 'user_id', scopes: 'scopes', decided_at: 'decided_at' };
  await assert.rejects(copy(id, { ...granted, status: `'active'` }), restricted);
  await assert.rejects(copy(id, { status: `'rejected'`, decided_at: 'decided_at' }), restricted);
  await assert.rejects(copy(id, { scopes: 'scopes' }), violated('consents_granted'));
  await assert.rejects(copy(id, { optional_scopes: 'requested_scopes' }), violated('consents_check'));
});

test('the database refuses a grant of what nobody opened, or for longer or shorter than was asked for', async () => {
  const integration = await makeIntegration(harness);
  const { id: userId } = await makeUser(harness);
  const grant = (id: string, changes: string) =>
    sql(
      `update consents set status = 'active', scopes = requested_scopes, decided_at = requested_at, ${changes} where id = $1`,
      [id],
    );
  for (const [duration, right, wrong] of [
    [
      { kind: 'days', days: 200 },
      `requested_at + interval '4800 hours'`,
      ['null', `requested_at + interval '4801 hours'`, `requested_at + interval '1 hour'`],
    ],
    [{ kind: 'until-revoked' }, 'null', [`requested_at + interval '24 hours'`]],
    [{ kind: 'one-time' }, 'null', [`requested_at + interval '24 hours'`]],
  ] as const) {
    const { consent, linkToken } = await makeConsentRequest(harness, integration, { duration });
    await assert.rejects(grant(consent.id, `user_id = '${userId}', expires_at = ${right}`), restricted);
    await openConsentLink(userContextOf(harness, userId), { linkToken });
    for (const end of wrong) await assert.rejects(grant(consent.id, `expires_at = ${end}`), restricted);
    await grant(consent.id, `expires_at = ${right}`);
  }
});

test('the database refuses that reads are uncounted, counted back, or counted where nothing is read', async () => {
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration);
  const { consent: awaiting } = await makeConsentRequest(harness, integration);
  const ctx = integrationContextOf(harness, integration);
  for (let time = 0; time < 2; time++) await readConsentedData(ctx, { consentId: id, address: '127.0.0.1' });
  const change = (text: string, of = id) => sql(`update consents set ${text} where id = $1`, [of]);
  for (const text of [
    'read_count = read_count - 1',
    'read_count = 0, last_read_at = null',
    `last_read_at = last_read_at - interval '1 second', read_count = read_count + 1`,
    `last_read_at = last_read_at + interval '1 second'`,
  ])
    await assert.rejects(change(text), restricted, text);
  await assert.rejects(change('read_count = 1, last_read_at = now()', awaiting.id), restricted);
  const revoking = `status = 'revoked', revoked_by = 'user', revoked_at =`;
  for (const at of [`last_read_at - interval '1 millisecond'`, `decided_at - interval '1 millisecond'`])
    await assert.rejects(change(`${revoking} ${at}`), violated('consents_revoked_last'), at);
  await change(`${revoking} last_read_at`);
  await assert.rejects(change('read_count = 3'), restricted);
});

test('the database refuses a read of what is not active, or by a key of another integration', async () => {
  const [integration, other] = [await makeIntegration(harness), await makeIntegration(harness)];
  const { id } = await makeConsent(harness, integration);
  const { consent: awaiting } = await makeConsentRequest(harness, integration);
  const read = (consentId: string, keyId = integration.keyId) =>
    sql(
      `insert into consent_reads (consent_id, key_id, read_at, fields, address) values ($1, $2, now(), '{email.address}', '::1')`,
      [consentId, keyId],
    );
  await read(id);
  await assert.rejects(read(id, other.keyId), restricted);
  await assert.rejects(read(awaiting.id), restricted);
  await revokeConsent(integrationContextOf(harness, integration), { consentId: id });
  await assert.rejects(read(id), restricted);
});

test('the database refuses that what was ended goes on, or ended at another time', async () => {
  const integration = await makeIntegration(harness);
  const { id: userId } = await makeUser(harness);
  await harness.operator('integrations.revoke', { integrationId: integration.id });
  for (const [table, column] of [
    ['sign_in_links', 'used_at'],
    ['user_sessions', 'ended_at'],
  ]) {
    const returnTo = table === 'sign_in_links' ? ['return_to, ', `'', `] : ['', ''];
    await sql(
      `insert into ${table} (secret_sha256, user_id, ${returnTo[0]}created_at, expires_at)
       values (sha256($1::uuid::text::bytea), $1, ${returnTo[1]}now(), now())`,
      [userId],
    );
    await sql(`update ${table} set ${column} = now() where user_id = $1`, [userId]);
  }
  for (const [table, column, owner, id] of [
    ['integrations', 'revoked_at', 'id', integration.id],
    ['integration_keys', 'revoked_at', 'integration_id', integration.id],
    ['sign_in_links', 'used_at', 'user_id', userId],
    ['user_sessions', 'ended_at', 'user_id', userId],
  ])
    for (const value of ['null', `${column} + interval '1 second'`]) {
      const change = sql(`update ${table} set ${column} = ${value} where ${owner} = $1`, [id]);
      await assert.rejects(change, restricted, `${table} ${value}`);
    }
});
