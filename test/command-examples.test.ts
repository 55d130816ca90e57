import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signWebhook } from '#adapters/issuer';
import { createChecker, type Document } from '#test/callers/check-answers';
import { exampleRequests, noteShownSecrets, placedIn } from '#test/callers/example-requests';
import { makeFunds, makePartner } from '#test/data/factories';
import { networksWithoutNodes, useHarness } from '#test/harness';
import { startChain } from '#test/outside/chain';
import { startTestIssuer } from '#test/outside/issuer';
import { commandInputs } from '#test/worlds/command-inputs';
import { commands } from '../src/app.ts';
import { exampleOf } from '../src/surfaces/operator/reference.ts';

// Sends what the API reference of operators shows for each command that changes something, and the event of
// the card issuer, to a server where the things exist that the command needs. Commands that only read are in
// test/reference-answers.test.ts.

const chain = await startChain({ network: 'base' });
after(() => chain.stop());
const issuer = await startTestIssuer();
after(() => issuer.stop());
const others = networksWithoutNodes().filter(({ network }) => network !== 'base');
const harness = useHarness({
  networks: [chain.settings, ...others],
  issuer: issuer.issuer,
  issuerWebhookSecrets: [issuer.webhookSecret],
});
let document: Document;
let check: ReturnType<typeof createChecker>['check'];
before(async () => {
  const { operatorToken: token } = harness;
  document = (await harness.request('GET', '/operator/openapi.json', { token })).body;
  ({ check } = createChecker(document));
});

const inputs = commandInputs(harness, chain);
const nextYear = () => new Date(Date.now() + 365 * 86_400_000).toISOString();

/** What an example needs beyond the input of `commandInputs`, which is `given`. */
// biome-ignore lint/suspicious/noExplicitAny: inputs of commands.
const more: Record<string, (given: any) => Promise<object>> = {
  // The examples are of July 2026, and a key does not expire before now.
  'keys.issue': async () => ({ expiresAt: nextYear() }),
  'keys.update': async () => ({ expiresAt: nextYear() }),
  'addresses.add': async () => ({ partnerId: (await makePartner(harness)).id }),
  'wallets.rebind': async () => run('wallets.rebind', { deploymentId: 'production-1' }),
  'cards.create': async ({ userId }) => run('cards.open-account', { userId }),
  'cards.simulate-settlement': authorize,
  'cards.simulate-refund': async () => {
    const { transactionId } = await authorize();
    await run('cards.simulate-settlement', { transactionId });
    return { transactionId };
  },
  // The record that the reference shows, because it has two legs.
  'ledger.settle': async ({ userId }) => {
    await makeFunds(harness, userId, 'polygon', 'USDC', '5');
    const shown = exampleOf('ledger.record-unsettled');
    const { records } = await run('ledger.record-unsettled', { ...shown, userId });
    return { id: records[0].id };
  },
};

/** A payment by card that is as large as the one of the reference. */
async function authorize() {
  const shown = exampleOf('cards.simulate-authorization')!;
  const input = placedIn(shown, await inputs['cards.simulate-authorization']!());
  const { transaction } = await run('cards.simulate-authorization', input);
  return { transactionId: transaction.id as string };
}

async function run(name: string, input: object) {
  const { status, body } = await harness.operator(name, input);
  assert.equal(status, 200, `${name}: ${body.error}`);
  return body.data;
}

for (const { name } of commands.filter(({ changes }) => changes))
  test(`200 ${name}: as the reference shows it`, async () => {
    const world = await inputs[name]!();
    const input = placedIn(exampleOf(name)!, { ...world, ...(await more[name]?.(world)) });
    const answer = await harness.operator(name, input);
    noteShownSecrets(answer);
    check('POST', `/operator/${name}`, answer);
    assert.equal(answer.status, 200, `${JSON.stringify(input)}: ${JSON.stringify(answer.body)}`);
  });

test('204 /issuer/events: the event that the reference shows', async () => {
  const path = '/issuer/events';
  const shown = exampleRequests(document).filter(({ template }) => template === path);
  assert.deepEqual(
    shown.map(({ name }) => name),
    ['collateral'],
  );
  const body = JSON.stringify(shown[0]!.body);
  const id = 'event_1042';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signWebhook(issuer.webhookSecret, id, timestamp, Buffer.from(body)),
  };
  const answer = await harness.request('POST', path, { headers, body });
  check('POST', path, answer);
  assert.equal(answer.status, 204);
});

test('no other operation of operators has a request', () => {
  const others = exampleRequests(document).filter(
    ({ template, body }) => !template.startsWith('/operator/') && body !== undefined,
  );
  assert.deepEqual(
    others.map(({ template }) => template),
    ['/issuer/events'],
  );
});
