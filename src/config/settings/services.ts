import { fileURLToPath } from 'node:url';
import { isWebhookSecret } from '#platform/secrets/webhook-secret';
import { asInteger, hasCredentials, isHttpUrl, itemsOf } from '../parsers.ts';
import type { Reading, Setting } from '../setting.ts';

/** Services of others: who screens addresses, issues cards and names prices. */
export const services = {
  SCREENING_URL: {
    meaning:
      'URL of the service that screens addresses before they are paid. If empty, addresses are not screened.',
    default: '',
    example: 'https://screening.example.com/check?key=1',
    secret: true,
    parse: parseScreeningUrl,
  },
  ISSUER_URL: {
    meaning: 'URL of a card issuer that implements docs/issuer-protocol.md. If empty, there are no cards.',
    default: '',
    example: 'https://issuer.example.com/cards',
    parse: ({ text, fault }) => {
      if (text !== '' && !isIssuerUrl(text))
        fault(
          'ISSUER_URL must be one http:// or https:// address without a user name, password, query or fragment.',
        );
      return text;
    },
  },
  ISSUER_TOKEN: {
    meaning: 'Our token at the card issuer.',
    default: '',
    example: '<token>',
    secret: true,
    parse: parseIssuerToken,
  },
  ISSUER_WEBHOOK_SECRETS: {
    meaning:
      'Secret that signs the card issuer’s webhooks to `/issuer/events`, `whsec_` and base64. Two, separated by a comma, during a rotation.',
    default: '',
    example: 'whsec_<base64>',
    secret: true,
    parse: parseWebhookSecrets,
  },
  PRICES_URL: {
    meaning:
      'Source of prices in US dollars, as docs/price-source.md describes: one http://, https:// or file:// URL. If empty, balances have no value.',
    default: '',
    example: 'https://prices.example.com/usd?key=1',
    secret: true,
    parse: parsePricesUrl,
  },
  BALANCE_STALE_AFTER_MS: {
    meaning: 'Prices and positions older than this make a balance stale.',
    default: '3600000',
    parse: asInteger(1_000, 604_800_000),
  },
} satisfies Record<string, Setting>;

function parseScreeningUrl({ text, fault }: Reading): string {
  if (text !== '' && !isHttpUrl(text)) fault('SCREENING_URL must be one http:// or https:// address.');
  // Every payout would wait.
  else if (hasCredentials(text))
    fault(
      'SCREENING_URL must have no user name or password before its host; put a token into its path or query.',
    );
  return text;
}

const isIssuerUrl = (text: string) => isHttpUrl(text) && !/^https?:\/\/[^/]*@|[?#]/i.test(text);

function parseIssuerToken({ text, fault }: Reading, issuerUrl: string): string {
  if (issuerUrl === '') {
    if (text !== '') fault('ISSUER_TOKEN is given and ISSUER_URL is not.');
  } else if (isIssuerUrl(issuerUrl) && !/^[!-~]{16,255}$/.test(text))
    fault('ISSUER_TOKEN must be 16 to 255 visible ASCII characters where ISSUER_URL is given.');
  return text;
}

function parseWebhookSecrets({ text, fault }: Reading): string[] {
  const secrets = itemsOf(text);
  if (!secrets.every(isWebhookSecret))
    fault('ISSUER_WEBHOOK_SECRETS must be whsec_ and 24 to 64 bytes in base64, separated by commas.');
  return secrets;
}

function parsePricesUrl({ text, fault }: Reading): string {
  if (text !== '' && !isHttpUrl(text) && !isFileUrl(text))
    fault('PRICES_URL must be one http://, https:// or file:// address, of a file by its whole path.');
  else if (hasCredentials(text))
    fault(
      'PRICES_URL must have no user name or password before its host; put a token into its path or query.',
    );
  return text;
}

function isFileUrl(text: string): boolean {
  try {
    return /^file:\/\/\/[^?#]+$/.test(text) && fileURLToPath(text) !== '';
  } catch {
    return false;
  }
}
