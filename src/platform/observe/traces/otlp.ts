import { type Attributes, type Span, spanKinds } from './span.ts';

/** The body of `POST /v1/traces` in OTLP's JSON. */
export function writeOtlp(spans: readonly Span[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: writeAttributes(resource) },
        scopeSpans: [{ scope: { name: 'causeway' }, spans: spans.map(writeSpan) }],
      },
    ],
  });
}

const writeSpan = (span: Span) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentId,
  name: span.name,
  kind: spanKinds[span.kind],
  startTimeUnixNano: writeNanoseconds(span.startMs),
  endTimeUnixNano: writeNanoseconds(span.endMs ?? span.startMs),
  attributes: writeAttributes(span.attributes),
  ...(span.hasFailed && { status: { code: 2 } }),
});

/** Whole microseconds are the most that a number can hold of Unix time. */
const writeNanoseconds = (unixMs: number) => `${Math.round(unixMs * 1_000)}000`;

const writeAttributes = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return { key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } };
  });
