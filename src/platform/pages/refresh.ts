import type { IncomingHttpHeaders } from 'node:http';

/** Scripts of pages send it with requests that nobody caused by a click. */
export const refreshHeader = 'x-refresh';

/** A page refreshes its figures, so the request does not show that somebody is there. */
export const isRefresh = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  headers[refreshHeader] === '1';
