import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  consentRequest,
  integrationContextOf,
  makeConsent,
  makeConsentRequest,
  makeIntegration,
  makeUser,
  userContextOf,
} from '#test/data/factories';
import { useHarness } from '#test/harness';
import type { Consent } from './consent.ts';
import { expireConsents } from './end-consents.ts';
import { decideConsent, openConsentLink, reduceConsent, requestConsent, revokeConsent } from './index.ts';
import { readConsentedData } from './read-consented-data.ts';

const harness = useHarness();
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const address = '127.0.0.1';

interface AuditLine {
  id: number;
  action: string;
  after: Record<string, unknown>;
}
const auditOf = async (subject: string) =>
  (await sql('select id::integer as id, action, after from audit_log where subject = $1 order by id', [
    subject,
  ])) as unknown as AuditLine[];
const only = (lines: AuditLine[], ...actions: string[]) =>
  lines.filter(({ action }) => actions.includes(action.replace('consents.', '')));
const statusOf = async (id: string) =>
  (await sql('select status from consents where id = $1', [id]))[0]!.status;
const readsOf = async (id: string) =>
  (await sql('select read_at, fields from consent_reads where consent_id = $1 order by id', [
    id,
  ])) as unknown as {
    read_at: Date;
    fields: string[];
  }[];

/** Settles all and tells what each came to: its value, or the code that it was refused with. */
async function outcomes<T>(work: Promise<T>[]): Promise<(T | string)[]> {
  return (await Promise.allSettled(work)).map((result) => {
    if (result.status === 'fulfilled') return result.value;
    assert.ok(result.reason.code, result.reason);
    return result.reason.code as string;
  });
}

test('deciding twice at once: one outcome, the other finds the link used; twenty times, in each combination', async () => {
  const integration = await makeIntegration(harness);
  const owner = userContextOf(harness, (await makeUser(harness)).id);
  for (let round = 0; round < 20; round++) {
    const { consent, linkToken } = await makeConsentRequest(harness, integration, {
      optionalScopes: ['kyc'],
    });
    await openConsentLink(owner, { linkToken });
    const second = round % 2 === 0 ? 'grant' : 'refuse';
    const results = await outcomes([
      decideConsent(owner, { linkToken, decision: 'grant', scopes: ['profile', 'email', 'wallet', 'kyc'] }),
      decideConsent(owner, { linkToken, decision: second }),
    ]);
    const [won, ...more] = results.filter((result) => typeof result !== 'string');
    assert.ok(won && more.length === 0, JSON.stringify(results));
    assert.deepEqual(
      results.filter((result) => typeof result === 'string'),
      ['link_used'],
    );
    assert.equal(await statusOf(consent.id), won.consent.status);
    const [line, ...others] = only(await auditOf(`consent:${consent.id}`), 'grant', 'refuse');
    assert.equal(others.length, 0);
    assert.deepEqual([line!.after.status, line!.after.scopes], [won.consent.status, won.consent.scopes]);
  }
});

test('a link that ten users open at once belongs to one of them', async () => {
  const integration = await makeIntegration(harness);
  const users = await Promise.all(
    Array.from({ length: 10 }, async () => userContextOf(harness, (await makeUser(harness)).id)),
  );
  for (let round = 0; round < 5; round++) {
    const { consent, linkToken } = await makeConsentRequest(harness, integration);
    const results = await outcomes(users.map((user) => openConsentLink(user, { linkToken })));
    const winners = results.flatMap((result) => (typeof result === 'string' ? [] : [result.consent.userId]));
    assert.equal(winners.length, 1);
    assert.deepEqual(
      new Set(results.filter((result) => typeof result === 'string')),
      new Set(['link_not_found']),
    );
    const [row] = await sql('select user_id from consents where id = $1', [consent.id]);
    assert.equal(row!.user_id, winners[0]);
    assert.equal(only(await auditOf(`consent:${consent.id}`), 'open').length, 1);
  }
});

test('revoked while it is read: each read came before, and is in the audit log before, or is 410; thirty times', async () => {
  let [given, refused] = [0, 0];
  for (let round = 0; round < 30; round++) {
    const integration = await makeIntegration(harness);
    const headers = { 'x-api-key': integration.token };
    const { id, userId } = await makeConsent(harness, integration, { scopes: ['email'] });
    const read = () => harness.request('GET', `/api/v1/consent/${id}/user`, { headers });
    const early = Array.from({ length: 4 }, read);
    await sleep(round % 12);
    const revoking =
      round % 2 === 0
        ? harness.request('DELETE', `/api/v1/consent/${id}`, { headers }).then(({ body }) => body.revoked_at)
        : revokeConsent(userContextOf(harness, userId), { consentId: id }).then(({ revokedAt }) =>
            revokedAt!.toISOString(),
          );
    const late = Array.from({ length: 4 }, read);
    const revokedAt = await revoking;
    const after = await read();
    assert.equal(after.status, 410, 'asked for after the revocation was answered');
    const answers = [...(await Promise.all([...early, ...late])), after];
    const succeeded = answers.filter(({ status }) => status === 200);
    for (const { status, body } of answers) {
      if (status === 200) assert.equal(Object.keys(body.user).join(), 'email');
      else assert.deepEqual([status, body.revoked_at, body.user], [410, revokedAt, undefined]);
    }
    const lines = only(await auditOf(`consent:${id}`), 'read', 'revoke');
    assert.deepEqual(
      lines.map(({ action }) => action),
      [...succeeded.map(() => 'consents.read'), 'consents.revoke'],
    );
    const reads = await readsOf(id);
    assert.equal(reads.length, succeeded.length);
    for (const { read_at } of reads)
      assert.ok(read_at <= new Date(revokedAt), 'no read is dated after the end');
    given += succeeded.length;
    refused += answers.length - succeeded.length;
  }
  assert.ok(given > 30 && refused > 60, `both happened: ${given} given, ${refused} refused`);
});

test('reduced while it is read: what each read gave is what the audit log says was granted then', async () => {
  const integration = await makeIntegration(harness);
  const ctx = () => integrationContextOf(harness, integration);
  for (let round = 0; round < 15; round++) {
    const { id: consentId } = await makeConsent(harness, integration, { scopes: ['email', 'kyc'] });
    const read = async () =>
      Object.keys((await readConsentedData(ctx(), { consentId, address })).user).join();
    const early = Array.from({ length: 3 }, read);
    await sleep(round % 8);
    const reducing = reduceConsent(ctx(), { consentId, scopes: ['email'] });
    const late = Array.from({ length: 3 }, read);
    await reducing;
    assert.equal(await read(), 'email');
    const answers = await Promise.all([...early, ...late]);
    const lines = only(await auditOf(`consent:${consentId}`), 'read', 'reduce');
    const reducedAt = lines.findIndex(({ action }) => action === 'consents.reduce');
    const isWide = ({ after }: AuditLine) => (after.fields as string[]).includes('kyc.tax_id');
    assert.ok(lines.slice(0, reducedAt).every(isWide));
    assert.ok(!lines.slice(reducedAt + 1).some(isWide));
    assert.equal(answers.filter((scopes) => scopes === 'email,kyc').length, reducedAt);
  }
});

test('a consent for one time that ten read at once is given to one', async () => {
  for (let round = 0; round < 10; round++) {
    const integration = await makeIntegration(harness);
    const headers = { 'x-api-key': integration.token };
    const { id } = await makeConsent(harness, integration, { duration: { kind: 'one-time' } });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => harness.request('GET', `/api/v1/consent/${id}/user`, { headers })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(410)]);
    const refusals = answers.filter(({ status }) => status === 410);
    assert.deepEqual(new Set(refusals.map(({ body }) => body.error)), new Set(['Consent has expired']));
    const [read, ...more] = await readsOf(id);
    assert.equal(more.length, 0);
    for (const { body } of refusals) assert.equal(body.expired_at, read!.read_at.toISOString());
    assert.deepEqual(
      only(await auditOf(`consent:${id}`), 'read', 'expire').map(({ action }) => action),
      ['consents.read', 'consents.expire'],
    );
  }
});

test('read, swept and revoked at the instant of expiry: one end, in the audit log, and reads only before it', async () => {
  const integration = await makeIntegration(harness);
  const ends: Record<string, number> = {};
  for (let round = 0; round < 25; round++) {
    const {
      id: consentId,
      userId,
      expiresAt,
    } = await makeConsent(harness, integration, {
      scopes: ['email'],
      duration: { kind: 'days', days: 1 },
    });
    const at = (ms: number) => new Date(expiresAt!.getTime() + ms);
    const readAt = (ms: number) =>
      readConsentedData(
        { ...integrationContextOf(harness, integration), now: at(ms) },
        { consentId, address },
      );
    const worker = {
      ...harness.operatorContext(),
      actor: { kind: 'worker', job: 'test' } as const,
      now: at(0),
    };
    const owner = { ...userContextOf(harness, userId), now: at(-1) };
    const contenders: (() => Promise<unknown>)[] = [
      () => readAt(-1),
      () => readAt(0),
      () => readAt(-1),
      () => readAt(1),
      () => expireConsents(worker),
      () => revokeConsent(owner, { consentId }),
    ];
    const order = contenders.map((_, place) => contenders[(place * 5 + round) % contenders.length]!);
    const results = await outcomes(order.map((run) => run()));
    const status = (await statusOf(consentId)) as Consent['status'];
    ends[status] = (ends[status] ?? 0) + 1;
    const lines = only(await auditOf(`consent:${consentId}`), 'read', 'expire', 'revoke');
    const end = lines.pop()!;
    assert.equal(end.action, status === 'revoked' ? 'consents.revoke' : 'consents.expire');
    assert.ok(
      lines.every(({ action }) => action === 'consents.read'),
      'one end, and no read after it',
    );
    const given = results.filter((result) => typeof result === 'object' && result && 'user' in result);
    assert.equal(given.length, lines.length);
    for (const { read_at } of await readsOf(consentId)) assert.ok(read_at < expiresAt!);
    const refusals = results.filter((result) => typeof result === 'string');
    assert.deepEqual(
      refusals.filter((code) => code !== 'consent_expired' && code !== 'consent_revoked'),
      [],
    );
    assert.equal(
      (await outcomes([readAt(-1)]))[0],
      status === 'revoked' ? 'consent_revoked' : 'consent_expired',
      'a process whose clock is behind finds it ended too',
    );
  }
  assert.ok(ends.expired! > 0 && ends.revoked! > 0, JSON.stringify(ends));
});

test('revoked by its user, its integration and an operator at once: one of them did it, and none is refused', async () => {
  const integration = await makeIntegration(harness);
  for (let round = 0; round < 10; round++) {
    const { id: consentId, userId } = await makeConsent(harness, integration);
    const results = await Promise.all(
      [
        integrationContextOf(harness, integration),
        userContextOf(harness, userId),
        harness.operatorContext(),
        userContextOf(harness, userId),
      ].map((ctx) => revokeConsent(ctx, { consentId })),
    );
    assert.equal(new Set(results.map(({ revokedBy, revokedAt }) => `${revokedBy} ${revokedAt}`)).size, 1);
    const [line, ...more] = only(await auditOf(`consent:${consentId}`), 'revoke');
    assert.deepEqual([line!.after.revokedBy, more.length], [results[0]!.revokedBy, 0]);
  }
});

test('an integration revoked while it reads and asks: what it got came before, in the audit log too', async () => {
  for (let round = 0; round < 10; round++) {
    const integration = await makeIntegration(harness);
    const headers = { 'x-api-key': integration.token };
    const { id } = await makeConsent(harness, integration);
    const read = () => harness.request('GET', `/api/v1/consent/${id}/user`, { headers });
    const early = Array.from({ length: 4 }, read);
    await sleep(round);
    const revoking = harness.operator('integrations.revoke', { integrationId: integration.id });
    const late = Array.from({ length: 3 }, read);
    assert.equal((await revoking).status, 200);
    assert.equal((await read()).status, 401);
    const answers = await Promise.all([...early, ...late]);
    assert.ok(answers.every(({ status }) => status === 200 || status === 401));
    const reads = only(await auditOf(`consent:${id}`), 'read');
    assert.equal(reads.length, answers.filter(({ status }) => status === 200).length);
    const [end] = (await auditOf(`integration:${integration.id}`)).slice(-1);
    assert.equal(end!.action, 'integrations.revoke');
    for (const { id: readId } of reads) assert.ok(readId < end!.id);
  }
});

for (const command of ['integrations.revoke', 'integrations.rotate-key'] as const) {
  test(`200 ${command} soon, though its integration never stops reading and asking`, async () => {
    const integration = await makeIntegration(harness);
    const consents = await Promise.all(Array.from({ length: 6 }, () => makeConsent(harness, integration)));
    let isOver = false;
    let done = 0;
    const ctx = () => integrationContextOf(harness, integration);
    const flood = async (run: () => Promise<unknown>) => {
      while (!isOver) {
        await run();
        done += 1;
      }
    };
    const flooding = Promise.allSettled([
      ...consents.map(({ id: consentId }) => flood(() => readConsentedData(ctx(), { consentId, address }))),
      ...[1, 2].map(() => flood(() => requestConsent(ctx(), consentRequest()))),
    ]);
    while (done < 20) await sleep(10);
    const startedAt = performance.now();
    const { status } = await harness.operator(command, {
      integrationId: integration.id,
      ...(command === 'integrations.rotate-key' && { overlapHours: 0 }),
    });
    const tookMs = performance.now() - startedAt;
    const { id: consentId } = consents[0]!;
    const early = { ...ctx(), now: new Date(Date.now() - 60_000) };
    const late = await outcomes([readConsentedData(early, { consentId, address })]);
    isOver = true;
    const results = await flooding;
    assert.deepEqual([status, late], [200, ['invalid_api_key']]);
    assert.ok(tookMs < 60_000, `took ${tookMs} ms`);
    for (const result of results)
      if (result.status === 'rejected') assert.equal(result.reason.code, 'invalid_api_key', result.reason);
    const end = (await auditOf(`integration:${integration.id}`)).at(-1)!;
    assert.equal(end.action, command);
    const [last] = await sql(
      `select max(id)::integer as id from audit_log where actor_kind = 'integration' and actor_id = $1`,
      [integration.id],
    );
    assert.ok((last!.id as number) < end.id, 'nothing after the end');
  });
}

test('nobody is chosen as a deadlock victim: reads, changes of the user, keys, sweeps at once', async () => {
  const integration = await makeIntegration(harness);
  const { id: userId } = await makeUser(harness);
  const consents = await Promise.all(
    Array.from({ length: 3 }, () => makeConsent(harness, integration, { userId })),
  );
  const headers = { 'x-api-key': integration.token };
  const worker = { ...harness.operatorContext(), actor: { kind: 'worker', job: 'test' } as const };
  const answers = await Promise.all([
    ...consents.flatMap(({ id }, at) => [
      harness.request('GET', `/api/v1/consent/${id}/user`, { headers }),
      harness.operator('users.update', { userId, givenName: `Changed ${at}` }),
      harness.operator('integrations.rotate-key', { integrationId: integration.id }),
      harness.request('PATCH', `/api/v1/consent/${id}`, { headers, body: { scopes: ['email'] } }),
    ]),
    expireConsents(worker).then(() => ({ status: 200 })),
  ]);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
});

test('after all of this the audit log is one unbroken chain', async () => {
  const { body } = await harness.operator('audit.verify');
  assert.equal(body.data.intact, true);
});
