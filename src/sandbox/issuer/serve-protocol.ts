import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitConcurrency } from '#platform/http/limit-concurrency';
import { JsonFault, parseStrictJson } from '#platform/http/strict-json';
import type { Log } from '#platform/observe/log';
import { isWebhookSecret } from '#platform/secrets/webhook-secret';
import type { Clock } from '#platform/values/clock';
import { readBounded } from '#platform/values/read-bounded';
import type { Deliveries } from './deliver-webhooks.ts';
import { ProtocolError } from './protocol-error.ts';
import { bodies } from './requests.ts';
import { readSession, unwrapKey } from './reveal.ts';
import {
  createCards,
  createUser,
  creditDeposit,
  findAccount,
  findCard,
  makeId,
  type Outcome,
  simulate,
  updateCard,
} from './rules.ts';
import type { RequestKey, Store } from './store.ts';
import type { Vault } from './vault.ts';

export interface ProtocolOptions {
  token: string;
  store: Store;
  vault: Vault;
  deliveries: Deliveries;
  clock: Clock & { setOffset(ms: number): void };
  log: Log;
}

/** What a handler sees of a request. */
interface Asked {
  path: string;
  id: string;
  query: URLSearchParams;
  body: unknown;
  idempotencyKey: string | undefined;
  fingerprint: string;
}

interface Route {
  method: string;
  /** With at most one `*`, which is an id. */
  path: string;
  bytesMax?: number;
  handle(asked: Asked): unknown;
}

const bodyBytesMax = 64 * 1024;
const storyBytesMax = 1024 * 1024;
const eventsMax = 1_000;
/** Longer than any unwrapping takes, so that all failures are answered after the same time. */
const unwrapFailureMs = 25;

/** An HTTP server that speaks the protocol of `docs/issuer-protocol.md`; it does not listen yet. */
export function createProtocolServer(options: ProtocolOptions): Server {
  const { token, store, log } = options;
  const routes = routesOf(options);
  const tokenDigest = digestOf(`Bearer ${token}`);

  const answer = async (request: IncomingMessage): Promise<{ route: string; body: unknown }> => {
    const url = URL.parse(`http://issuer${request.url}`);
    if (!timingSafeEqual(digestOf(request.headers.authorization ?? ''), tokenDigest)) {
      throw new ProtocolError('unauthorized', 'The token is missing or wrong.');
    }
    const route = routes.find(({ method, path }) => method === request.method && fits(path, url?.pathname));
    if (!route || !url) throw new ProtocolError('unknown-path', 'There is nothing at this path.');
    const body =
      request.method === 'GET' ? undefined : await readBody(request, route.bytesMax ?? bodyBytesMax);
    const asked: Asked = {
      path: url.pathname,
      id: url.pathname.split('/')[3] ?? '',
      query: url.searchParams,
      body,
      idempotencyKey: readKey(request),
      fingerprint: digestOf(`${request.method} ${url.pathname} ${sorted(body)}`).toString('hex'),
    };
    return { route: route.path, body: await route.handle(asked) };
  };

  return createServer(
    { headersTimeout: 3_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000 },
    async (request, response) => {
      const startedAt = performance.now();
      let [status, body, route]: [number, unknown, string] = [200, undefined, 'none'];
      try {
        ({ body, route } = await answer(request));
      } catch (error) {
        const known = asProtocolError(error, log);
        status = known.status;
        body = { error: { reason: known.reason, message: known.message } };
      }
      // Nothing is answered, not even to a reader, that a crash could still undo.
      await store.durable();
      send(response, status, body);
      const ms = Math.round(performance.now() - startedAt);
      log.info({ method: request.method, route, status, ms }, 'request');
    },
  );
}

function routesOf({ store, vault, deliveries, clock }: ProtocolOptions): Route[] {
  const { state } = store;
  const now = () => ({ state, at: clock() });
  // Numbers are on disk before their cards: of two requests with one key, the second must find what the first
  // created.
  const oneCreation = limitConcurrency(1);

  /** A write: the stored answer for this key, or the outcome of its rule. */
  const once = (asked: Asked, decide: () => Outcome): unknown => {
    const request = keyOf(asked);
    const kept = store.findRepeatedDecision(request);
    if (kept) return kept.body;
    const body = store.commit(request, decide());
    deliveries.wake();
    return body;
  };

  return [
    {
      method: 'POST',
      path: '/v1/users',
      handle(asked) {
        const body = bodies.newUser(asked.body);
        return once(asked, () => createUser(now(), body));
      },
    },
    {
      method: 'POST',
      path: '/v1/cards',
      handle: (asked) =>
        oneCreation(async () => {
          const body = bodies.newCards(asked.body);
          const kept = store.findRepeatedDecision(keyOf(asked));
          if (kept) return kept.body;
          findAccount(state, body.cardIssuerUserId);
          const vaulted = body.cards.map(() => {
            const cardId = makeId('card');
            return { cardId, ...vault.addCard(cardId) };
          });
          await vault.durable();
          return once(asked, () => createCards(now(), body, vaulted));
        }),
    },
    {
      method: 'PATCH',
      path: '/v1/cards/*',
      handle(asked) {
        const body = bodies.cardUpdate(asked.body);
        return once(asked, () => updateCard(now(), asked.id, body));
      },
    },
    { method: 'GET', path: '/v1/cards/*', handle: ({ id }) => findCard(state, id) },
    {
      method: 'GET',
      path: '/v1/events',
      handle({ query }) {
        const [after, limit] = [readNumber(query, 'after', 0), readNumber(query, 'limit', 100)];
        if (limit < 1 || limit > eventsMax) {
          throw new ProtocolError('invalid-request', `limit is a number from 1 to ${eventsMax}.`);
        }
        return { events: state.events.slice(after, after + limit) };
      },
    },
    { method: 'GET', path: '/v1/reveal-key', handle: () => ({ publicKey: vault.publicKey }) },
    {
      method: 'POST',
      path: '/v1/cards/*/reveal',
      handle({ id, body }) {
        const { cardIssuerUserId, sessionId } = bodies.reveal(body);
        const card = findCard(state, id);
        if (card.cardIssuerUserId !== cardIssuerUserId) {
          throw new ProtocolError('not-found', 'No card has this id.');
        }
        if (card.status === 'canceled')
          throw new ProtocolError('refused', 'A canceled card is not revealed.');
        return reveal(store, vault, card.id, sessionId);
      },
    },
    {
      method: 'POST',
      path: '/v1/deposits',
      handle(asked) {
        const body = bodies.deposit(asked.body);
        return once(asked, () => creditDeposit(now(), body));
      },
    },
    {
      method: 'POST',
      path: '/v1/simulations',
      handle(asked) {
        const body = bodies.simulation(asked.body);
        return once(asked, () => simulate(now(), body));
      },
    },
    {
      method: 'PUT',
      path: '/v1/webhook',
      handle({ body }) {
        const target = bodies.webhook(body);
        if (!isWebhookSecret(target.secret)) {
          throw new ProtocolError('invalid-request', 'secret does not have the form that it must have.');
        }
        deliveries.setTarget(target);
        return {};
      },
    },
    {
      method: 'PUT',
      path: '/v1/story',
      bytesMax: storyBytesMax,
      handle({ body }) {
        tellStory(store, bodies.story(body).steps);
        deliveries.skipAll();
        return {};
      },
    },
    {
      method: 'PUT',
      path: '/v1/clock',
      handle({ body }) {
        clock.setOffset(bodies.clock(body).offsetMs);
        return {};
      },
    },
  ];
}

/**
 * What merchants and payers did at other times, in the order of its steps. What follows a purchase that was
 * declined is left out.
 */
function tellStory(store: Store, steps: readonly { at: string; of?: number }[]): void {
  const transactions: string[] = [];
  for (const [number, { at, of, ...step }] of steps.entries()) {
    const now = { state: store.state, at: new Date(at) };
    const transactionId = of === undefined ? undefined : transactions[of];
    if (transactionId && store.state.transactions.get(transactionId)?.status === 'declined') continue;
    const body = bodies.simulation(of === undefined ? step : { ...step, transactionId });
    const outcome = simulate(now, body);
    const changed = outcome.facts.find((fact) => fact.type === 'transaction.changed');
    if (changed) transactions[number] = changed.data.id;
    store.commit({ key: randomUUID(), fingerprint: '' }, outcome, now.at);
  }
}

/** A session is used up by the first reveal that unwraps it, before anything is encrypted under its key. */
async function reveal(store: Store, vault: Vault, cardId: string, sessionId: string): Promise<unknown> {
  const answerAt = performance.now() + unwrapFailureMs;
  const session = readSession(sessionId);
  if (session && store.state.sessions.has(session.digest)) {
    throw new ProtocolError('session-used', 'The session id was used before.');
  }
  const key = unwrapKey(vault.privateKey, session);
  if (!session || !key) {
    await sleep(answerAt - performance.now());
    throw new ProtocolError('session-invalid', 'The session id cannot be used.');
  }
  store.commitSession(session.digest);
  const secrets = vault.encrypt(cardId, key);
  key.fill(0);
  return secrets;
}

function keyOf({ idempotencyKey, fingerprint }: Asked): RequestKey {
  if (idempotencyKey === undefined) {
    throw new ProtocolError('invalid-request', 'The header Idempotency-Key is missing.');
  }
  return { key: idempotencyKey, fingerprint };
}

function readKey({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new ProtocolError('invalid-request', 'Idempotency-Key has 1 to 255 visible ASCII characters.');
  }
  return key;
}

function readNumber(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) {
    throw new ProtocolError('invalid-request', `${name} is a whole number.`);
  }
  return Number(text);
}

async function readBody(request: IncomingMessage, bytesMax: number): Promise<unknown> {
  if (request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw new ProtocolError('invalid-request', 'Content-Type must be application/json.');
  }
  // The rest of a body that is too large is not read, and the answer still arrives.
  const chunks = request.iterator({ destroyOnReturn: false });
  const tooMuch = () => new ProtocolError('invalid-request', 'The body is too large.');
  return parseStrictJson(await readBounded(chunks, { bytesMax, tooMuch }));
}

/** JSON with the fields of each object in one order, so that equal requests have equal text. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_name, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? '';

function fits(pattern: string, path = ''): boolean {
  const [expected, given] = [pattern.split('/'), path.split('/')];
  return (
    expected.length === given.length &&
    expected.every((part, at) => part === given[at] || (part === '*' && given[at] !== ''))
  );
}

function asProtocolError(error: unknown, log: Log): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof JsonFault) return new ProtocolError('invalid-request', error.message);
  log.error({ err: error }, 'request failed');
  return new ProtocolError('unavailable', 'Something went wrong here.');
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...(!response.req.complete && { connection: 'close' }),
  });
  response.end(text);
}

const digestOf = (text: string) => createHash('sha256').update(text).digest();
