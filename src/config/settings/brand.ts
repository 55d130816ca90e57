import { hasCredentials, isHttpUrl } from '../parsers.ts';
import type { Reading, Setting } from '../setting.ts';

/** The company that users know this deployment by. */
export const brand = {
  BRAND_NAME: {
    meaning: 'Name of your company, as statements and pages for users show it.',
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
    meaning:
      'PNG or JPEG file of at most 1 MB with your logo, for statements and pages for users. If empty, there is no logo.',
    default: '',
    example: '/etc/causeway/logo.png',
    parse: parseLogoFile,
  },
  BRAND_COLOR: {
    meaning:
      'Colour of buttons and links on pages for users, such as `#12614e`. It is darkened or lightened where the contrast is too low.',
    default: '',
    example: '#12614e',
    parse: parseColor,
  },
  BRAND_SUPPORT_URL: {
    meaning:
      'Where users get help, linked on their pages: an https:// address, or mailto: and an email address.',
    default: '',
    example: 'https://example.com/help',
    parse: parseSupportUrl,
  },
  BRAND_PRIVACY_URL: {
    meaning: 'Your privacy policy, linked on pages for users: an https:// address.',
    default: '',
    example: 'https://example.com/privacy',
    parse: parsePrivacyUrl,
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

function parseColor({ text, fault }: Reading): string | undefined {
  if (text !== '' && !/^#[0-9a-f]{6}$/i.test(text))
    fault('BRAND_COLOR must be # and six hexadecimal digits.');
  return text === '' ? undefined : text.toLowerCase();
}

const isPage = (text: string) => /^https:\/\/\S+$/.test(text) && isHttpUrl(text) && !hasCredentials(text);

function parseSupportUrl({ text, fault }: Reading): string | undefined {
  if (text !== '' && !isPage(text) && !/^mailto:[^\s@?&]+@[^\s@?&]+$/.test(text))
    fault(
      'BRAND_SUPPORT_URL must be an https:// address without user name, or mailto: and an email address.',
    );
  return text === '' ? undefined : text;
}

function parsePrivacyUrl({ text, fault }: Reading): string | undefined {
  if (text !== '' && !isPage(text)) fault('BRAND_PRIVACY_URL must be an https:// address without user name.');
  return text === '' ? undefined : text;
}
