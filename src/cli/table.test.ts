import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderAnswer } from './table.ts';

const car = {
  id: 'c-1',
  paintedAt: '2026-03-04T05:06:07.890Z',
  glossy: true,
  coats: 0,
  colours: ['red', 'blue'],
  motto: null,
  owner: { name: 'Ana', phone: null, since: '2026-01-01T00:00:00.000Z' },
  parts: [{ part: 'door' }, { part: 'roof' }],
};

test('one record: a line for each field, objects as k=v, instants and booleans short', () => {
  assert.equal(
    renderAnswer(car),
    [
      'id         c-1',
      'paintedAt  2026-03-04 05:06:07Z',
      'glossy     yes',
      'coats      0',
      'colours    red, blue',
      'motto',
      'owner      name=Ana since=2026-01-01 00:00:00Z',
      'parts      part=door, part=roof',
    ].join('\n'),
  );
});

test('a list: a table of what fits a line; the rest is named with the way to see it', () => {
  const items = [car, { ...car, id: 'c-22', glossy: false }];
  assert.equal(
    renderAnswer({ items, nextCursor: 'bmV4dA' }),
    [
      'id    paintedAt             glossy  coats  colours',
      'c-1   2026-03-04 05:06:07Z  yes     0      red, blue',
      'c-22  2026-03-04 05:06:07Z  no      0      red, blue',
      '',
      'Not shown: owner, parts. Use --json to see everything',
      'More: add --cursor bmV4dA',
    ].join('\n'),
  );
  const narrow = renderAnswer({ items, nextCursor: null }, 40);
  assert.equal(narrow.split('\n')[0], 'id    paintedAt             glossy');
  assert.match(narrow, /\nNot shown: coats, colours, owner, parts\. Use --json to see everything$/);
  assert.equal(renderAnswer({ items: [], nextCursor: null }), 'Nothing found.');
});

test('text of others cannot steer the terminal', () => {
  const shown = renderAnswer({ name: 'a\u001b[31mb\u009bc\u202ed\ne' });
  assert.equal(shown, 'name  a�[31mb�c�d�e');
});
