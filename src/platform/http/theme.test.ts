import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { contrastOf } from '../values/color.ts';
import { brandRules } from './theme.ts';

const theme = readFileSync(path.join(import.meta.dirname, 'theme.css'), 'utf8');
const valuesOf = (text: string, name: string) =>
  [...text.matchAll(/--([a-z-]+): (#[0-9a-f]{6})/g)]
    .filter(([, own]) => own === name)
    .map(([, , color]) => color!);

test('every brand colour can be read: as a link on page and card, and as a button', () => {
  const [pages, cards] = [valuesOf(theme, 'page'), valuesOf(theme, 'card')];
  assert.equal(pages.length, 2);
  for (const brand of [
    '#000000',
    '#ffffff',
    '#12614e',
    '#ffe600',
    '#aa00ff',
    '#808080',
    '#ff0000',
    '#0000ff',
  ]) {
    const rules = brandRules(brand);
    const [accents, inks] = [valuesOf(rules, 'accent'), valuesOf(rules, 'on-accent')];
    for (const mode of [0, 1]) {
      for (const ground of [pages[mode]!, cards[mode]!])
        assert.ok(contrastOf(accents[mode]!, ground) >= 4.5, `${brand} on ${ground}`);
      assert.ok(contrastOf(accents[mode]!, inks[mode]!) >= 4.5, `ink on ${brand}`);
    }
  }
});

test('a brand colour that can be read stays as it is', () => {
  assert.match(brandRules('#12614e'), /^:root \{ --accent: #12614e; --on-accent: #ffffff;/);
});
