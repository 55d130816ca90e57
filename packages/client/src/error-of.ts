import { CausewayError, type ErrorFacts } from './causeway-error.ts';
import { errorClasses } from './generated/errors.ts';

/** The error for an answer that is not 2xx: the class of its code, or the base class for an unknown code. */
export function errorOf(response: Response, text: string): CausewayError {
  const body = parseJson(text);
  const { error, code, requestId } = (body ?? {}) as Record<string, unknown>;
  const facts: ErrorFacts = {
    status: response.status,
    code: typeof code === 'string' ? code : `http_${response.status}`,
    requestId:
      typeof requestId === 'string' ? requestId : (response.headers.get('x-request-id') ?? undefined),
    body: body ?? text,
    retryAfterMs: readRetryAfter(response.headers.get('retry-after')),
  };
  const message = typeof error === 'string' ? error : `The server answered ${response.status}`;
  const Class = Object.hasOwn(errorClasses, facts.code)
    ? errorClasses[facts.code as keyof typeof errorClasses]
    : CausewayError;
  return new Class(message, facts);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds or a date, as milliseconds from now. */
export function readRetryAfter(header: string | null, now = Date.now()): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
