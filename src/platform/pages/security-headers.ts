/** For every page: it loads only our style sheet and pictures, is in no frame, and nothing caches it. */
export const securityHeaders = {
  'content-security-policy': contentPolicy(),
  'x-frame-options': 'DENY',
  // The URL contains a link's token.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
  vary: 'Accept-Language, Cookie',
};

/** For pages with a script of ours, which calls only us. */
export const scriptPolicy = `${contentPolicy()}; script-src 'self'; connect-src 'self'`;

/** `redirectUri` is where the form's answer redirects: Chromium checks redirects against the form's list. */
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

/** For a picture of somebody else: opened as a page, it runs nothing and reads nothing of ours. */
export const pictureHeaders = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};
