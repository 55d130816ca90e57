import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeConsent, makeDeposit, makeIntegration, makeKey, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { linksIn, signIn, unescaped } from '#test/worlds/console';
import { makePerson } from '#test/worlds/people';
import { readPlaces, start, writePlaces } from './read-life.ts';

const harness = useHarness();

const entriesIn = (body: string) =>
  [...body.matchAll(/<li><time datetime="([^"]+)"[\s\S]*?<a href="([^"]+)">/g)].map(([, at, link]) => ({
    at: at!,
    link: link!,
  }));

test('200 all pages together have each event once, newest first, whatever the sizes of the lists', async () => {
  const visitor = await signIn(harness, { role: 'viewer' });
  const key = await makeKey(harness);
  const { userId } = key;
  const withdrawals: string[] = [];
  for (let made = 0; made < 60; made++) withdrawals.push(await makeWithdrawal(harness, key));
  const deposits: string[] = [];
  for (let made = 0; made < 27; made++)
    deposits.push(
      (
        await makeDeposit(harness, userId, {
          blockNumber: 100 + made,
          at: new Date(Date.now() - (30 - made) * 60_000),
        })
      ).transactionHash,
    );
  await harness.operator('users.suspend', { userId, reason: 'Ticket 4711' });
  await harness.operator('users.resume', { userId });
  const found: { at: string; link: string }[] = [];
  let path: string | undefined = `/console/users/${userId}/life`;
  let pages = 0;
  while (path) {
    const { status, body } = await visitor.get(path);
    assert.equal(status, 200);
    assert.ok(Buffer.byteLength(body) < 60_000);
    found.push(...entriesIn(body));
    // The note that a page is no longer refreshed links the page itself.
    path = linksIn(body).findLast((link) => link.includes('after=') && link !== path);
    pages++;
  }
  const links = found.map(({ link }) => link);
  assert.equal(links.filter((link) => link.startsWith('/console/withdrawals/')).length, withdrawals.length);
  assert.equal(
    new Set(links.filter((link) => link.startsWith('/console/withdrawals/'))).size,
    withdrawals.length,
  );
  for (const hash of deposits) assert.equal(links.filter((link) => link.endsWith(hash)).length, 1);
  assert.ok(
    links.some((link) => link.includes('users.suspend')) &&
      links.some((link) => link.includes('users.create')),
  );
  assert.equal(pages, Math.ceil(found.length / 25));
  const times = found.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted().reverse());
});

test('200 from the page of a user, with consents; in Portuguese, too', async () => {
  const visitor = await signIn(harness);
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration);
  const { body } = await harness.operator('consents.list', { integrationId: integration.id });
  const { userId } = body.data.items[0];
  const place = `/console/users/${userId}/life`;
  assert.ok(linksIn((await visitor.get(`/console/users/${userId}`)).body).includes(place));
  assert.ok(linksIn((await visitor.get(place)).body).some((link) => link.includes(id)));
  const portuguese = await visitor.get(place, { 'accept-language': 'pt-BR' });
  assert.ok(portuguese.body.includes('A vida de') && portuguese.body.includes('Consentimento pedido'));
});

test('200 each withdrawal with its states and who approved or refused it, in order of time', async () => {
  const visitor = await signIn(harness, { role: 'viewer' });
  const key = await makeKey(harness);
  const [first, second] = [await makeWithdrawal(harness, key), await makeWithdrawal(harness, key)];
  const { db } = harness.deps;
  const idOf = async (bulkId: string) =>
    (await harness.operator('withdrawals.show', { withdrawalId: bulkId })).body.data.id as string;
  const [approved, other] = [await idOf(first), await idOf(second)];
  await db.query(
    "update withdrawals set status = 'pending', updated_at = created_at + interval '1 s' where id = $1",
    [approved],
  );
  await harness.operator('rules.draft', { rules: [{ name: 'All', verdict: 'allow' }] });
  const { id: personId } = await makePerson(harness, { role: 'compliance', name: 'Beatriz' });
  await db.query(
    `insert into rule_approvals (withdrawal_id, revision, person_id, decision, comment, credential_id, client_data,
       authenticator_data, signature, decided_at)
     select $1, max(revision), $2, 'approve', 'Agreed <by phone>', '', '', '', '', now() + interval '1 minute' from rule_sets`,
    [approved, personId],
  );
  const { body } = await visitor.get(`/console/users/${key.userId}/life`);
  const rowOf = (id: string) => body.slice(body.indexOf(id)).split('</ul>')[0]!;
  const steps = unescaped(rowOf(approved).replaceAll(/<[^>]+>/g, ' '));
  assert.match(steps, /queued .* pending .* Approved by Beatriz .* Agreed <by phone>/s);
  assert.ok(!rowOf(other).includes('Beatriz') && rowOf(other).includes('queued'));
  const { status, body: given } = await harness.operator('withdrawals.history', {
    withdrawalIds: [other, crypto.randomUUID(), approved, other],
  });
  assert.equal(status, 200);
  assert.deepEqual(
    given.data.items.map(({ withdrawalId }: { withdrawalId: string }) => withdrawalId),
    [other, approved],
  );
  assert.deepEqual(
    given.data.items[1].decisions.map(({ name, comment }: Record<string, string>) => [name, comment]),
    [['Beatriz', 'Agreed <by phone>']],
  );
});

test('404 an unknown user, and places that are no page’s', async () => {
  const visitor = await signIn(harness);
  assert.equal((await visitor.get(`/console/users/${crypto.randomUUID()}/life`)).status, 404);
  const { userId } = await makeKey(harness);
  for (const after of ['', 'x', 'W10', Buffer.from('[1,2,3,4,5]').toString('base64url'), 'a'.repeat(5_000)])
    assert.equal((await visitor.get(`/console/users/${userId}/life?after=${after}`)).status, 404, after);
  assert.deepEqual(readPlaces(writePlaces(start)), start);
});
