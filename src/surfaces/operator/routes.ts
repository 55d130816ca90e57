import { Type } from 'typebox';
import type { Config } from '#config/config';
import { type Ctx, contextFor, type Deps, readingContext } from '#context';
import { approvalView, requestApproval } from '#features/approvals';
import { everyone } from '#operator-roles';
import type { Command } from '#platform/commands/command';
import { createDownloads, type Download } from '#platform/http/download';
import type { HttpServer } from '#platform/http/http';
import { limitConcurrency } from '#platform/http/limit-concurrency';
import { optionalBody } from '#platform/http/optional-body';
import { operatorGuard, operators } from './guard.ts';
import { commandReference } from './reference.ts';

export interface OperatorOptions {
  commands: readonly Command<Ctx>[];
  tokens: Config['operatorTokens'];
  /** Commands that are stored for a second operator instead of run. */
  fourEyes: ReadonlySet<string>;
  /**
   * Commands wait for each other on the audit log. Keep this below the number of connections, so that
   * partners' requests find a free one.
   */
  concurrencyMax: number;
  /** The API reference for operators, as JSON. */
  document(): string;
}

/**
 * `POST /operator/<feature>.<command>` for every command: JSON in, `{ data }` or `{ error }` out, or a file.
 */
export function operatorRoutes(
  server: HttpServer,
  deps: Deps,
  { commands, tokens, fourEyes, concurrencyMax, document }: OperatorOptions,
): void {
  const authenticate = operatorGuard(deps, tokens);
  const readReference = { name: 'the reference', roles: everyone };
  server.get(
    '/operator/openapi.json',
    { onRequest: authenticate(readReference) },
    async (_request, reply) => {
      reply.type('application/json; charset=utf-8');
      return document();
    },
  );
  const gate = limitConcurrency(concurrencyMax);
  const sendDownload = createDownloads();
  for (const command of commands) {
    const waits = fourEyes.has(command.name);
    server.post(
      `/operator/${command.name}`,
      {
        onRequest: authenticate(command),
        preValidation: optionalBody,
        bodyLimit: command.bodyBytesMax,
        config: { reference: commandReference(command, waits) },
        schema: { body: command.input, response: answersOf(command, waits) },
      },
      async (request, reply) => {
        const actor = operators.get(request)!;
        const log = request.log.child({ operator: actor.name }) as Ctx['log'];
        reply.header('cache-control', 'no-store');
        const isOnPrimary = command.changes || command.needsPrimary;
        const ctx = isOnPrimary ? contextFor(deps, actor, log) : readingContext(deps, actor, { log });
        if (waits) {
          reply.status(202);
          const asked = { command: command.name, input: request.body as object };
          return { data: await gate(() => requestApproval(ctx, asked)) };
        }
        const run = () => gate(() => command.run(ctx, request.body as never));
        if (command.fileTypes) {
          return sendDownload(request, reply, actor.name, run as () => Promise<Download>);
        }
        return { data: await run() };
      },
    );
  }
}

const answersOf = (command: Command<Ctx>, waits: boolean) =>
  waits ? { 202: Type.Object({ data: approvalView }) } : { 200: answerOf(command) };

function answerOf({ output, fileTypes }: Command<Ctx>) {
  if (!fileTypes) return Type.Object({ data: output });
  const content = Object.fromEntries(fileTypes.map((type) => [type, { schema: output }]));
  return { description: 'The file, streamed', content };
}
