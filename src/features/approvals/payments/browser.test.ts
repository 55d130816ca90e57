import assert from 'node:assert/strict';
import { browserTest, useBrowser } from '#test/callers/browser';
import { makeKey, makeWithdrawal } from '#test/data/factories';
import { type Answer, useHarness } from '#test/harness';
import { answerInPage, makePerson, openWithPasskeys, register } from '#test/worlds/people';
import { publish } from '#test/worlds/rules';

const harness = useHarness();
const browser = useBrowser();

browserTest(
  'a person approves a payment with the passkey of their browser',
  { timeout: 600_000 },
  async () => {
    const key = await makeKey(harness);
    await publish(harness, [
      {
        name: 'Ask',
        verdict: 'approve',
        approvals: { count: 1, role: 'compliance' },
        partners: [key.partnerId],
      },
    ]);
    const bulkId = await makeWithdrawal(harness, key, { amount: '6' });
    const [row] = await harness.deps.db.query<{ id: string }>(
      'select id from withdrawals where bulk_id = $1',
      [bulkId],
    );
    const opened = await openWithPasskeys(harness, browser);
    const { page } = opened;
    const person = await makePerson(harness, { role: 'compliance' });
    await register(opened, person.url);
    const csrf = await page.locator('input[name=csrf]').first().inputValue();
    const post = (path: string, body: object, token = csrf): Promise<Pick<Answer, 'status' | 'body'>> =>
      page.evaluate(
        async ({ path, body, token }) => {
          const response = await fetch(`/people/approvals/${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-csrf-token': token },
            body: JSON.stringify(body),
          });
          return { status: response.status, body: await response.json() };
        },
        { path, body, token },
      );
    const decision = 'approve';
    assert.equal((await post(`${row!.id}/options`, { decision }, 'wrong')).status, 403);
    const offered = await post(`${row!.id}/options`, { decision });
    assert.equal(offered.status, 200);
    const answer = await answerInPage(page, 'get', offered.body.data);
    const turned = await post(row!.id, { decision: 'refuse', answer });
    assert.deepEqual(
      [turned.status, turned.body.code],
      [400, 'passkey_refused'],
      'an approval is no refusal',
    );
    const decided = await post(row!.id, { decision, comment: 'Known supplier', answer });
    assert.equal(decided.status, 200, decided.body.error);
    assert.deepEqual(decided.body.data.approvedBy, [person.name]);
    assert.equal((await post(row!.id, { decision, answer })).status, 400, 'its counter went back');
    const [ruling] = await harness.deps.db.query('select ruling from rules_ruling($1)', [row!.id]);
    assert.deepEqual(ruling, { ruling: 'approved' });
    await page.close();
  },
);
