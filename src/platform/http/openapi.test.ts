import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserTest, useBrowser } from '#test/browser';
import { useHarness } from '#test/harness';
import { commands } from '../../app.ts';

const harness = useHarness();
const browser = useBrowser();

test('200 /openapi.json: version 1.0.0 in OpenAPI 3.1, a section for every command, made from the schemas that validate', async () => {
  const { status, body } = await harness.request('GET', '/openapi.json');
  assert.equal(status, 200);
  assert.equal(body.openapi, '3.1.0');
  assert.equal(body.info.version, '1.0.0');
  for (const { name, summary, input } of commands) {
    const operation = body.paths[`/operator/${name}`].post;
    assert.equal(operation.summary, summary);
    assert.deepEqual(operation.security, [{ operatorToken: [] }]);
    const schema = operation.requestBody.content['application/json'].schema;
    assert.deepEqual(Object.keys(schema.properties), Object.keys(input.properties));
    assert.equal(schema.additionalProperties, false);
    assert.ok(operation.responses['4XX'], 'the error body is documented');
  }
  const history = body.paths['/api/history'].get;
  assert.deepEqual(
    history.parameters.map((parameter: { name: string }) => parameter.name),
    [
      'resource',
      'feature',
      'currentPage',
      'pageSize',
      'startDate',
      'endDate',
      'filterByText',
      'asOf',
      'status',
    ],
  );
});

browserTest('/docs works in a browser that can reach nothing but us', async () => {
  const { page, strayed, errors } = await browser.open(harness.url);
  await page.goto(`${harness.url}/docs`, { waitUntil: 'networkidle' });
  await page.getByText('Create a partner.').waitFor();
  await page.getByText('Account and card history of the user that owns the key.').waitFor();
  if (process.env.CAUSEWAY_SCREENSHOTS) {
    await page.screenshot({ path: `${process.env.CAUSEWAY_SCREENSHOTS}/docs.png`, fullPage: false });
  }
  assert.deepEqual(strayed, []);
  assert.deepEqual(errors, []);
});
