/** Parameters of the consent answer: a redirect URI that already has one of them would be ambiguous. */
const answerParameters = ['consent_id', 'state', 'error'];

const loopbackHosts = ['localhost', '127.0.0.1'];

/**
 * It becomes part of a page's `Content-Security-Policy`, where other characters of a host name have a
 * meaning.
 */
const plainHost = /^[a-z0-9.-]+$/;

/**
 * Why users must not be sent to an address, or undefined. Addresses are compared character by character, so
 * only one spelling is accepted.
 */
export function faultInRedirectUri(text: string): string | undefined {
  const fault = faultInLink(text);
  if (fault !== undefined) return fault;
  if (text.includes('#')) return 'must have no fragment';
  const { searchParams } = new URL(text);
  const taken = answerParameters.find((name) => searchParams.has(name));
  return taken && `must not have the parameter ${taken}, which is in the answer`;
}

/** Why an address must not be a link on a page for users, or undefined. */
export function faultInLink(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url) return 'must be an address, such as https://app.example.com/back';
  const isPlain = url.protocol === 'http:' && loopbackHosts.includes(url.hostname);
  if (!plainHost.test(url.hostname)) return 'must have a host of letters, digits, dots and hyphens';
  if (url.protocol !== 'https:' && !isPlain) return 'must be https://, or http:// on this machine';
  if (url.username !== '' || url.password !== '') return 'must have no user name or password';
  const isSpelledAsBrowsersDo = url.href === text || url.href === `${text}/`;
  return isSpelledAsBrowsersDo ? undefined : `must be spelled as browsers do: ${url.href}`;
}
