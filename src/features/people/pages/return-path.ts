const start = '/console';
const lengthMax = 1_000;

/**
 * Where a person goes after signing in: a page of the console on this server, or undefined. Anything else in
 * a link could lead to another site that looks like ours.
 */
export function returnPath(given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > lengthMax || !given.startsWith(start)) return undefined;
  const isPlace = ['', '/', '?'].includes(given.charAt(start.length));
  // Browsers read `%2e` as a point as well.
  const text = given.replaceAll('%2e', '.').replaceAll('%2E', '.');
  return isPlace && [...text].every(isPlain) ? given : undefined;
}

/** Browsers read a backslash as a slash, and remove line breaks; `..` could leave the console. */
const isPlain = (character: string, at: number, all: string[]) =>
  character > ' ' && character < '\x7f' && character !== '\\' && !(character === '.' && all[at + 1] === '.');
