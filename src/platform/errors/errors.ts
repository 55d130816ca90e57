export interface Detail {
  field: string;
  message: string;
}

/** A refusal that the caller caused or must know about, with everything that a surface needs to answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly details: Detail[] | undefined;
  readonly headers: Record<string, string> | undefined;
  readonly fields: Record<string, string> | undefined;

  constructor(status: number, code: string, message: string, options: RefusalOptions = {}) {
    super(message, { cause: options.cause });
    this.status = status;
    this.code = code;
    this.details = options.details;
    this.headers = options.headers;
    this.fields = options.fields;
  }
}

export interface RefusalOptions {
  /** Replaces the row's message, where the contract leaves the wording open. */
  message?: string;
  details?: Detail[];
  headers?: Record<string, string>;
  /** Fields of the contract's body besides `error`; the route's schema of that status names them. */
  fields?: Record<string, string>;
  cause?: unknown;
}

export type RefusalFactory = (options?: RefusalOptions) => Refusal;

/**
 * A feature's error table: `name: [status, message]`. Each row becomes a factory to throw from; its stable
 * code is the row's name in snake_case.
 */
export function defineErrors<T extends Record<string, readonly [status: number, message: string]>>(
  table: T,
): { [K in keyof T]: RefusalFactory } {
  const factories = {} as { [K in keyof T]: RefusalFactory };
  for (const [name, [status, message]] of Object.entries(table) as [keyof T & string, T[string]][]) {
    const code = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    factories[name] = (options = {}) => new Refusal(status, code, options.message ?? message, options);
  }
  return factories;
}

/** Errors of every surface and feature. */
export const commonErrors = defineErrors({
  invalidRequest: [400, 'Invalid request'],
  notFound: [404, 'Not found'],
  methodNotAllowed: [405, 'Method not allowed'],
  requestTimeout: [408, 'Request timeout'],
  bodyTooLarge: [413, 'Request body is too large'],
  unsupportedMediaType: [415, 'Content-Type must be application/json'],
  unsupportedEncoding: [415, 'Content-Encoding must be identity'],
  unsupportedCharset: [415, 'The charset of Content-Type must be UTF-8'],
  headersTooLarge: [431, 'Request headers are too large'],
  internalError: [500, 'Internal error'],
  unavailable: [503, 'Service unavailable'],
});

/** PostgreSQL is unreachable, shutting down or too busy; a retry may succeed. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  readonly isConnectionLost: boolean;

  constructor(message: string, isConnectionLost: boolean, cause: Error) {
    super(message, { cause });
    this.isConnectionLost = isConnectionLost;
  }
}

/** A request that is refused for one of its fields. */
export const invalidField = (field: string, message: string) =>
  commonErrors.invalidRequest({ message: `${field} ${message}`, details: [{ field, message }] });
