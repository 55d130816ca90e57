import { Refusal } from '#platform/errors/errors';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
import { csrfTokenOf } from '#platform/pages/csrf';
import { isRefresh, refreshHeader } from '#platform/pages/refresh';
import type { Visit } from './visit.ts';

export interface CommandAnswer {
  data: Record<string, unknown>;
  /** The command is stored for a second operator and has not run. */
  waits: boolean;
}

/** Runs a command for the person of a visit. */
export type CallCommand = (name: string, input?: object) => Promise<CommandAnswer>;

/**
 * By its own route, as the CLI does: what checks roles, freshness and input, and what stores for a second
 * operator or writes the audit row, exists once. Throws the refusal that the route answered.
 */
export const commandCaller =
  (server: HttpServer, request: FastifyRequest, visit: Visit): CallCommand =>
  async (name, input = {}) => {
    const response = await server.inject(requestOf(name, input, request, visit));
    const { data, ...refused } = response.json<{ data: CommandAnswer['data'] } & Refused>();
    if (response.statusCode >= 400) throw refusalOf(response.statusCode, refused);
    return { data, waits: response.statusCode === 202 };
  };

/** The same for a command that answers with a file, which is streamed. */
export async function openFile(
  server: HttpServer,
  request: FastifyRequest,
  visit: Visit,
  { name, input }: { name: string; input: object },
) {
  const called = requestOf(name, input, request, visit);
  const response = await server.inject({ ...called, payloadAsStream: true });
  const stream = response.stream();
  if (response.statusCode >= 400) {
    const parts = await stream.toArray({ signal: AbortSignal.timeout(10_000) });
    throw refusalOf(response.statusCode, JSON.parse(Buffer.concat(parts).toString('utf8')));
  }
  // If the reader disconnects, the file is no longer made.
  stream.once('close', () => response.raw.res.destroy());
  return { headers: response.headers, stream };
}

function requestOf(name: string, input: object, request: FastifyRequest, { session }: Visit) {
  return {
    method: 'POST' as const,
    url: `/operator/${name}`,
    headers: {
      cookie: request.headers.cookie ?? '',
      'x-csrf-token': csrfTokenOf(session.secret),
      ...(isRefresh(request) && { [refreshHeader]: '1' }),
    },
    payload: input,
  };
}

interface Refused {
  error: string;
  code: string;
  requestId: string;
  details?: { field: string; message: string }[];
}

function refusalOf(status: number, { error, code, requestId, details }: Refused): Refusal {
  return new Refusal(status, code, error, { fields: { requestId }, ...(details && { details }) });
}
