import { request } from 'node:http';
import { registerIntegration } from '#features/connect/integrations';
import { beginSession, contextOf, invitePerson, type NewPerson, personCookie } from '#features/people';
import { operatorContext, type World } from '../withdrawals/world.ts';

export interface Shown {
  status: number;
  type: string;
  body: string;
  /** From the request to the last byte. */
  ms: number;
}

export interface Visitor {
  /** Where their pages begin. */
  start: string;
  get(path: string): Promise<Shown>;
}

/** An administrator of the operator, the owner of the partner that has it all, and the owner of an app. */
export async function signStaffIn(world: World): Promise<Visitor[]> {
  const { partnerId, userIds } = world;
  const starts = [`/console/users/${userIds[0]}`, `/console/users/${userIds[1]}`];
  await invitePerson(operatorContext(world.deps), {
    name: 'Colleague',
    email: 'colleague@example.com',
    role: 'finance',
    partnerId,
  } as NewPerson);
  const { id: integrationId } = await registerIntegration(operatorContext(world.deps), {
    name: 'Bench',
    logoColor: '#1a7f5a',
    purposes: ['Open an account'],
    scopes: ['profile', 'email'],
    redirectUris: ['https://app.example.com/back'],
  });
  return [
    await signIn(world, '/console', { role: 'admin' }, starts),
    await signIn(world, '/partner', { role: 'owner', partnerId }, []),
    await signIn(world, '/developers', { role: 'owner', integrationId }, ['/developers/apply']),
  ];
}

async function signIn(
  { deps, port }: World,
  start: string,
  given: Partial<NewPerson>,
  alsoStart: readonly string[],
): Promise<Visitor & { alsoStart: readonly string[] }> {
  const email = `${start.slice(1)}@example.com`;
  const { person } = await invitePerson(operatorContext(deps), {
    name: 'Bench',
    email,
    ...given,
  } as NewPerson);
  const { sessionSecret } = await beginSession(contextOf(deps, person.id, deps.log), undefined);
  const [cookie = ''] = personCookie.write(deps.publicUrl, sessionSecret).split(';');
  return { start, alsoStart, get: (path) => fetchPage(port, path, cookie) };
}

function fetchPage(port: number, path: string, cookie: string): Promise<Shown> {
  const startedAt = performance.now();
  const headers = { host: 'localhost:0', cookie, 'accept-language': 'en' };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, timeout: 60_000 }, async (answer) => {
      const type = answer.headers['content-type'] ?? '';
      // A file of a million rows is no page.
      if (!type.startsWith('text/html')) {
        answer.destroy();
        return resolve({ status: answer.statusCode!, type, body: '', ms: 0 });
      }
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part as Buffer);
      const ms = performance.now() - startedAt;
      resolve({ status: answer.statusCode!, type, body: Buffer.concat(parts).toString('utf8'), ms });
    });
    sent.once('timeout', () => sent.destroy(new Error(`${path} takes too long`)));
    sent.once('error', reject);
    sent.end();
  });
}

const pagesMax = 800;
/** Pages about different records of one kind. */
const sameKindMax = 3;

/** Commands that read whole tables, for which they take seconds: no pages. */
const wholeChecks = ['audit.verify', 'doctor', 'ledger.check', 'ledger.verify'];
const isWholeCheck = (path: string) =>
  wholeChecks.some((name) => path.startsWith(`/console/commands/${name}?`) && path.includes('run=1'));

/** The pages that links lead to, some of each kind. */
export async function crawl(
  visitor: Visitor & { alsoStart?: readonly string[] },
  starts: readonly string[] = [],
): Promise<string[]> {
  const own = starts.filter((path) => path.startsWith(`${visitor.start}/`));
  const found = new Set([visitor.start, ...(visitor.alsoStart ?? []), ...own]);
  const kinds = new Map<string, number>();
  const area = visitor.start;
  for (const path of found) {
    const { body, type } = await visitor.get(path);
    if (!type.startsWith('text/html')) {
      found.delete(path);
      continue;
    }
    for (const [, address = ''] of body.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
      const link = address.replaceAll(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
      if (isWholeCheck(link)) continue;
      const isOwn = link === area || link.startsWith(`${area}/`) || link.startsWith(`${area}?`);
      const kind = kindOf(link);
      const count = kinds.get(kind) ?? 0;
      if (!isOwn || link.startsWith(`${area}/language`) || found.has(link) || count >= sameKindMax) continue;
      if (found.size >= pagesMax) return [...found];
      kinds.set(kind, count + 1);
      found.add(link);
    }
  }
  return [...found];
}

/** The address without ids and values. */
const kindOf = (link: string) =>
  link.replaceAll(/=[^&]*/g, '=').replaceAll(/\/(?=[^/?]*\d)[^/?]{16,}/g, '/:id');
