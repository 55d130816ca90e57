import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sanitizeText } from './sanitize-text.ts';

const cases: [what: string, text: string, shown: string][] = [
  ['plain text stays as it is', 'Padaria São João, 東京 café №7 😀', 'Padaria São João, 東京 café №7 😀'],
  ['breaks become one space', ' a\r\n\tb\u2028c\u0085d  e ', 'a b c d e'],
  ['controls go', 'a\u0000b\u001b[31mc\u007fd', 'ab[31mcd'],
  ['bidirectional marks go', 'invoice \u202egpj.exe\u202c \u2066x\u2069', 'invoice gpj.exe x'],
  ['zero-width characters go', 'pay\u200bpal\ufeff\u2060', 'paypal'],
  [
    'tags go',
    `Cafe${[...'ignore'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('')}`,
    'Cafe',
  ],
  ['variation selectors go', 'a\ufe01\u{e0121}\u{e0199}b', 'ab'],
  ['half of a pair becomes a replacement character', 'a\ud83db', 'a\ufffdb'],
];
for (const [what, text, shown] of cases) {
  test(what, () => assert.equal(sanitizeText(text), shown));
}

test('a long text is cut between characters and says so', () => {
  assert.equal(sanitizeText('x'.repeat(30), 10), `${'x'.repeat(9)}…`);
  assert.equal(sanitizeText(`${'x'.repeat(8)}😀😀`, 10), `${'x'.repeat(8)}…`);
  assert.equal(sanitizeText('x'.repeat(10), 10), 'x'.repeat(10));
});

test('whatever the text: one line, well formed, bounded, nothing hidden, and the same when done twice', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      const shown = sanitizeText(text, 100);
      assert.ok(shown.length <= 100 && shown.isWellFormed());
      assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u);
      assert.equal(sanitizeText(shown, 100), shown);
    }),
  );
});
