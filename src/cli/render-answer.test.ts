import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commands } from '../app.ts';
import { renderCsv } from './csv.ts';
import { renderAnswer } from './render-answer.ts';

const now = new Date('2026-03-04T06:06:07.890Z');
const wide = { width: Number.POSITIVE_INFINITY, isWide: true, now };
const terminal = (width: number) => ({ width, isWide: false, now });

const car = {
  id: '0198a6a0-0000-7000-8000-00000000000a',
  paintedAt: '2026-03-04T05:06:07.890Z',
  glossy: true,
  coats: 0,
  colours: ['red', 'blue'],
  motto: null,
  owner: { name: 'Ana', phone: null, since: '2026-01-01T00:00:00.000Z' },
  parts: [
    { part: 'door', price: '12.5' },
    { part: 'roof', price: '1000' },
  ],
  stops: [],
};

test('one record: a line for each field, and a section for each object and list', () => {
  const sections = [
    'id          0198a6a0-0000-7000-8000-00000000000a',
    'painted at  2026-03-04 05:06:07Z (1h ago)',
    'glossy      yes',
    'coats       0',
    'colours     red, blue',
    'motto       -',
    'stops       -',
    '',
    'owner',
    '  name   Ana',
    '  phone  -',
    '  since  2026-01-01 00:00:00Z (62d ago)',
    '',
    'parts (2)',
    '  PART   PRICE',
    '  door    12.5',
    '  roof  1000',
  ];
  assert.equal(renderAnswer(car, terminal(80)), sections.join('\n'));
  const inPipe = sections.map((line) => line.replace(/ \(\d+[hd] ago\)/, ''));
  assert.equal(renderAnswer(car, wide), inPipe.join('\n'));
});

test('a list inside a record ends after 20 rows, unless --wide', () => {
  const data = { count: 30, parts: Array.from({ length: 30 }, (_, at) => ({ part: `p${at}` })) };
  const shown = renderAnswer(data, terminal(80));
  assert.match(shown, / {2}p19\n {2}… and 10 more: use --wide or --json$/);
  assert.match(renderAnswer(data, wide), / {2}p29$/);
});

test('rows inside a record have times, and say what does not fit; one row that does not fit is a record', () => {
  const step = { state: 'sent', at: car.paintedAt, hash: `0x${'ab'.repeat(32)}`, block: 17 };
  const two = renderAnswer({ id: 1, steps: [step, step] }, terminal(48))
    .split('\n')
    .slice(2);
  assert.deepEqual(two, [
    'steps (2)',
    '  STATE  AT                    HASH',
    '  sent   2026-03-04 05:06:07Z  0xababab…ababab',
    '  sent   2026-03-04 05:06:07Z  0xababab…ababab',
    '  Not shown: block. Add --wide',
  ]);
  const one = renderAnswer({ id: 1, steps: [step] }, terminal(48))
    .split('\n')
    .slice(2);
  assert.deepEqual(one.slice(0, 2), ['steps (1)', '  state  sent']);
});

test('a list of blocks: their age is not mistaken for a number', () => {
  const [head] = renderAnswer({ items: [{ lastBlockAt: car.paintedAt }] }, terminal(80)).split('\n');
  assert.equal(head, 'LAST BLOCK AT');
});

test('a long text of a record is broken between words', () => {
  const shown = renderAnswer({ a: 'red blue green', bb: '' }, terminal(12));
  assert.equal(shown, 'a   red blue\n    green\nbb  -');
});

const items = [
  { ...car, status: 'completed', amount: '12.5' },
  { ...car, id: '0198a6a0-0000-7000-8000-00000000000b', status: 'failed', amount: '1000' },
];
const columns = ['status', 'amount', 'paintedAt', 'id'];

test('a list on a wide terminal: important columns first, ids in full, then what else fits', () => {
  assert.equal(
    renderAnswer({ items, nextCursor: 'bmV4dA' }, terminal(120), columns),
    [
      'STATUS     AMOUNT  PAINTED  ID                                    GLOSSY  COATS  COLOURS',
      'completed    12.5  1h ago   0198a6a0-0000-7000-8000-00000000000a  yes         0  red, blue',
      'failed     1000    1h ago   0198a6a0-0000-7000-8000-00000000000b  yes         0  red, blue',
      '',
      'Not shown: owner, parts. Add --json',
      'More: add --cursor bmV4dA',
    ].join('\n'),
  );
});

test('a list on a narrow terminal: ids are shortened, then columns are left out from the right', () => {
  const at50 = renderAnswer({ items, nextCursor: null }, terminal(50), columns).split('\n');
  assert.equal(at50[0], 'STATUS     AMOUNT  PAINTED  ID             GLOSSY');
  assert.equal(at50[1], 'completed    12.5  1h ago   0198a6a0…000a  yes');
  const at20 = renderAnswer({ items, nextCursor: null }, terminal(20), columns).split('\n');
  assert.equal(at20[0], 'STATUS     AMOUNT');
  const notes =
    'Not shown: painted at, id, glossy, coats, colours. Add --wide Not shown: owner, parts. Add --json';
  assert.equal(at20.slice(4).join(' '), notes);
  assert.ok(at20.every((line) => line.length <= 40));
  assert.ok([...at50.slice(0, 3), ...at20.slice(0, 3)].every((line) => line.length <= 50));
});

test('a list in a pipe or with --wide: every plain column in full', () => {
  const [head, row] = renderAnswer({ items, nextCursor: null }, wide, columns).split('\n');
  assert.match(head!, /^STATUS +AMOUNT +PAINTED AT +ID +GLOSSY +COATS +COLOURS$/);
  assert.match(row!, /^completed +12\.5 +2026-03-04 05:06:07Z +0198a6a0-0000-7000-8000-00000000000a +yes/);
  assert.equal(renderAnswer({ items: [], nextCursor: null }, wide), 'Nothing found.');
});

test('records with nested fields in a list of another name: one below the other', () => {
  const shown = renderAnswer(
    {
      cars: [
        { id: 1, owner: { name: 'Ana' } },
        { id: 2, owner: { name: 'Bo' } },
      ],
    },
    wide,
  );
  assert.equal(shown, `id  1\n\nowner\n  name  Ana\n\n${'─'.repeat(40)}\nid  2\n\nowner\n  name  Bo`);
});

test('addresses and hashes are shortened where they do not fit', () => {
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const shown = renderAnswer({ items: [{ to: address, hash: `0x${'ab'.repeat(32)}` }] }, terminal(60));
  assert.equal(shown.split('\n')[1], '0x5aAeb6…1BeAed  0xababab…ababab');
  const subject = `user:${car.id}`;
  const issued = `account:card_${'43b80e69'.repeat(3)}`;
  const narrow = renderAnswer(
    { items: [{ subject, issued, note: 'a text that is long '.repeat(3) }] },
    terminal(72),
  );
  assert.match(
    narrow.split('\n')[1]!,
    /^user:0198a6a0…000a {2}account:card_43b8…0e69 {2}a text that is long a text…$/,
  );
});

test('text of others cannot steer the terminal', () => {
  for (const view of [wide, terminal(80)]) {
    assert.equal(renderAnswer({ name: 'a\u001b[31mb\u009bc\u202ed\ne' }, view), 'name  a�[31mb�c�d�e');
    const row = renderAnswer({ items: [{ name: 'a\u001b[31mb' }] }, view).split('\n')[1];
    assert.equal(row, 'a�[31mb');
  }
  const nested = renderAnswer({ items: [{ id: 1, list: [['\u001b']] }] }, wide);
  assert.ok(!nested.includes('\u001b'));
});

test('CSV: a heading, quotes where needed, JSON for nested values, no formulas', () => {
  assert.equal(
    renderCsv([
      { name: 'Ana "A", B', debt: '-12.5', note: '=cmd', tags: ['x', 'y'], owner: { a: 1 }, at: null },
      { name: 'Bo\nC', debt: '+1', note: '@x', tags: [], owner: { a: 2 }, at: false },
    ]),
    [
      'name,debt,note,tags,owner,at',
      `"Ana ""A"", B",-12.5,'=cmd,"x,y","{""a"":1}",`,
      `"Bo\nC",+1,'@x,,"{""a"":2}",false`,
    ].join('\r\n'),
  );
});

test('every list names its important columns, and each is a field of its items', () => {
  const lists = commands.filter(
    ({ output }) => 'items' in ((output as { properties?: object }).properties ?? {}),
  );
  assert.ok(lists.length > 10);
  for (const { name, columns = [], output } of lists) {
    const { items } = (output as unknown as { properties: { items: { items: { properties: object } } } })
      .properties;
    const fields = Object.keys(items.items.properties);
    assert.deepEqual(
      columns.filter((field) => !fields.includes(field)),
      [],
      name,
    );
    assert.ok(columns.length > 0 || fields.length <= 5, `${name} needs columns`);
  }
});
