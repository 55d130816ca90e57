import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldText } from '#platform/values/fold-text';
import { useHarness } from '#test/harness';

const harness = useHarness();

test('texts that are not settled are folded as the database folds those that are', async () => {
  const letters = Array.from({ length: 0x24f - 0x21 }, (_, at) => String.fromCodePoint(0x21 + at));
  const texts = [
    ...letters,
    'Łódź',
    'CAFÉ São João',
    'Ærø',
    'ŒUVRE',
    '２０２６',
    'ﬁn',
    '한국',
    'İstanbul',
    'b…@x.org',
  ];
  const rows = await harness.deps.db.query<{ folded: string }>(
    'select card_fold(t.text) as folded from unnest($1::text[]) with ordinality as t (text, place) order by t.place',
    [texts],
  );
  const found = texts.map((text, at) => [text, foldText(text), rows[at]!.folded] as const);
  assert.deepEqual(
    found.filter(([, ours, theirs]) => ours !== theirs),
    [],
  );
});
