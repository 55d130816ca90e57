import { keepLine } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code: number };
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
}

export interface TraceReceiver extends Receiver {
  spans(): ReceivedSpan[];
  /** The first span that fits, once it has arrived. */
  find(what: string, fits: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>;
  childrenOf(parent: ReceivedSpan): ReceivedSpan[];
}

export const attributeOf = ({ attributes }: ReceivedSpan, wanted: string) => {
  const value = attributes.find(({ key }) => key === wanted)?.value;
  return value?.stringValue ?? value?.intValue;
};

/** Keeps spans. What it receives goes into the log of the run, which is searched for secrets. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const receiver = await startReceiver();
  receiver.answer = ({ body }, response) => {
    keepLine(`${body}\n`);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  const spans = (): ReceivedSpan[] =>
    receiver.received.flatMap(({ event }) => event.resourceSpans[0].scopeSpans[0].spans);
  return Object.assign(receiver, {
    spans,
    async find(what: string, fits: (span: ReceivedSpan) => boolean) {
      await waitUntil(what, () => spans().some(fits));
      return spans().find(fits)!;
    },
    childrenOf: ({ traceId, spanId }: ReceivedSpan) =>
      spans().filter((span) => span.traceId === traceId && span.parentSpanId === spanId),
  });
}
