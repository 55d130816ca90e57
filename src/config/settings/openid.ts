import { isHttpUrl, isLoopback } from '../parsers.ts';
import type { Reading, Setting } from '../setting.ts';

/** Where staff may sign in besides with a passkey. */
export const openid = {
  OPENID_ISSUER: {
    meaning:
      'Issuer of your OpenID provider, where invited staff may sign in instead of with a passkey. Its redirect URI is `PUBLIC_URL` and `/people/openid/callback`. If empty, staff sign in with passkeys only.',
    default: '',
    example: 'https://login.example.com',
    parse: parseIssuer,
  },
  OPENID_CLIENT_ID: {
    meaning: 'Our client id at the OpenID provider.',
    default: '',
    example: 'causeway',
    parse: parseClientId,
  },
  OPENID_CLIENT_SECRET: {
    meaning: 'Our client secret at the OpenID provider.',
    default: '',
    example: '<secret>',
    secret: true,
    parse: parseClientSecret,
  },
} satisfies Record<string, Setting>;

function parseIssuer({ text, fault }: Reading): string {
  const url = isHttpUrl(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || isLoopback(url?.hostname ?? '');
  if (text === '' || (url && isSafe && !url.search && !url.hash && !url.username)) return text;
  fault(
    'OPENID_ISSUER must be one https:// address without user name, query or fragment; http:// for loopback only.',
  );
  return '';
}

function parseClientId({ text, faultMissing }: Reading, issuer: string): string {
  if (issuer !== '' && text === '') faultMissing();
  return text;
}

function parseClientSecret({ text, fault, faultMissing }: Reading, issuer: string): string {
  if (issuer !== '' && text === '') faultMissing();
  if (text.includes('<')) fault('OPENID_CLIENT_SECRET must be the secret that the provider gave you.');
  return text;
}
