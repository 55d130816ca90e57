import type { Reading, Setting } from '../setting.ts';

/** The company that users know this deployment by. */
export const brand = {
  BRAND_NAME: {
    meaning: 'Name of your company, as statements show it.',
    default: 'Causeway',
    parse: parseName,
  },
  BRAND_ADDRESS: {
    meaning: 'Postal address of your company on statements: at most 5 lines, separated by `;`.',
    default: '',
    example: 'Rua Augusta 1500; 01304-001 São Paulo; Brasil',
    parse: parseAddress,
  },
  BRAND_LOGO_FILE: {
    meaning: 'PNG or JPEG file of at most 1 MB with your logo, for statements. If empty, there is no logo.',
    default: '',
    example: '/etc/causeway/logo.png',
    parse: parseLogoFile,
  },
} satisfies Record<string, Setting>;

function parseName({ text, fault }: Reading): string {
  if (text.length > 70) fault('BRAND_NAME must have at most 70 characters.');
  return text;
}

function parseAddress({ text, fault }: Reading): string[] {
  const lines = text.split(';').map((line) => line.trim());
  const given = lines.filter((line) => line !== '');
  if (given.length > 5 || given.some((line) => line.length > 70))
    fault('BRAND_ADDRESS must have at most 5 lines of at most 70 characters, separated by ;.');
  return given;
}

function parseLogoFile({ text, fault }: Reading): string | undefined {
  if (text !== '' && !/\.(?:png|jpe?g)$/i.test(text))
    fault('BRAND_LOGO_FILE must name a file that ends with .png, .jpg or .jpeg.');
  return text === '' ? undefined : text;
}
