import type { FastifyRequest } from 'fastify';
import type { Deps } from '#context';
import { faultInSchema, readSchema } from '#platform/db/migrate';
import type { Html } from '#platform/http/html';
import type { HttpServer } from '#platform/http/http';
import { readStyleSheet } from '#platform/http/theme';
import { renderHome } from './home-page.ts';

/** What the sandbox adds to the page. */
export interface Door {
  /** The tour, or undefined if this caller is not on this machine. */
  section(request: FastifyRequest): Html | undefined;
  /** Its script and its routes. */
  mount(server: HttpServer, deps: Deps): void;
}

export interface HomeOptions {
  /** Without it, `/metrics` is on another port. */
  hasMetrics: boolean;
  networksWithoutNode(): string[];
  door?: Door | undefined;
}

const styleSheet = readStyleSheet(import.meta.dirname, 'home.css');

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  // It shows whether the service is healthy now, and in the sandbox keys.
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
};

/** The page at the root: what this is, whether it is healthy, and where to go. */
export function homeRoutes(server: HttpServer, deps: Deps, options: HomeOptions): void {
  const { hasMetrics, networksWithoutNode, door } = options;

  server.get('/', async (request, reply) => {
    const page = renderHome({
      fault: await readFault(deps),
      networksWithoutNode: networksWithoutNode(),
      hasMetrics,
      section: door?.section(request),
    });
    return reply.headers(headers).type('text/html; charset=utf-8').send(page);
  });

  server.get('/home.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(styleSheet));
  door?.mount(server, deps);
}

/** Why it is not ready, as `/ready` says it. */
async function readFault({ db }: Deps): Promise<string | undefined> {
  try {
    const fault = faultInSchema(await readSchema(db));
    return fault && `The database is ${fault}.`;
  } catch {
    return 'The database does not answer.';
  }
}
