import { AsyncLocalStorage } from 'node:async_hooks';
import { createExporter, type ExporterOptions } from './exporter.ts';
import { Span, type SpanOptions } from './span.ts';
import type { SpanName } from './traceparent.ts';

/** Records spans and exports them. A process without `OTEL_EXPORTER_OTLP_ENDPOINT` has none of this. */
export interface Traces {
  /** The span whose work is running; undefined outside of one, and after its end. */
  current(): Span | undefined;
  /** Runs `work` in a span below the current one; without a current span, nothing is recorded. */
  inSpan<T>(name: string, options: SpanOptions, work: (span?: Span) => Promise<T>): Promise<T>;
  /** Runs `work` in the first span of a new trace. */
  inNewTrace<T>(name: string, options: SpanOptions, work: (span?: Span) => Promise<T>): Promise<T>;
  /** A span that the caller enters and ends. */
  begin(name: string, parent: SpanName | undefined, options: SpanOptions): Span;
  enter<T>(span: Span, work: () => T): T;
  /** Does nothing the second time. */
  end(span: Span): void;
  /** Exports what is left. */
  stop(): Promise<void>;
}

export function createTraces(options: ExporterOptions): Traces {
  const exporter = createExporter(options);
  const storage = new AsyncLocalStorage<Span>();
  const begin: Traces['begin'] = (name, parent, about) => new Span(name, parent, about);
  const end: Traces['end'] = (span) => {
    if (span.endMs !== undefined) return;
    span.end();
    if (span.isSampled) exporter.add(span);
  };
  const current = () => {
    const span = storage.getStore();
    return span?.endMs === undefined ? span : undefined;
  };
  const runIn = async <T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> => {
    try {
      return await storage.run(span, work, span);
    } catch (error) {
      span.hasFailed = true;
      span.attributes['error.type'] ??= errorType(error);
      throw error;
    } finally {
      end(span);
    }
  };
  return {
    current,
    begin,
    end,
    enter: (span, work) => storage.run(span, work),
    inSpan(name, about, work) {
      const parent = current();
      return parent ? runIn(begin(name, parent, about), work) : work();
    },
    inNewTrace: (name, about, work) => runIn(begin(name, undefined, about), work),
    stop: exporter.stop,
  };
}

/** A code or the name of a class: messages of errors may quote values. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = (error.cause instanceof Error ? error.cause : error) as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
