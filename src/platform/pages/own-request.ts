import type { FastifyRequest } from '../http/http.ts';

/**
 * Whether a form may come from one of our pages, by the browser's headers. Our pages send no referrer, so
 * browsers write `Origin: null`, which says nothing, and on plain http they omit `Sec-Fetch-Site`. Headers
 * that are present must be right; the form's token is required in any case.
 */
export function mayBeOwnForm({ headers }: FastifyRequest, publicUrl: string): boolean {
  const { origin = 'null', 'sec-fetch-site': site = 'same-origin' } = headers;
  return (origin === 'null' || origin === publicUrl) && site === 'same-origin';
}
