/** A span of another process, or one of ours, as `traceparent` names it (W3C Trace Context). */
export interface SpanName {
  traceId: string;
  spanId: string;
  /** If false, nobody records the trace. */
  isSampled: boolean;
}

const shape = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const zeros = /^0+$/;

/** Undefined for anything but a valid header of version 00: the request then starts a trace. */
export function parseTraceparent(header: unknown): SpanName | undefined {
  const [, traceId, spanId, flags] = (typeof header === 'string' && shape.exec(header)) || [];
  if (!traceId || !spanId || !flags || zeros.test(traceId) || zeros.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const writeTraceparent = ({ traceId, spanId, isSampled }: SpanName): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
