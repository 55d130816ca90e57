import type { PersonSession } from '#features/people';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
import { apiCaller } from '#surfaces/frame';

export interface CommandAnswer {
  data: Record<string, unknown>;
  /** The command is stored for a second operator and has not run. */
  waits: boolean;
}

/** Runs a command for the person of a visit. */
export type CallCommand = (name: string, input?: object) => Promise<CommandAnswer>;

export const commandRequest = (name: string, input: object) => ({
  method: 'POST' as const,
  url: `/operator/${name}`,
  payload: input,
});

/** By its route, as the CLI does: it stores for a second operator and writes the audit row. */
export function commandCaller(
  server: HttpServer,
  request: FastifyRequest,
  { session }: { session: PersonSession },
): CallCommand {
  const call = apiCaller(server, request, session);
  return async (name, input = {}) => {
    const { status, body } = await call(commandRequest(name, input));
    return { data: body.data as CommandAnswer['data'], waits: status === 202 };
  };
}
