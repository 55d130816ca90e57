import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { IssuedKey } from '#features/keys';
import { addWallet } from '#features/users';
import { partnerExamples } from '#surfaces/examples';
import { createChecker, type Document } from '#test/callers/check-answers';
import {
  type ExampleRequest,
  exampleRequests,
  noteShownSecrets,
  withIds,
} from '#test/callers/example-requests';
import { payloadOf, toolCall } from '#test/callers/mcp';
import { signInStaff } from '#test/callers/staff-session';
import {
  makeAddress,
  makeConsent,
  makeFunds,
  makeIntegration,
  makeKey,
  makeLines,
  makeUser,
  makeWithdrawal,
} from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { fix } from '#test/generate/merge-examples';
import { recordAnswer } from '#test/generate/record-calls';
import { useIssuer } from '#test/outside/issuer';
import { makePerson } from '#test/worlds/people';
import { type Answer, noteSecret, type RequestOptions, useHarness } from './harness.ts';

// Sends every request that the API reference of partners shows. Its ids are replaced by those of things that
// exist here, everything else is sent as it is shown. The answer must be the documented one, and, if the
// request has a body, the example of the answer beside it.

const issuer = useIssuer();
const harness = useHarness(async () => ({
  issuer: issuer.issuer,
  rateLimitStore: 'postgres' as const,
}));
let partner: Document;
let checker: ReturnType<typeof createChecker>;

before(async () => {
  partner = (await harness.request('GET', '/openapi.json')).body;
  checker = createChecker(partner);
  // The recipient of the examples.
  const names = { givenName: 'Ana', familyName: 'Ribeiro' };
  const { id: userId } = await makeUser(harness, { email: 'ana@example.com', ...names });
  for (const network of ['polygon', 'base'] as const) {
    const wallet = { userId, network, address: makeAddress(), custody: 'platform' } as const;
    await addWallet(harness.operatorContext(), wallet);
  }
});

/** Who sends a request, and what the ids of the example stand for. */
interface Sender {
  as: RequestOptions;
  /** By the name of the parameter or of the field. */
  ids?: Readonly<Record<string, string>>;
}

const withKey = async (scopes?: string[]): Promise<Sender & { key: IssuedKey }> => {
  const key = await makeKey(harness, { ...(scopes && { scopes }) });
  await makeFunds(harness, key.userId, 'base', 'USDC', '340');
  await makeFunds(harness, key.userId, 'polygon', 'USDT', '100');
  return { key, as: { token: key.token }, ids: { userId: key.userId } };
};
const adminScopes = ['partner:admin', 'history:read', 'events:read'];
const withAdminKey = () => withKey(adminScopes);
const withSession = async () => {
  const { key } = await withKey();
  const { headers, person } = await signInStaff(harness, { role: 'owner', partnerId: key.partnerId });
  return { key, person, as: { headers }, ids: { userId: key.userId } };
};
const withIntegration = async () => {
  const integration = await makeIntegration(harness);
  return { integration, as: { headers: { 'x-api-key': integration.token } } };
};
const withDeveloper = async () => {
  const { id: integrationId } = await makeIntegration(harness);
  return { as: { headers: (await signInStaff(harness, { role: 'owner', integrationId })).headers } };
};

const withUpload = async () => {
  const sender = await withSession();
  const csv = 'to,amount,currency,network\nana@example.com,12.50,USDC,base\n';
  const body = { userId: sender.key.userId, csv };
  const uploaded = await harness.request('POST', '/api/withdrawals/uploads', { ...sender.as, body });
  return { ...sender, ids: { uploadId: uploaded.body.id as string } };
};
const withPayment = async () => {
  const sender = await withSession();
  const bulkId = await makeWithdrawal(harness, sender.key);
  const { body } = await harness.operator('withdrawals.list', { bulkId });
  return { ...sender, ids: { bulkId, withdrawalId: body.data.items[0].id as string } };
};
const withOtherKey = async () => {
  const sender = await withAdminKey();
  const body = { name: 'Reports', scopes: ['history:read', 'events:read'] };
  const issued = await harness.request('POST', '/api/keys', { ...sender.as, body });
  noteSecret(issued.body.token.split('_')[2]);
  return { ...sender, ids: { keyId: issued.body.id as string } };
};
const withAddress = async () => {
  const { key } = await withAdminKey();
  const body = { address: makeAddress(), name: 'Payroll' };
  const proposed = await harness.request('POST', '/api/addresses', { token: key.token, body });
  const { headers } = await signInStaff(harness, { role: 'owner', partnerId: key.partnerId });
  return { as: { headers }, ids: { addressId: proposed.body.id as string } };
};
let colleagues = 0;
const withColleague = async () => {
  const sender = await withSession();
  const { partnerId } = sender.key;
  const terms = { partnerId, role: 'finance', name: 'Rui Lima', email: `rui-${++colleagues}@example.org` };
  return { ...sender, ids: { personId: (await makePerson(harness, terms)).id } };
};
const withConsent = async () => {
  const sender = await withIntegration();
  return { ...sender, ids: { consentId: (await makeConsent(harness, sender.integration)).id } };
};

// Feeds that are longer than the place where the examples go on.
const withLines = async () => {
  const sender = await withKey();
  await makeLines(harness, sender.key.userId, Array(50).fill({}));
  await numberAll(harness);
  return { as: sender.as };
};
const withConsents = async () => {
  const sender = await withIntegration();
  const { id: userId } = await makeUser(harness);
  for (let at = 0; at < 50; at++) await makeConsent(harness, sender.integration, { userId });
  await numberAll(harness);
  return sender;
};

/** An endpoint with a delivery. One that is off has missed an event, and one that is back, too. */
async function withEndpoint(
  audience: 'partner' | 'integration',
  state: 'on' | 'off' | 'back' = 'on',
): Promise<Sender> {
  const sender = audience === 'partner' ? await withKey() : await withIntegration();
  const base = audience === 'partner' ? '/api/webhooks/endpoints' : '/api/v1/webhooks/endpoints';
  const ask = (method: string, path: string, body?: object) =>
    harness.request(method, `${base}${path}`, { ...sender.as, ...(body && { body }) });
  const created = await ask('POST', '', { url: 'https://hooks.example.com/causeway' });
  noteSecret(created.body.secret.slice('whsec_'.length));
  const endpointId: string = created.body.id;
  await ask('POST', `/${endpointId}/test`);
  await numberAll(harness);
  const { body } = await ask('GET', `/${endpointId}/deliveries`);
  const [{ id: deliveryId, eventId }] = body.items;
  if (state !== 'on') {
    await ask('PATCH', `/${endpointId}`, { enabled: false });
    if ('key' in sender) await makeWithdrawal(harness, sender.key);
    else await makeConsent(harness, sender.integration);
    await numberAll(harness);
  }
  if (state === 'back') await ask('PATCH', `/${endpointId}`, { enabled: true });
  return { as: sender.as, ids: { endpointId, deliveryId, eventId } };
}

/** By operation. One that is missing here fails. */
const senders: Record<string, (name: string) => Promise<Sender>> = {
  createWithdrawal: () => withKey(),
  createBulk: () => withKey(),
  listWithdrawals: () => withKey(),
  listAssets: () => withKey(),
  readLimits: () => withKey(),
  uploadPayouts: withSession,
  showUpload: withUpload,
  confirmUpload: withUpload,
  listPartnerWithdrawals: () => withKey(),
  exportWithdrawals: withSession,
  summarizeWithdrawals: withSession,
  showBulk: withPayment,
  showWithdrawal: withPayment,
  getHistory: () => withKey(),
  getStatement: () => withKey(),
  callTool: async (name) => {
    const { as } = await withKey(['mcp', 'mcp:write', 'mcp_card_reveal']);
    if (name !== 'updateUserCard') return { as };
    const cards = [{ spendingLimit: '50', nickname: 'Office' }];
    const made = payloadOf(
      await harness.request('POST', '/mcp', { ...as, body: toolCall('createUserCards', { cards }) }),
    );
    const [{ id: cardId, cardIssuerUserId }] = made.cards;
    return { as, ids: { cardId, cardIssuerUserId } };
  },
  listKeys: withAdminKey,
  issueKey: withAdminKey,
  showKey: withOtherKey,
  rotateKey: withOtherKey,
  revokeKey: withOtherKey,
  listUsers: withSession,
  listAddresses: withAdminKey,
  proposeAddress: withAdminKey,
  confirmAddress: withAddress,
  removeAddress: withAddress,
  listRequests: withAdminKey,
  listColleagues: async () => ({ as: (await withColleague()).as }),
  inviteColleague: withSession,
  reinviteColleague: withColleague,
  updateColleague: withColleague,
  removeColleague: withColleague,
  requestConsent: withIntegration,
  readConsentedData: withConsent,
  showConsent: withConsent,
  reduceConsent: withConsent,
  revokeConsent: withConsent,
  showOwnIntegration: withDeveloper,
  rotateOwnIntegrationKey: withDeveloper,
  showIntegrationActivity: withDeveloper,
  listEvents: withLines,
  listIntegrationEvents: withConsents,
  createWebhookEndpoint: () => withKey(),
  listWebhookEndpoints: () => withKey(),
  showWebhookEndpoint: () => withEndpoint('partner'),
  updateWebhookEndpoint: () => withEndpoint('partner', 'off'),
  deleteWebhookEndpoint: () => withEndpoint('partner'),
  rotateWebhookSecret: () => withEndpoint('partner'),
  testWebhookEndpoint: () => withEndpoint('partner'),
  replayWebhookEvents: (name) => withEndpoint('partner', name === 'missed' ? 'back' : 'on'),
  listWebhookDeliveries: () => withEndpoint('partner'),
  showWebhookDelivery: () => withEndpoint('partner'),
  listWebhookKeys: async () => ({ ...(await withEndpoint('partner')), as: {} }),
  createIntegrationWebhookEndpoint: withIntegration,
  listIntegrationWebhookEndpoints: withIntegration,
  showIntegrationWebhookEndpoint: () => withEndpoint('integration'),
  updateIntegrationWebhookEndpoint: () => withEndpoint('integration', 'off'),
  deleteIntegrationWebhookEndpoint: () => withEndpoint('integration'),
  rotateIntegrationWebhookSecret: () => withEndpoint('integration'),
  testIntegrationWebhookEndpoint: () => withEndpoint('integration'),
  replayIntegrationWebhookEvents: (name) => withEndpoint('integration', name === 'missed' ? 'back' : 'on'),
  listIntegrationWebhookDeliveries: () => withEndpoint('integration'),
  showIntegrationWebhookDelivery: () => withEndpoint('integration'),
};

async function send(example: ExampleRequest): Promise<Answer & { restored: object }> {
  const { as, ids = {} } = await senders[example.operationId]!(example.name);
  const { url, body, restore } = withIds(example, ids);
  const headers = { ...example.headers, ...as.headers };
  await harness.deps.db.query('delete from rate_windows');
  const answer = await harness.request(example.method, url, { ...as, headers, ...(body && { body }) });
  noteShownSecrets(answer);
  checker.check(example.method, url, answer);
  return { ...answer, restored: restore(answer.body) };
}

/** Instants differ from run to run, and which of them are equal, too. */
const withoutInstants = (value: object): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'an instant'));

test('every operation of partners has a sender here, and nothing else has', () => {
  const operations = exampleRequests(partner).map(({ operationId }) => operationId);
  assert.deepEqual(Object.keys(senders), [...new Set(operations)]);
});

test('200: every request that the reference shows gets the answer beside it', async (t) => {
  for (const example of exampleRequests(partner)) {
    const { operationId, name, path, body } = example;
    await t.test(`${operationId} ${name}`, async () => {
      const { status, restored, ...answer } = await send(example);
      assert.ok(status < 300, `${status} ${JSON.stringify(answer.body)}`);
      if (operationId === 'callTool') return void payloadOf({ status, ...answer });
      if (body === undefined) return;
      const asked = { path, body };
      recordAnswer(operationId, name, { status, body: restored }, asked);
      const shown = partnerExamples[operationId]?.[status]?.[name]?.value ?? {};
      assert.deepEqual(
        withoutInstants(fix(restored, asked)),
        withoutInstants(shown),
        `write it by npm run examples -- ${operationId}`,
      );
    });
  }
});
