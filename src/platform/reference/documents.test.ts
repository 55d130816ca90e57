import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { isDeepStrictEqual, promisify } from 'node:util';
import { partnerExamples } from '#surfaces/examples';
import { createChecker, type Document } from '#test/callers/check-answers';
import { testFolder, useHarness } from '#test/harness';
import { commands, historyReaders } from '../../app.ts';

const harness = useHarness();
const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');
let partner: Document;
let operator: Document;
let folder: string;

before(async () => {
  partner = (await harness.request('GET', '/openapi.json')).body;
  operator = (await harness.request('GET', '/operator/openapi.json', { token: harness.operatorToken })).body;
  folder = mkdtempSync(path.join(testFolder(), 'reference-'));
  writeFileSync(path.join(folder, 'partner.json'), JSON.stringify(partner));
  writeFileSync(path.join(folder, 'operator.json'), JSON.stringify(operator));
});

const documents = { partner: () => partner, operator: () => operator };
const operationsOf = (document: Document): [string, Document][] =>
  Object.entries<Document>(document.paths).flatMap(([url, methods]) =>
    Object.entries<Document>(methods).map(([method, one]): [string, Document] => [
      `${method.toUpperCase()} ${url}`,
      one,
    ]),
  );

test('200 /openapi.json: what partners and integrations call, and nothing else', () => {
  assert.equal(partner.openapi, '3.1.0');
  assert.equal(partner.info.version, '1.0.0');
  assert.deepEqual(
    operationsOf(partner).map(([place, { operationId }]) => `${place} ${operationId}`),
    [
      'POST /api/crypto/{userId}/withdraw createWithdrawal',
      'POST /api/crypto/{userId}/withdrawals/bulk createBulk',
      'GET /api/crypto/{userId}/withdraws listWithdrawals',
      'GET /api/crypto/assets listAssets',
      'GET /api/limits readLimits',
      'POST /api/withdrawals/uploads uploadPayouts',
      'GET /api/withdrawals/uploads/{uploadId} showUpload',
      'POST /api/withdrawals/uploads/{uploadId}/confirm confirmUpload',
      'GET /api/withdrawals listPartnerWithdrawals',
      'GET /api/withdrawals/export exportWithdrawals',
      'GET /api/withdrawals/summary summarizeWithdrawals',
      'GET /api/withdrawals/bulks/{bulkId} showBulk',
      'GET /api/withdrawals/{withdrawalId} showWithdrawal',
      'GET /api/history getHistory',
      'GET /api/history/statement getStatement',
      'POST /mcp callTool',
      'GET /api/keys listKeys',
      'POST /api/keys issueKey',
      'GET /api/keys/{keyId} showKey',
      'POST /api/keys/{keyId}/rotate rotateKey',
      'POST /api/keys/{keyId}/revoke revokeKey',
      'GET /api/users listUsers',
      'GET /api/addresses listAddresses',
      'POST /api/addresses proposeAddress',
      'POST /api/addresses/{addressId}/confirm confirmAddress',
      'DELETE /api/addresses/{addressId} removeAddress',
      'GET /api/requests listRequests',
      'POST /people/team/list listColleagues',
      'POST /people/team/invite inviteColleague',
      'POST /people/team/reinvite reinviteColleague',
      'POST /people/team/update updateColleague',
      'POST /people/team/remove removeColleague',
      'POST /api/v1/consent/requests requestConsent',
      'GET /api/v1/consent/{consentId}/user readConsentedData',
      'GET /api/v1/consent/{consentId} showConsent',
      'PATCH /api/v1/consent/{consentId} reduceConsent',
      'DELETE /api/v1/consent/{consentId} revokeConsent',
      'GET /api/integration showOwnIntegration',
      'POST /api/integration/rotate-key rotateOwnIntegrationKey',
      'GET /api/integration/activity showIntegrationActivity',
      'GET /api/events listEvents',
      'GET /api/v1/events listIntegrationEvents',
      'POST /api/webhooks/endpoints createWebhookEndpoint',
      'GET /api/webhooks/endpoints listWebhookEndpoints',
      'GET /api/webhooks/endpoints/{endpointId} showWebhookEndpoint',
      'PATCH /api/webhooks/endpoints/{endpointId} updateWebhookEndpoint',
      'DELETE /api/webhooks/endpoints/{endpointId} deleteWebhookEndpoint',
      'POST /api/webhooks/endpoints/{endpointId}/rotate-secret rotateWebhookSecret',
      'POST /api/webhooks/endpoints/{endpointId}/test testWebhookEndpoint',
      'POST /api/webhooks/endpoints/{endpointId}/replay replayWebhookEvents',
      'GET /api/webhooks/endpoints/{endpointId}/deliveries listWebhookDeliveries',
      'GET /api/webhooks/endpoints/{endpointId}/deliveries/{deliveryId} showWebhookDelivery',
      'GET /.well-known/webhook-keys/{endpointId} listWebhookKeys',
      'POST /api/v1/webhooks/endpoints createIntegrationWebhookEndpoint',
      'GET /api/v1/webhooks/endpoints listIntegrationWebhookEndpoints',
      'GET /api/v1/webhooks/endpoints/{endpointId} showIntegrationWebhookEndpoint',
      'PATCH /api/v1/webhooks/endpoints/{endpointId} updateIntegrationWebhookEndpoint',
      'DELETE /api/v1/webhooks/endpoints/{endpointId} deleteIntegrationWebhookEndpoint',
      'POST /api/v1/webhooks/endpoints/{endpointId}/rotate-secret rotateIntegrationWebhookSecret',
      'POST /api/v1/webhooks/endpoints/{endpointId}/test testIntegrationWebhookEndpoint',
      'POST /api/v1/webhooks/endpoints/{endpointId}/replay replayIntegrationWebhookEvents',
      'GET /api/v1/webhooks/endpoints/{endpointId}/deliveries listIntegrationWebhookDeliveries',
      'GET /api/v1/webhooks/endpoints/{endpointId}/deliveries/{deliveryId} showIntegrationWebhookDelivery',
    ],
  );
});

test('200 /operator/openapi.json: every command, made from the schemas that validate', () => {
  for (const { name, summary, input } of commands) {
    const operation = operator.paths[`/operator/${name}`].post;
    assert.ok(operation.description.startsWith(summary));
    assert.deepEqual(operation.security, [{ operatorToken: [] }]);
    const { $ref } = operation.requestBody.content['application/json'].schema;
    const schema = operator.components.schemas[$ref.split('/').at(-1)];
    assert.deepEqual(Object.keys(schema.properties), Object.keys(input.properties));
    assert.equal(schema.additionalProperties, false);
  }
});

test('401 /operator/openapi.json without a token', async () => {
  for (const token of [undefined, 'wrong']) {
    const { status, body } = await harness.request('GET', '/operator/openapi.json', { token });
    assert.deepEqual([status, body.error], [401, 'Unauthorized']);
  }
});

test('history: resource and feature have their values, and each feature has an answer and an example', () => {
  const { parameters, responses } = partner.paths['/api/history'].get;
  const named = new Map<string, Document>(parameters.map((one: Document) => [one.name, one]));
  assert.deepEqual(named.get('resource').schema.enum, ['account', 'cards']);
  const features = historyReaders.map(({ feature }) => feature);
  assert.deepEqual(named.get('feature').schema.enum, features);
  const { schema, examples } = responses['200'].content['application/json'];
  assert.deepEqual(Object.keys(examples), features);
  const page = partner.components.schemas[schema.$ref.split('/').at(-1)];
  assert.equal(page.oneOf.length, 4);
});

test('every row of the contract’s error tables is in the document, with its message', () => {
  const contract = readFileSync(path.join(root, 'docs/contract.md'), 'utf8');
  const tables = contract.slice(contract.indexOf('## Errors'), contract.indexOf('## Limits'));
  const rows = [...tables.matchAll(/^\| (\d{3}) \|(?: -\d+ \|)? `([^`]+)`/gm)].filter(
    ([, status]) => status !== '200',
  );
  assert.equal(rows.length, 14);
  const text = JSON.stringify(partner);
  const missing = rows.filter(([, , message]) => !text.includes(message!.replace(/\.\.\.$/, '')));
  assert.deepEqual(missing, []);
  for (const code of [-32600, -32001, -32003, -32004, -32005])
    assert.ok(JSON.stringify(partner.paths['/mcp']).includes(`"code":${code}`), String(code));
});

test('partner: every JSON answer has an example that a test got, but for two', () => {
  const written = operationsOf(partner).flatMap(([, { operationId, responses }]) =>
    Object.entries<Document>(responses)
      .filter(([status, { content }]) => status < '300' && content?.['application/json'])
      .filter(([status, { content }]) => {
        const recorded = Object.keys(partnerExamples[operationId]?.[status] ?? {});
        return !isDeepStrictEqual(Object.keys(content['application/json'].examples), recorded);
      })
      .map(() => operationId),
  );
  assert.deepEqual(written, ['callTool', 'showIntegrationActivity']);
});

for (const [name, read] of Object.entries(documents)) {
  test(`${name}: operations have unique names, and chapters that are described`, () => {
    const operations = operationsOf(read()).map(([, one]) => one);
    const ids = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(ids).size, ids.length);
    const chapters = new Set(read().tags.map((tag: Document) => tag.name));
    assert.deepEqual(new Set(operations.flatMap(({ tags }) => tags)), chapters);
  });

  test(`${name}: each request and each JSON answer has examples that fit its schema`, () => {
    const document = read();
    const { faultsOf } = createChecker(document);
    let count = 0;
    const sent = Object.entries<Document>(document.webhooks ?? {}).map(([type, { post }]) => [type, post]);
    for (const [place, operation] of [...operationsOf(document), ...sent]) {
      const bodies = [operation.requestBody, ...Object.values<Document>(operation.responses)];
      for (const json of bodies.map((one) => one?.content?.['application/json']).filter(Boolean)) {
        const examples = Object.entries<Document>(json.examples ?? {});
        assert.ok(examples.length > 0, `${place} has no example: ${JSON.stringify(json.schema)}`);
        for (const [title, { value }] of examples) {
          count++;
          assert.deepEqual(faultsOf(json.schema, value), [], `${place} ${title}`);
        }
      }
    }
    assert.ok(count > 80);
  });

  test(`${name}: Redocly’s recommended rules find nothing`, async () => {
    const cli = path.join(root, 'node_modules/@redocly/cli/bin/cli.js');
    const file = path.join(folder, `${name}.json`);
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const args = [cli, 'lint', file, '--extends=recommended', '--format=json'];
    const { stdout } = await run(process.execPath, args, { env, cwd: folder, maxBuffer: 2 ** 26 }).catch(
      (error) => error,
    );
    const { totals, problems } = JSON.parse(stdout);
    assert.deepEqual(problems.slice(0, 5), []);
    assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 });
  });

  test(`${name}: openapi-typescript gives named operations and no unknown`, async () => {
    const maker = path.join(root, 'test/generate/make-types.ts');
    const { stdout } = await run(process.execPath, [maker, path.join(folder, `${name}.json`)], {
      maxBuffer: 2 ** 26,
    });
    const [, operations = ''] = stdout.split('export interface operations {');
    const names = operationsOf(read()).map(([, { operationId }]) => operationId);
    for (const id of names) assert.match(operations, new RegExp(`^    ${id}: \\{$`, 'm'));
    // Each response has headers that it does not describe.
    const types = stdout.replaceAll('[name: string]: unknown;', '');
    assert.deepEqual(types.match(/.*[:|<(] ?unknown\b.*/g), null);
  });
}

test('every operation documents 405 with Allow, and one with a body 413 and 415', () => {
  for (const document of [partner, operator])
    for (const [place, { responses, requestBody }] of operationsOf(document)) {
      assert.ok(responses[405]?.headers.Allow, place);
      if (requestBody) for (const status of [413, 415]) assert.ok(responses[status], `${status} of ${place}`);
    }
});

test('answers document their headers: request id, rate limits, retries and replays', () => {
  const names = (response: Document) => Object.keys(response.headers);
  for (const document of [partner, operator])
    for (const [place, { responses }] of operationsOf(document))
      for (const [status, response] of Object.entries<Document>(responses)) {
        assert.ok(names(response).includes('X-Request-Id'), `${status} of ${place}`);
        for (const { $ref } of Object.values<Document>(response.headers))
          assert.ok(document.components.headers[$ref.split('/').at(-1)], $ref);
        if (status === '429' || status === '503')
          assert.ok(names(response).includes('Retry-After'), `${status} of ${place}`);
      }
  const { responses } = partner.paths['/api/crypto/{userId}/withdraw'].post;
  assert.deepEqual(names(responses[200]), [
    'X-Request-Id',
    'RateLimit-Policy',
    'RateLimit',
    'Idempotency-Replayed',
  ]);
});
