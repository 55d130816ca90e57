import type { Configuration } from 'openid-client';

export interface OpenidSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** Who the provider says somebody is. */
export interface Identity {
  issuer: string;
  subject: string;
  /** As the provider spells it; undefined if the provider did not verify it. */
  verifiedEmail?: string;
  /** When the person last proved to the provider who they are; undefined if it does not say. */
  authenticatedAt?: Date;
}

/** One sign-in on its way. Only the browser that began it and we know it. */
export interface Flow {
  redirectUri: string;
  state: string;
  nonce: string;
  codeVerifier: string;
  /** The provider must ask the person again, within this many seconds. */
  maxAgeSeconds?: number;
}

/** The provider refused, or its answer is not for this flow. */
export class OpenidFault extends Error {
  override readonly name = 'OpenidFault';
}

export interface Openid {
  /** Where to redirect the browser. */
  authorizationUrl(flow: Flow): Promise<string>;
  /** Exchanges the code in the address that the provider redirected to. Throws an `OpenidFault`. */
  exchange(address: URL, flow: Flow): Promise<Identity>;
}

const timeoutSeconds = 10;

/** An OpenID provider by its issuer: code flow with PKCE, and the signature of the ID token is verified. */
export function createOpenid({ issuer, clientId, clientSecret }: OpenidSettings): Openid {
  // Loaded and discovered at the first use, and again after a failure.
  const load = () => import('openid-client');
  let discovered: Promise<Configuration> | undefined;
  const discover = async () => {
    const client = await load();
    const execute = [client.enableNonRepudiationChecks];
    // The setting allows http for loopback only.
    if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests);
    const options = { execute, timeout: timeoutSeconds };
    return client.discovery(new URL(issuer), clientId, clientSecret, undefined, options);
  };
  const configuration = () => {
    discovered ??= discover().catch((error: Error) => {
      discovered = undefined;
      throw new OpenidFault(`the provider cannot be discovered: ${error.message}`, { cause: error });
    });
    return discovered;
  };
  return {
    async authorizationUrl({ redirectUri, state, nonce, codeVerifier, maxAgeSeconds }) {
      const client = await load();
      const parameters = {
        redirect_uri: redirectUri,
        scope: 'openid email',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        // Zero: the provider asks even if the person has just signed in.
        ...(maxAgeSeconds !== undefined && { max_age: '0' }),
      };
      return client.buildAuthorizationUrl(await configuration(), parameters).href;
    },
    async exchange(address, { state, nonce, codeVerifier, maxAgeSeconds }) {
      const client = await load();
      const checks = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        ...(maxAgeSeconds !== undefined && { maxAge: maxAgeSeconds }),
      };
      const tokens = await client
        .authorizationCodeGrant(await configuration(), address, checks)
        .catch((error: Error) => {
          throw new OpenidFault(error.message, { cause: error });
        });
      const { iss, sub, email, email_verified, auth_time } = tokens.claims()!;
      return {
        issuer: iss,
        subject: sub,
        ...(typeof email === 'string' && email_verified === true && { verifiedEmail: email }),
        ...(typeof auth_time === 'number' && { authenticatedAt: new Date(auth_time * 1000) }),
      };
    },
  };
}
