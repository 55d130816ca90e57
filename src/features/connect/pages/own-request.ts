import type { FastifyRequest } from '#platform/http/http';

/**
 * Whether a form may have come from a page of ours, by what browsers say of where it comes from. Our pages send no referrer, so
 * browsers write `Origin: null`, which says nothing; and on plain http they leave `Sec-Fetch-Site` out. What they do say must be
 * right; the token in the form decides in any case.
 */
export function mayBeOwnForm({ headers }: FastifyRequest, publicUrl: string): boolean {
  const { origin = 'null', 'sec-fetch-site': site = 'same-origin' } = headers;
  return (origin === 'null' || origin === publicUrl) && site === 'same-origin';
}
