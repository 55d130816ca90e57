import { Type } from 'typebox';
import type { Db } from '../db/db.ts';
import { faultInSchema, readSchema } from '../db/migrate.ts';
import { commonErrors } from '../errors/errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import { methodCase, type Operation, refusals } from '../reference/operation.ts';
import type { HttpServer } from './http.ts';

const status = Type.Object({ status: Type.String() });
const readiness = Type.Object({
  status: Type.String(),
  networksWithoutNode: Type.Array(Type.String(), {
    description: 'Networks none of whose nodes answers; this process stays ready',
  }),
});

const ofService = { audience: 'operator', tag: 'Service' } as const;
const headersCase = [
  ...methodCase,
  ...refusals([[commonErrors.headersTooLarge, 'The headers are larger than the limit']]),
];

const livenessReference: Operation = {
  ...ofService,
  id: 'checkLiveness',
  summary: 'Liveness: the process answers.',
  answers: { 200: { description: 'The process answers.', examples: { ok: { value: { status: 'ok' } } } } },
  errors: headersCase,
};

const readinessReference: Operation = {
  ...ofService,
  id: 'checkReadiness',
  summary: 'Readiness: the database answers and has this release’s schema.',
  answers: {
    200: {
      description: 'The process can serve requests.',
      examples: { ready: { value: { status: 'ready', networksWithoutNode: [] } } },
    },
  },
  errors: [
    ...headersCase,
    ...refusals([
      [
        () => commonErrors.unavailable({ message: 'Database unavailable' }),
        'The database does not answer, or has another schema',
      ],
    ]),
  ],
};

const metricsReference: Operation = {
  ...ofService,
  id: 'readMetrics',
  summary: 'Metrics for Prometheus.',
  answers: {
    200: { description: 'The figures.', files: { 'text/plain': 'causeway_consents_active 0\n' } },
  },
  errors: headersCase,
};

export interface HealthSources {
  db: Db;
  /** From what is known, without a call: balancers ask every few seconds. */
  networksWithoutNode(): string[];
}

/** Liveness and readiness; neither shows anything about a partner or a user. */
export function healthRoutes(server: HttpServer, { db, networksWithoutNode }: HealthSources): void {
  server.get(
    '/health',
    { config: { reference: livenessReference }, schema: { response: { 200: status } } },
    async () => ({ status: 'ok' }),
  );

  server.get(
    '/ready',
    {
      config: { reference: readinessReference },
      schema: { response: { 200: readiness } },
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
  server.get('/metrics', { config: { reference: metricsReference } }, async (_request, reply) => {
    reply.header('content-type', registry.contentType);
    return registry.metrics();
  });
}
