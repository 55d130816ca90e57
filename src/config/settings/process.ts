import { asInteger, asOneOf, hasCredentials, isHttpUrl } from '../parsers.ts';
import type { Reading, Setting } from '../setting.ts';

/** What one process may take, and what it writes to its log. */
export const processLimits = {
  DATABASE_POOL_MAX: {
    meaning: 'Maximum number of PostgreSQL connections of each process.',
    default: '10',
    parse: asInteger(1, 1_000),
  },
  DATABASE_CONNECT_TIMEOUT_MS: {
    meaning: 'Maximum wait of a request for a PostgreSQL connection.',
    default: '3000',
    parse: asInteger(10, 600_000),
  },
  DATABASE_LOCK_TIMEOUT_MS: {
    meaning: 'Maximum wait of a statement for a lock.',
    default: '2000',
    parse: asInteger(10, 600_000),
  },
  DATABASE_STATEMENT_TIMEOUT_MS: {
    meaning: 'Maximum run time of one statement of a request.',
    default: '5000',
    parse: asInteger(10, 600_000),
  },
  SHUTDOWN_GRACE_MS: {
    meaning: 'How long a stopping process waits for running requests.',
    default: '10000',
    parse: asInteger(0, 600_000),
  },
  LOG_LEVEL: {
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    default: 'info',
    parse: asOneOf('info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent'),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning:
      'Base URL of an OpenTelemetry collector. Traces are sent to `/v1/traces` there, as OTLP over HTTP in JSON. If empty, there are no traces.',
    default: '',
    example: 'http://127.0.0.1:4318',
    parse: parseTracesUrl,
  },
} satisfies Record<string, Setting>;

function parseTracesUrl({ name, text, fault }: Reading): string {
  if (text !== '' && (!isHttpUrl(text) || hasCredentials(text) || /[?#]/.test(text)))
    fault(`${name} must be one http:// or https:// URL without a user name, password, query or fragment.`);
  return text;
}
