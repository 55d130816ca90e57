/** Of every page: nothing but our own style sheet is loaded, nobody frames it, nothing keeps it. */
export const securityHeaders = {
  'content-security-policy': contentPolicy(),
  'x-frame-options': 'DENY',
  // The end of a link is in its address.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
  vary: 'Accept-Language, Cookie',
};

/** `redirectUri` is where the form's answer leads: Chromium holds a redirect to the same list as the form. */
export function contentPolicy(redirectUri?: string): string {
  const formTargets = ["'self'", ...(redirectUri === undefined ? [] : [new URL(redirectUri).origin])];
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action ${formTargets.join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
