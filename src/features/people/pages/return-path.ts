import type { PersonKind } from '../staff-roles.ts';

/** Where people of each kind work. */
const areas: Readonly<Record<PersonKind, string>> = {
  operator: '/console',
  partner: '/partner',
  integration: '/developers',
};
const starts = Object.values(areas);
const lengthMax = 1_000;

/**
 * Where a person goes after signing in: a page for staff on this server, or undefined. Anything else in
 * a link could lead to another site that looks like ours.
 */
export function returnPath(given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > lengthMax) return undefined;
  const isPlace = starts.some(
    (start) => given.startsWith(start) && ['', '/', '?'].includes(given.charAt(start.length)),
  );
  // Browsers read `%2e` as a point as well.
  const text = given.replaceAll('%2e', '.').replaceAll('%2E', '.');
  return isPlace && [...text].every(isPlain) ? given : undefined;
}

/** Browsers read a backslash as a slash, and remove line breaks; `..` could lead elsewhere. */
const isPlain = (character: string, at: number, all: string[]) =>
  character > ' ' && character < '\x7f' && character !== '\\' && !(character === '.' && all[at + 1] === '.');

/** Leads everybody to their pages: who signs in is known only afterwards. */
export const areaAddress = '/people/area';

/** The pages for people of this kind. */
export const areaOf = ({ kind }: { kind: PersonKind }): string => areas[kind];
