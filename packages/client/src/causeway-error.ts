/** What is known about a failed call. */
export interface ErrorFacts {
  /** Of the answer; undefined if none arrived. */
  status?: number;
  /** Stable, for programs: a code of the server, or one of this client. */
  code: string;
  /** Names the call in the server's log: report it. */
  requestId?: string;
  /** The answer as it arrived: parsed if it is JSON, else text. */
  body?: unknown;
  /** From `Retry-After`, in milliseconds. */
  retryAfterMs?: number;
  cause?: unknown;
}

/** The base of every error that this client throws about a call. */
export class CausewayError extends Error implements ErrorFacts {
  readonly status?: number;
  readonly code: string;
  readonly requestId?: string;
  readonly body?: unknown;
  readonly retryAfterMs?: number;
  /** The key that a create was sent with. Repeat the create with this key and no other. */
  idempotencyKey?: string;
  /**
   * Whether the call may have taken effect although it failed. Such a create may only be repeated with
   * `idempotencyKey`: under a new key it could pay twice.
   */
  isOutcomeUnknown = false;

  constructor(message: string, { status, code, requestId, body, retryAfterMs, cause }: ErrorFacts) {
    super(message, { cause });
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
  }

  /** The invalid fields of the request, if the server named some. */
  get details(): { field: string; message: string }[] {
    const { details } = (this.body ?? {}) as { details?: unknown };
    return Array.isArray(details) ? details : [];
  }
}

/** No whole answer arrived: refused, reset, cut off, or not JSON. */
export class ConnectionError extends CausewayError {
  declare readonly code: 'connection_error';

  constructor(message: string, cause?: unknown) {
    super(message, { code: 'connection_error', cause });
  }
}

/** No answer within `timeoutMs`. */
export class TimeoutError extends CausewayError {
  declare readonly code: 'timeout';

  constructor(message: string) {
    super(message, { code: 'timeout' });
  }
}

/** The caller's signal ended the call. `cause` is the reason of the signal. */
export class AbortError extends CausewayError {
  declare readonly code: 'aborted';

  constructor(cause: unknown) {
    super('The call was aborted', { code: 'aborted', cause });
  }
}
