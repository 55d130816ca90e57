import { Type } from 'typebox';
import type { Db } from '../db/db.ts';
import { faultInSchema, readSchema } from '../db/migrate.ts';
import { commonErrors } from '../errors/errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { HttpServer } from './http.ts';

const status = Type.Object({ status: Type.String() });
const tags = ['Service'];

/** Liveness, readiness and metrics; none shows anything about a partner or a user. */
export function healthRoutes(server: HttpServer, { db, metrics }: { db: Db; metrics: Metrics }): void {
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
        response: { 200: status },
      },
    },
    async () => {
      const schema = await readSchema(db).catch((cause) => {
        throw commonErrors.unavailable({ message: 'Database unavailable', cause });
      });
      const fault = faultInSchema(schema);
      if (fault) throw commonErrors.unavailable({ message: `The database is ${fault}` });
      return { status: 'ready' };
    },
  );

  server.get(
    '/metrics',
    { schema: { tags, summary: 'Metrics for Prometheus.' } },
    async (_request, reply) => {
      reply.header('content-type', metrics.registry.contentType);
      return metrics.registry.metrics();
    },
  );
}
