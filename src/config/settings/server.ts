import { coversAllOfIpv4, faultInCidr } from '#platform/values/address';
import { asInteger, asOneOf, asText, databaseAddress, isHttpUrl, isLoopback, itemsOf } from '../parsers.ts';
import type { Reading, Setting } from '../setting.ts';

/** Where the server listens, and how people and partners reach it. */
export const server = {
  HOST: { meaning: 'Address to listen on.', default: '127.0.0.1', parse: asText },
  PORT: { meaning: 'Port to listen on.', default: '8080', parse: asInteger(0, 65_535) },
  METRICS_PORT: {
    meaning:
      'Separate port for `/metrics`, `/health` and `/ready`, on the same `HOST`. If set, `PORT` does not serve `/metrics`. If empty, `PORT` serves all three.',
    default: '',
    example: '9464',
    parse: parseMetricsPort,
  },
  PUBLIC_URL: {
    meaning:
      'Public origin of this server, used in links, such as `https://connect.example.com`. It must be `https://` unless it is a loopback address. Default if `HOST` is a loopback address: `http://HOST:PORT`.',
    default: '',
    example: 'https://connect.example.com',
    parse: parsePublicUrl,
  },
  SIGN_IN_URL: {
    meaning:
      'Your login page. Users who are not signed in are redirected there, with `?return_to=` and a path. If empty, a page asks them to sign in at your site and return.',
    default: '',
    example: 'https://example.com/login',
    parse: parseSignInUrl,
  },
  TRUSTED_PROXIES: {
    meaning: 'CIDR blocks of proxies whose `X-Forwarded-For` is trusted, separated by commas.',
    default: '',
    example: '10.0.0.0/8,2001:db8::/32',
    parse: parseTrustedProxies,
  },
  RATE_LIMIT_STORE: {
    meaning: '`postgres` shares limits between processes; `memory` is for a single process.',
    default: 'postgres',
    parse: asOneOf('postgres', 'memory'),
  },
  RATE_LIMIT_URL: {
    meaning:
      'A separate PostgreSQL database for shared rate limits and the request log, `postgres://…`, so that reads do not write to the one of `DATABASE_URL`. Prepare it as that one: `DATABASE_URL=… causeway migrate`. It needs no backup and no replica.',
    default: '',
    example: 'postgres://causeway@limits:5432/limits',
    secret: true,
    parse: ({ text, fault }) => {
      if (text !== '' && !databaseAddress.test(text))
        fault('RATE_LIMIT_URL must start with postgres:// or postgresql://.');
      return text;
    },
  },
  FOUR_EYES_COMMANDS: {
    meaning:
      'Operator commands that a second operator must approve, separated by commas. `default` stands for those that make money, release it or grant access.',
    default: '',
    example: 'default,partners.create',
    parse: ({ text }) => itemsOf(text),
  },
  CONNECT_APPLICATIONS: {
    meaning:
      'Whether developers may apply for Connect at `/developers/apply`. An operator approves or refuses each application.',
    default: 'true',
    parse: asOneOf('true', 'false'),
  },
  TWO_PERSON_RESUME: {
    meaning: 'Whether a second operator must approve `payouts resume`.',
    default: 'false',
    parse: asOneOf('true', 'false'),
  },
  WITHDRAWALS_PER_PARTNER: {
    meaning: 'How many withdrawals a partner may create in 10 seconds.',
    default: '600',
    parse: asInteger(1, 10_000),
  },
  WITHDRAWALS_PER_USER: {
    meaning: 'How many withdrawals a partner may create for one user in 10 seconds.',
    default: '120',
    parse: asInteger(1, 10_000),
  },
} satisfies Record<string, Setting>;

export const httpOrigin = (host: string, port: number) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

function parseMetricsPort(reading: Reading, port: number): number | undefined {
  if (reading.text === '') return undefined;
  const metricsPort = asInteger(0, 65_535)(reading);
  if (metricsPort === port && port !== 0) reading.fault('METRICS_PORT must not be the same as PORT.');
  return metricsPort;
}

/** As browsers spell it, since what they send is compared with it. */
function parsePublicUrl(
  { text, fault }: Reading,
  { host, port, isApi }: { host: string; port: number; isApi: boolean },
): string {
  if (text === '') {
    // Links would begin with an address that nobody can open, and sessions would go over plain http.
    if (isApi && !isLoopback(host))
      fault(
        'PUBLIC_URL must be given where HOST is not this machine alone: the origin by which people reach it, such as https://connect.example.com.',
      );
    return httpOrigin(host, port);
  }
  const url = isHttpUrl(text) ? new URL(text) : undefined;
  if (!url || url.href !== `${url.origin}/`)
    fault(
      'PUBLIC_URL must be one http:// or https:// origin without path, such as https://connect.example.com.',
    );
  else if (url.protocol === 'http:' && !isLoopback(url.hostname))
    fault(
      'PUBLIC_URL must be https://, or http:// on this machine: sessions and links would be open to anybody on the way.',
    );
  return url?.origin ?? text;
}

function parseSignInUrl({ text, fault }: Reading): string | undefined {
  if (text === '') return undefined;
  const url = isHttpUrl(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password || url.hash || url.searchParams.has('return_to'))
    fault(
      'SIGN_IN_URL must be one http:// or https:// address without user name, password, fragment or return_to.',
    );
  return url?.href;
}

function parseTrustedProxies({ text, fault }: Reading): string[] {
  const blocks = itemsOf(text);
  for (const block of blocks) {
    const reason = faultInCidr(block) ?? faultInTrust(block);
    if (reason) fault(`TRUSTED_PROXIES: ${reason}.`);
  }
  return blocks;
}

/** Trusting every address means trusting a header that callers write. */
const faultInTrust = (block: string) =>
  coversAllOfIpv4(block) ? `${block} would believe every caller; name the blocks of your proxies` : undefined;
