import { Type } from 'typebox';
import type { Db } from '../db/db.ts';
import { faultInSchema, readSchema } from '../db/migrate.ts';
import { commonErrors } from '../errors/errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { HttpServer } from './http.ts';

const status = Type.Object({ status: Type.String() });
const readiness = Type.Object({
  status: Type.String(),
  networksWithoutNode: Type.Array(Type.String(), {
    description: 'Networks none of whose nodes answers; this process stays ready',
  }),
});
const tags = ['Service'];

export interface HealthSources {
  db: Db;
  /** From what is known, without a call: balancers ask every few seconds. */
  networksWithoutNode(): string[];
}

/** Liveness and readiness; neither shows anything about a partner or a user. */
export function healthRoutes(server: HttpServer, { db, networksWithoutNode }: HealthSources): void {
  server.get(
    '/health',
    { schema: { tags, summary: 'Liveness: the process answers.', response: { 200: status } } },
    async () => ({ status: 'ok' }),
  );

  server.get(
    '/ready',
    {
      schema: {
        tags,
        summary: 'Readiness: the database answers and has this release’s schema.',
        response: { 200: readiness },
      },
    },
    async () => {
      const schema = await readSchema(db).catch((cause) => {
        throw commonErrors.unavailable({ message: 'Database unavailable', cause });
      });
      const fault = faultInSchema(schema);
      if (fault) throw commonErrors.unavailable({ message: `The database is ${fault}` });
      return { status: 'ready', networksWithoutNode: networksWithoutNode() };
    },
  );
}

export function metricsRoute(server: HttpServer, { registry }: Metrics): void {
  server.get(
    '/metrics',
    { schema: { tags, summary: 'Metrics for Prometheus.' } },
    async (_request, reply) => {
      reply.header('content-type', registry.contentType);
      return registry.metrics();
    },
  );
}
