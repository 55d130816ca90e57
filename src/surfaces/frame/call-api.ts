import type { PersonSession } from '#features/people';
import { Refusal } from '#platform/errors/errors';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
import { csrfTokenOf } from '#platform/pages/csrf';
import { isRefresh, refreshHeader } from '#platform/pages/refresh';

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: string;
  payload?: object;
  headers?: Record<string, string>;
}

export interface ApiAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** Calls a route of the API for the person of a page. */
export type CallApi = (request: ApiRequest) => Promise<ApiAnswer>;

/**
 * By the route inside this process, with the person's cookie and token: what checks rights, freshness and
 * input exists once. Throws the refusal that the route answered.
 */
export const apiCaller =
  (server: HttpServer, request: FastifyRequest, session: PersonSession): CallApi =>
  async (called) => {
    const response = await server.inject(withSession(called, request, session));
    const body = response.body === '' ? {} : response.json<ApiAnswer['body']>();
    if (response.statusCode >= 400) throw refusalOf(response.statusCode, body as unknown as Refused);
    return { status: response.statusCode, body };
  };

/** The same for a route that answers with a file, which is streamed. */
export async function openFile(
  server: HttpServer,
  request: FastifyRequest,
  session: PersonSession,
  called: ApiRequest,
) {
  const response = await server.inject({ ...withSession(called, request, session), payloadAsStream: true });
  const stream = response.stream();
  if (response.statusCode >= 400) {
    const parts = await stream.toArray({ signal: AbortSignal.timeout(10_000) });
    throw refusalOf(response.statusCode, JSON.parse(Buffer.concat(parts).toString('utf8')));
  }
  // If the reader disconnects, the file is no longer made.
  stream.once('close', () => response.raw.res.destroy());
  return { headers: response.headers, stream };
}

const withSession = (
  { headers, ...called }: ApiRequest,
  request: FastifyRequest,
  { secret }: PersonSession,
) => ({
  ...called,
  // For limits and logs it is the person's request, not one of this process.
  remoteAddress: request.ip,
  headers: {
    ...headers,
    cookie: request.headers.cookie ?? '',
    'x-csrf-token': csrfTokenOf(secret),
    ...(isRefresh(request) && { [refreshHeader]: '1' }),
  },
});

interface Refused {
  error: string;
  code: string;
  requestId: string;
  details?: { field: string; message: string }[];
}

export function refusalOf(status: number, { error, code, requestId, details }: Refused): Refusal {
  return new Refusal(status, code, error, { fields: { requestId }, ...(details && { details }) });
}
