import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Type } from 'typebox';
import { contextFor, type Deps } from '#context';
import { commonErrors } from '#platform/errors/errors';
import { callerAddress, type FastifyRequest, type HttpServer } from '#platform/http/http';
import { closed } from '#platform/http/schemas';
import type { Door } from '#surfaces/home';
import type { Inbox } from '../inbox/inbox.ts';
import { mountInbox } from '../inbox/mount-inbox.ts';
import type { SandboxFacts } from '../sandbox-file.ts';
import type { SandboxSecrets } from '../secrets.ts';
import { makeConsentLink } from '../world/connect.ts';
import { simulations } from './simulate.ts';
import { simulationNames } from './simulation-list.ts';
import { mountStaffLinks, type StaffLinks } from './staff-links.ts';
import { renderTour } from './tour-section.ts';

const script = readFileSync(path.join(import.meta.dirname, 'tour.js'), 'utf8');
const actor = { kind: 'operator', name: 'sandbox', role: 'admin' } as const;

/** The sandbox's part of the page at `/`: the tour, with the demo's keys, and its buttons. */
export function createDoor(
  sandbox: SandboxFacts,
  secrets: SandboxSecrets,
  { inbox, staffLinks }: { inbox: Inbox; staffLinks: StaffLinks },
): Door {
  return {
    section: (request) => (isFromThisMachine(request) ? renderTour(sandbox, originOf(request)) : undefined),
    mount(server, deps) {
      mountRoutes(server, deps, sandbox, secrets);
      mountInbox(server, { inbox, clock: deps.clock, isAllowed: isFromThisMachine });
      mountStaffLinks(server, deps, { links: staffLinks, isAllowed: isFromThisMachine });
    },
  };
}

function mountRoutes(server: HttpServer, deps: Deps, sandbox: SandboxFacts, secrets: SandboxSecrets): void {
  const context = () => contextFor(deps, actor, deps.log);
  const authenticate = async (request: FastifyRequest) => {
    const given = digestOf(request.headers.authorization ?? '');
    if (!timingSafeEqual(given, digestOf(`Bearer ${secrets.operatorToken}`))) throw commonErrors.notFound();
  };

  server.get('/sandbox/tour.js', (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(script),
  );

  server.post('/sandbox/consent-link', { onRequest: authenticate }, async () => ({
    data: { url: await makeConsentLink(context(), sandbox) },
  }));

  const body = Type.Object({ name: Type.Enum(simulationNames) }, closed);
  server.post('/sandbox/simulate', { onRequest: authenticate, schema: { body } }, async (request) => {
    const scene = { ctx: context(), sandbox, tokenIssuerKey: secrets.issuerKey };
    return { data: await simulations[request.body.name](scene) };
  });
}

/**
 * By the host name, because another site's name may lead to this machine, and its pages could then read the
 * keys; and by the address, because a sandbox may listen on others, where callers choose the host name.
 */
const isFromThisMachine = (request: FastifyRequest) =>
  loopbackNames.includes(request.hostname.replace(/:\d+$/, '')) &&
  loopbackAddresses.includes(callerAddress(request));

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];
const loopbackAddresses = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];

const originOf = (request: FastifyRequest) => `${request.protocol}://${request.host}`;

const digestOf = (text: string) => createHash('sha256').update(text).digest();
