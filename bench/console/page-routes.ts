import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Files and what scripts call: no pages. */
const others = ['/decide.js', '/payouts/template', '/statements/file', '/withdrawals/export'];

/** The pages of a surface, as its source adds them: `/console/users/:id`. */
export function pageRoutesOf(start: string): string[] {
  const folder = path.resolve(import.meta.dirname, '../../src/surfaces', start.slice(1));
  const files = globSync('**/*.ts', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'));
  const found = files.flatMap((file) =>
    [...readFileSync(path.join(folder, file), 'utf8').matchAll(/(?:\bpage\(|\bpath: )'([^']*)'/g)].map(
      ([, place]) => place!,
    ),
  );
  const pages = found.filter((place) => !others.includes(place) && !place.includes('/logo/'));
  return pages.map((place) => start + place).sort();
}

/** Whether a path, with or without a query, is of this page. */
export function isOfRoute(route: string, given: string): boolean {
  const parts = route.split('/');
  const own = given.split('?')[0]!.split('/');
  return (
    parts.length === own.length &&
    parts.every((part, at) => part === own[at] || (part.startsWith(':') && own[at] !== ''))
  );
}
