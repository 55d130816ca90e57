import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The token in every form of a session. It is made from the session's secret, which only the cookie has and
 * no page can read, so nothing is stored.
 */
export function csrfTokenOf(sessionSecret: string): string {
  return createHmac('sha256', sessionSecret).update('csrf').digest('base64url');
}

/** Whether a form's token is that of the session; compared in constant time. */
export function isCsrfTokenOf(sessionSecret: string, presented: string): boolean {
  const [expected, given] = [Buffer.from(csrfTokenOf(sessionSecret)), Buffer.from(presented)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
