import { sessionErrors } from './errors.ts';

/** Where a user may be redirected after signing in: only our own pages, in their one spelling. */
const ownPage = /^\/connect\/(?:apps|requests\/[A-Za-z0-9_-]{1,128})$/;

/** Whether a path is one of our pages, to which users may return after they sign in. */
export const isOwnPage = (path: string) => ownPage.test(path);

export function requireOwnPage(path: string): string {
  if (!isOwnPage(path)) throw sessionErrors.invalidReturnTo();
  return path;
}
