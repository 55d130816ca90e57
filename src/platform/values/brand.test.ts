import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readBrand } from './brand.ts';

const dataFolder = path.resolve(import.meta.dirname, '../../../test/data');
const brand = { name: 'Ponte S.A.', address: ['Rua Augusta 1500'] };

test('the logo is read with the brand, and without its setting no file is read', () => {
  const { logo } = readBrand({ ...brand, logoFile: path.join(dataFolder, 'logo.png') });
  assert.equal(logo!.toString('latin1', 1, 4), 'PNG');
  assert.deepEqual(readBrand(brand), { ...brand, logo: undefined });
});

test('a logo that is missing, or not a picture, is one sentence at the start', () => {
  for (const [file, message] of [
    ['missing.png', /^BRAND_LOGO_FILE names .*missing\.png, which cannot be read: .+\.$/],
    ['camt053.xsd', /^BRAND_LOGO_FILE names .*, which must be a PNG or JPEG file of at most 1 MB\.$/],
  ] as const) {
    assert.throws(() => readBrand({ ...brand, logoFile: path.join(dataFolder, file) }), { message });
  }
});
