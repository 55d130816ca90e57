import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { extractText } from 'unpdf';
import { browserTest, useBrowser } from '#test/callers/browser';
import { makeAddress, makeKey, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { signIn } from '#test/worlds/console';
import { localhostOf, makePerson } from '#test/worlds/people';
import { publish } from '#test/worlds/rules';

const harness = useHarness();
const browser = useBrowser();

/** One that a rule holds back, and one that was signed, approved by Beatriz. */
async function makePayments() {
  const key = await makeKey(harness);
  await publish(harness, [
    { name: 'Large ones', verdict: 'approve', approvals: { count: 2, role: 'compliance' } },
  ]);
  const idOf = async (withdrawalId: string) =>
    (await harness.operator('withdrawals.show', { withdrawalId })).body.data.id as string;
  const [waiting, signed] = [
    await idOf(await makeWithdrawal(harness, key, { amount: '1234.5' })),
    await idOf(await makeWithdrawal(harness, key)),
  ];
  const { db } = harness.deps;
  const [wallet, hash] = [makeAddress().toLowerCase(), `0x${randomBytes(32).toString('hex')}`];
  await db.query("update withdrawals set status = 'pending', waiting_for = 'approval' where id = $1", [
    waiting,
  ]);
  await db.query("update withdrawals set status = 'pending' where id = $1", [signed]);
  await db.query(
    `insert into payout_signers (network, address, next_nonce, server, created_at)
     values ('polygon', $1, 1, database_server(), now())`,
    [wallet],
  );
  await db.query(
    "insert into payout_slots (network, address, nonce, withdrawal_id, opened_at) values ('polygon', $1, 0, $2, now())",
    [wallet, signed],
  );
  await db.query(
    `insert into payout_attempts (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at, sent_at,
       sends, last_answer) values ($1, 'polygon', $2, 0, '', 30000000000, 1000000000, now(), now(), 1, 'accepted')`,
    [hash, wallet],
  );
  await db.query("update withdrawals set status = 'processing' where id = $1", [signed]);
  const { id: personId } = await makePerson(harness, { role: 'compliance', name: 'Beatriz Lima' });
  await db.query(
    `insert into rule_approvals (withdrawal_id, revision, person_id, decision, comment, credential_id, client_data,
       authenticator_data, signature, decided_at)
     select $1, max(revision), $2, 'approve', 'Agreed by phone', '', '', '', '', now() from rule_sets`,
    [signed, personId],
  );
  return { waiting, signed, hash };
}

browserTest(
  'on paper: a withdrawal, an approval and a change, dark on white, with whole hashes and exact times, and no buttons',
  { timeout: 600_000 },
  async () => {
    const { signed, waiting, hash } = await makePayments();
    const visitor = await signIn(harness, { role: 'compliance', name: 'Carla Dias' });
    const { page } = await browser.open(localhostOf(harness), { colorScheme: 'dark' });
    const [name = '', value = ''] = visitor.cookie.split('=');
    await page.context().addCookies([{ name, value, url: localhostOf(harness) }]);
    const print = async (path: string) => {
      await page.goto(`${localhostOf(harness)}/console${path}`);
      await page.emulateMedia({ media: 'print' });
      const colour = await page.evaluate('getComputedStyle(document.body).color');
      assert.equal(colour, 'rgb(28, 35, 32)', path);
      const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
      const { text } = await extractText(new Uint8Array(pdf), { mergePages: true });
      const plain = text.replaceAll(/\s+/g, ' ');
      assert.ok(
        plain.includes(`printed by Carla Dias`) && plain.includes(`/console${path.slice(0, 20)}`),
        plain,
      );
      assert.doesNotMatch(plain, /Sign out|Skip to|Cancel it|Passkey|Search/);
      return plain;
    };
    const ofWithdrawal = await print(`/withdrawals/${signed}`);
    assert.ok(ofWithdrawal.replaceAll(' ', '').includes(hash), 'the whole hash');
    assert.match(ofWithdrawal, /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC State: queued/);
    assert.ok(ofWithdrawal.includes('Approved by Beatriz Lima') && ofWithdrawal.includes('Agreed by phone'));
    const ofApproval = await print('/approvals');
    assert.ok(ofApproval.includes('1234.5 USDT') && ofApproval.includes('Large ones'), ofApproval);
    assert.ok(ofApproval.replaceAll(' ', '').includes(waiting), 'the whole id');
    const { items } = (await harness.operator('audit.list', { action: 'rules.draft', limit: 1 })).body.data;
    const ofChange = await print(`/audit/${items[0].id}`);
    assert.ok(ofChange.includes('Large ones') && ofChange.includes('rules.draft'), ofChange);
    await page.close();
  },
);

browserTest('the time on paper is that of what the page shows now', { timeout: 600_000 }, async () => {
  const key = await makeKey(harness);
  const withdrawalId = await makeWithdrawal(harness, key);
  const { id } = (await harness.operator('withdrawals.show', { withdrawalId })).body.data;
  const visitor = await signIn(harness);
  const { page } = await browser.open(localhostOf(harness));
  const [name = '', value = ''] = visitor.cookie.split('=');
  await page.context().addCookies([{ name, value, url: localhostOf(harness) }]);
  await page.goto(`${localhostOf(harness)}/console/withdrawals/${id}`);
  const printed = () => page.evaluate<string>("document.querySelector('[data-printed]').textContent");
  const first = await printed();
  harness.advance(600_000);
  await waitUntil('the page was refreshed', async () => (await printed()) !== first);
  await page.close();
});
