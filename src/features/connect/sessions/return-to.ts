import { sessionErrors } from './errors.ts';

/** Where somebody who signed in may be sent: our own pages, each spelled in the one way that they are linked. */
const ownPage = /^\/connect\/(?:apps|requests\/[A-Za-z0-9_-]{1,128})$/;

export const isOwnPage = (path: string) => ownPage.test(path);

export function requireOwnPage(path: string): string {
  if (!isOwnPage(path)) throw sessionErrors.invalidReturnTo();
  return path;
}
