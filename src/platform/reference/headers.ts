import type { Operation } from './operation.ts';

const text = (description: string, example: string, type: 'string' | 'integer' = 'string') => ({
  description,
  schema: { type },
  example: type === 'integer' ? Number(example) : example,
});

/** Headers of answers, by the names under which responses refer to them. */
const headerComponents = {
  'X-Request-Id': text(
    'The id of this request, also in our log. Name it when you ask for help.',
    '7d5ad0ea-3f0c-4f53-9bcd-0a8f4f6d2c11',
  ),
  'RateLimit-Policy': text('The limit: `q` requests in `w` seconds.', '"withdrawals";q=60;w=60'),
  RateLimit: text('What is left of it: `r` requests, and more in `t` seconds.', '"withdrawals";r=59;t=60'),
  'Retry-After': text('Send the request again after this many seconds.', '2', 'integer'),
  'Idempotency-Replayed': text(
    '`true` if a request with this idempotency key was answered before: nothing was done again.',
    'true',
  ),
  Allow: text('The methods that this path has.', 'GET, HEAD'),
};

type HeaderName = keyof typeof headerComponents;

/** References to the headers that an answer of this status may have. */
export function headersOf(
  { errors }: Operation,
  status: number,
  isIdempotent: boolean,
): Record<string, { $ref: string }> {
  const isLimited = errors.some((one) => one.status === 429);
  const isDone = status < 300;
  const names: (HeaderName | false)[] = [
    'X-Request-Id',
    // A request that was counted is answered with what is left, also if it is refused later.
    isLimited && 'RateLimit-Policy',
    isLimited && 'RateLimit',
    (status === 429 || status === 503) && 'Retry-After',
    isDone && isIdempotent && 'Idempotency-Replayed',
    status === 405 && 'Allow',
  ];
  return Object.fromEntries(
    names.filter((name) => name !== false).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** The components of headers that a document refers to. */
export function usedHeaders(paths: object): object {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(headerComponents).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
}
