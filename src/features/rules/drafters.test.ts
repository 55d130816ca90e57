import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '#test/harness';
import { makePerson } from '#test/worlds/people';
import { operatorNamed } from '#test/worlds/rules';
import { draftRules } from './draft-rules.ts';
import { publishRules } from './publish-rules.ts';

const harness = useHarness();
const publisher = () => operatorNamed(harness, 'publisher');

async function makeDraft(role = 'compliance') {
  const person = await makePerson(harness, { role });
  const name = `person:${person.email}`;
  const { revision } = await draftRules(operatorNamed(harness, name), { rules: [] });
  return { person, name, revision, token: `${person.email}/ci` };
}

test('409 the draft of a person who was removed, or has another role now, is not published', async () => {
  const [gone, demoted, present] = [await makeDraft(), await makeDraft('admin'), await makeDraft()];
  await harness.operator('people.remove', { personId: gone.person.id });
  await harness.operator('people.update', { personId: demoted.person.id, role: 'support' });
  for (const { revision } of [gone, demoted])
    await assert.rejects(publishRules(publisher(), { revision }), { code: 'drafter_gone' });
  assert.equal((await publishRules(publisher(), { revision: present.revision })).status, 'published');
});

test('409 a person and a token that this person owns are one, in both directions', async () => {
  const { name, token, revision } = await makeDraft();
  await assert.rejects(publishRules(operatorNamed(harness, token), { revision }), { code: 'same_operator' });
  const other = await draftRules(operatorNamed(harness, token), { rules: [] });
  for (const one of [name, token, `${name.slice('person:'.length)}/other`])
    await assert.rejects(publishRules(operatorNamed(harness, one), other), { code: 'same_operator' });
  assert.equal((await publishRules(publisher(), other)).revision, other.revision);
});
