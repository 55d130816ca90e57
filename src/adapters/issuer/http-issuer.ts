import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseStrictJson } from '#platform/http/strict-json';
import { hashFacts } from '#platform/values/hash-facts';
import { readBounded } from '#platform/values/read-bounded';
import { type Issuer, IssuerFault, type IssuerFaultReason } from './issuer.ts';
import { answers, brokenAnswer, faultOfReason, idForm, statusOfReason } from './protocol.ts';

export interface HttpIssuerOptions {
  /** Where the protocol's `/v1` is found, such as `https://issuer.example/causeway`. */
  url: string;
  token: string;
  /** Of one attempt, from the first byte sent to the last one read. */
  timeoutMs?: number;
}

interface Call<T> {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body?: unknown;
  /** Of a write that may be repeated; reads always may. */
  idempotencyKey?: string;
  /** Default: the usual parser of answers. */
  parse?(bytes: Uint8Array): unknown;
  read(value: unknown): T;
}

const attemptsMax = 3;
const firstPauseMs = 150;
/** A thousand events of the longest texts that the protocol allows. */
const answerBytesMax = 8 * 1024 * 1024;
const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/**
 * An issuer elsewhere, by `docs/issuer-protocol.md`. Reads and writes under an idempotency key are tried up
 * to three times when nobody answers or the answer is 429 or of the 500s; a reveal is tried once, since its
 * session is good once. No message has anything in it that was sent, nor what was answered but for the words
 * of a refusal.
 */
export function createHttpIssuer({ url, token, timeoutMs = 5_000 }: HttpIssuerOptions): Issuer {
  const base = baseOf(url);
  if (!visibleAscii.test(token)) throw new TypeError('The issuer’s token must be visible ASCII characters.');

  const call = createCaller(base, token, timeoutMs);
  return Object.assign(writesOf(call), readsOf(call));
}

type Caller = <T>(request: Call<T>) => Promise<T>;

/** Makes one call, again if nobody answered and the call may be repeated. */
function createCaller(base: URL, token: string, timeoutMs: number): Caller {
  const attempt = async <T>(request: Call<T>): Promise<T> => {
    const { method, path, body, idempotencyKey, parse = parseJson, read } = request;
    const answer = await exchange(new URL(path, base), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
      // Following a redirect would send the token to another server, and the protocol has no redirects.
      redirect: 'manual',
    });
    if (answer.status >= 200 && answer.status < 300) return read(parse(answer.bytes));
    throw faultOf(answer);
  };

  return async <T>(request: Call<T>): Promise<T> => {
    const { method, idempotencyKey } = request;
    if (idempotencyKey !== undefined && !visibleAscii.test(idempotencyKey)) {
      throw new IssuerFault('refused', 'An idempotency key has 1 to 255 visible ASCII characters.');
    }
    const isRepeatable = method === 'GET' || idempotencyKey !== undefined;
    for (let tried = 1; ; tried++) {
      try {
        return await attempt(request);
      } catch (error) {
        if (!isRepeatable || !(error instanceof NoAnswer) || tried === attemptsMax) throw error;
        await sleep(firstPauseMs * 2 ** (tried - 1));
      }
    }
  };
}

type Reads = 'readCard' | 'readEvents' | 'readRevealKey' | 'reveal';

function writesOf(call: Caller): Omit<Issuer, Reads> {
  return {
    async createUser({ idempotencyKey, reference }) {
      const body = { reference };
      const user = await call({ method: 'POST', path: 'v1/users', body, idempotencyKey, read: answers.user });
      if (user.reference !== reference) throw brokenAnswer('the account that was asked for');
      return user;
    },

    async createCards({ idempotencyKey, cardIssuerUserId, cards }) {
      const body = { cardIssuerUserId, cards };
      const made = await call({
        method: 'POST',
        path: 'v1/cards',
        body,
        idempotencyKey,
        read: answers.cards,
      });
      const isAsked = made.every((card) => card.cardIssuerUserId === cardIssuerUserId);
      if (!isAsked || made.length !== cards.length) throw brokenAnswer('the cards that were asked for');
      return made;
    },

    async updateCard({ idempotencyKey, cardId, ...body }) {
      requireId(cardId);
      const path = `v1/cards/${cardId}`;
      const card = await call({ method: 'PATCH', path, body, idempotencyKey, read: answers.card });
      if (card.id !== cardId) throw brokenAnswer('the card that was asked for');
      return card;
    },

    announceDeposit(deposit) {
      // Derived from all fields: the issuer recognizes a repeated transfer, and another amount is not an
      // error of the key.
      const { cardIssuerUserId, network, currency, amount, transactionHash, logIndex } = deposit;
      const facts = [cardIssuerUserId, network, currency, amount, transactionHash, logIndex];
      const idempotencyKey = `deposit-${hashFacts(facts).toString('base64url')}`;
      return call({
        method: 'POST',
        path: 'v1/deposits',
        body: deposit,
        idempotencyKey,
        read: answers.nothing,
      });
    },

    simulate(simulation) {
      const idempotencyKey = randomUUID();
      return call({
        method: 'POST',
        path: 'v1/simulations',
        body: simulation,
        idempotencyKey,
        read: answers.events,
      });
    },
  };
}

function readsOf(call: Caller): Pick<Issuer, Reads> {
  return {
    async readCard(cardId) {
      if (!idForm.test(cardId)) return undefined;
      try {
        const card = await call({ method: 'GET', path: `v1/cards/${cardId}`, read: answers.card });
        if (card.id !== cardId) throw brokenAnswer('the card that was asked for');
        return card;
      } catch (error) {
        if (error instanceof IssuerFault && error.reason === 'not-found') return undefined;
        throw error;
      }
    },

    async readEvents({ after, limit }) {
      const path = `v1/events?after=${after}&limit=${limit}`;
      const events = await call({ method: 'GET', path, parse: parseFeed, read: answers.feed });
      const isOrdered = events.every(({ sequence }, at) => sequence > (events[at - 1]?.sequence ?? after));
      if (!isOrdered || events.length > limit) throw brokenAnswer('events in their order');
      return events;
    },

    readRevealKey: () => call({ method: 'GET', path: 'v1/reveal-key', read: answers.revealKey }),

    async reveal({ cardId, cardIssuerUserId, sessionId }) {
      requireId(cardId);
      const body = { cardIssuerUserId, sessionId };
      try {
        return await call({ method: 'POST', path: `v1/cards/${cardId}/reveal`, body, read: answers.secrets });
      } catch (error) {
        // The issuer's words might repeat what was sent.
        if (!(error instanceof IssuerFault) || error.reason !== 'refused') throw error;
        throw new IssuerFault('refused', 'The issuer does not reveal this card.');
      }
    },
  };
}

/** Nobody answered, or somebody who asks for a pause: the same request may fare better in a moment. */
class NoAnswer extends IssuerFault {
  constructor(message: string, options?: ErrorOptions) {
    super('unavailable', message, options);
  }
}

const ownTexts: Record<IssuerFaultReason, string> = {
  'not-found': 'The issuer does not know it.',
  refused: 'The issuer refused it.',
  'session-invalid': 'The session id cannot be used.',
  'session-used': 'The session id was used before.',
  'key-reused': 'The idempotency key belongs to another request.',
  unsupported: 'The issuer does not do this.',
  unavailable: 'The issuer is not available.',
};

interface HttpAnswer {
  status: number;
  bytes: Uint8Array;
}

async function exchange(url: URL, init: RequestInit): Promise<HttpAnswer> {
  try {
    const response = await fetch(url, init);
    return {
      status: response.status,
      bytes: await readBounded(response.body, { bytesMax: answerBytesMax, tooMuch }),
    };
  } catch (cause) {
    if (cause instanceof IssuerFault) throw cause;
    const isLate = cause instanceof DOMException && cause.name === 'TimeoutError';
    throw new NoAnswer(isLate ? 'The issuer did not answer in time.' : 'The issuer cannot be reached.', {
      cause,
    });
  }
}

const tooMuch = () => new IssuerFault('unavailable', 'The issuer answered more than the protocol allows.');

function parseJson(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch {
    throw brokenAnswer('JSON');
  }
}

/**
 * Text that PostgreSQL cannot hold, such as a name cut in the middle of a character, spoils its own event and
 * no other.
 */
function parseFeed(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch {
    const text = new TextDecoder().decode(bytes);
    // Nothing else is forgiven: with other characters in their places it is as strict as any answer.
    parseJson(Buffer.from(text.replace(escapes, (one) => (isUnfit.test(one) ? '?' : one))));
    const page = JSON.parse(text);
    if (!isUtf8(bytes) || !Array.isArray(page?.events)) throw brokenAnswer('JSON');
    return { events: page.events.map(withoutUnfit) };
  }
}

const escapes = /\\(u[0-9a-fA-F]{4}|.)/g;
/** Whole pairs, too: each event is looked at once more. */
const isUnfit = /^\\u(0000|d[89a-f][0-9a-f]{2})$/i;

/** The event, or where it stands if its text cannot be used. */
function withoutUnfit(event: Record<'sequence' | 'createdAt' | 'type', unknown> | null): unknown {
  try {
    return parseStrictJson(Buffer.from(JSON.stringify(event)));
  } catch {
    return { sequence: event?.sequence, createdAt: event?.createdAt, type: event?.type };
  }
}

function faultOf({ status, bytes }: HttpAnswer): IssuerFault {
  const isPassing = status === 429 || (status >= 500 && status !== statusOfReason.unsupported);
  if (isPassing) return new NoAnswer(`The issuer answered with status ${status}.`);
  try {
    const { reason, message } = answers.error(parseJson(bytes));
    if (statusOfReason[reason] !== status) throw brokenAnswer('a status that fits the reason');
    const fault = faultOfReason[reason];
    if (fault === 'refused' && isPlainSentence(message)) return new IssuerFault('refused', message);
    if (fault === 'unavailable') {
      return new IssuerFault(fault, `The issuer answered with status ${status}, ${reason}.`);
    }
    return new IssuerFault(fault, ownTexts[fault]);
  } catch {
    // A page of something between us and the issuer: a 404 of a proxy must not pass for a card that is not
    // there.
    return new IssuerFault('unavailable', `The issuer answered with status ${status} and no known reason.`);
  }
}

/**
 * Whether a message of the issuer may be shown to callers. It must contain no secret and no card number: no
 * 24 letters or digits in a row, and no nine digits, even with signs between them.
 */
const isPlainSentence = (message: string) =>
  /^[A-Za-z0-9 ,.;:'()$-]{1,200}$/.test(message) &&
  !/([0-9][^A-Za-z0-9]{0,4}){9}|[A-Za-z0-9]{24}/.test(message);

function requireId(id: string): void {
  if (!idForm.test(id)) throw new IssuerFault('not-found', ownTexts['not-found']);
}

function baseOf(url: string): URL {
  const base = URL.parse(url.endsWith('/') ? url : `${url}/`);
  if (!base || !['http:', 'https:'].includes(base.protocol)) {
    throw new TypeError('The issuer’s address must be an http or https URL.');
  }
  if (base.username || base.password || base.search || base.hash) {
    throw new TypeError('The issuer’s address must have no password, query or fragment.');
  }
  return base;
}
