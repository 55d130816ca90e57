import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Who the provider says its visitor is. */
export interface Account {
  sub: string;
  email: string;
  email_verified: boolean;
  /** When the visitor signed in there, unless the request demands it now. */
  authenticatedAt?: Date;
}

export interface OpenidProvider {
  settings: { issuer: string; clientId: string; clientSecret: string };
  /** The visitor of the next requests. */
  account: Account;
  /** Changes the claims of the next ID tokens. */
  spoil: (claims: Record<string, unknown>) => Record<string, unknown>;
  /** Changes the next ID tokens after they were signed. */
  bend: (token: string) => string;
  now: () => Date;
  stop(): void;
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An OpenID provider over loopback: discovery, code flow with PKCE, signed ID tokens. */
export async function startOpenidProvider(): Promise<OpenidProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, URLSearchParams>();
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: OpenidProvider = {
    settings: { issuer, clientId: 'causeway', clientSecret: randomUUID() },
    account: { sub: 'nobody', email: 'nobody@example.com', email_verified: true },
    spoil: (claims) => claims,
    bend: (token) => token,
    now: () => new Date(),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  const { clientId, clientSecret } = provider.settings;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, issuer);
    const send = (body: object, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (url.pathname === '/.well-known/openid-configuration') {
      return send({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        code_challenge_methods_supported: ['S256'],
      });
    }
    if (url.pathname === '/keys') {
      return send({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'RS256', use: 'sig' }] });
    }
    if (url.pathname === '/authorize') {
      const code = randomUUID();
      codes.set(code, url.searchParams);
      const back = new URL(url.searchParams.get('redirect_uri')!);
      back.searchParams.set('code', code);
      back.searchParams.set('state', url.searchParams.get('state')!);
      response.writeHead(302, { location: back.href });
      return void response.end();
    }
    const given = new URLSearchParams(await text(request));
    const asked = codes.get(given.get('code') ?? '');
    codes.delete(given.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient = given.get('client_id') === clientId && given.get('client_secret') === clientSecret;
    if (!asked || !isClient || asked.get('code_challenge') !== challenge)
      return send({ error: 'invalid_grant' }, 400);
    send({ access_token: randomUUID(), token_type: 'Bearer', id_token: idToken(asked) });
  }

  function idToken(asked: URLSearchParams): string {
    const { sub, email, email_verified, authenticatedAt = provider.now() } = provider.account;
    const at = asked.has('max_age') ? provider.now() : authenticatedAt;
    const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
    const claims = provider.spoil({
      iss: issuer,
      aud: clientId,
      sub,
      email,
      email_verified,
      nonce: asked.get('nonce'),
      iat: seconds(new Date()),
      exp: seconds(new Date()) + 300,
      auth_time: seconds(at),
    });
    const signed = `${encode({ alg: 'RS256', kid: '1' })}.${encode(claims)}`;
    return provider.bend(
      `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`,
    );
  }
  return provider;
}
