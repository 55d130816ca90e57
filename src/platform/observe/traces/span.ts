import { randomBytes } from 'node:crypto';
import type { SpanName } from './traceparent.ts';

/** As OTLP numbers them. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const;

export type Attributes = Record<string, string | number | undefined>;

export interface SpanOptions {
  kind?: keyof typeof spanKinds;
  attributes?: Attributes;
}

/** One timed step of a trace. Attributes are our own words, counts and ids, never what a caller sent. */
export class Span implements SpanName {
  readonly traceId: string;
  readonly spanId = randomBytes(8).toString('hex');
  readonly parentId: string | undefined;
  readonly isSampled: boolean;
  readonly kind: keyof typeof spanKinds;
  readonly attributes: Attributes;
  readonly startMs: number;
  name: string;
  endMs: number | undefined;
  hasFailed = false;
  /** From this process's steady clock to Unix time; one for all spans of a trace, so that they nest. */
  readonly #toUnixMs: number;

  constructor(
    name: string,
    parent: SpanName | undefined,
    { kind = 'internal', attributes = {} }: SpanOptions,
  ) {
    this.name = name;
    this.kind = kind;
    this.attributes = { ...attributes };
    this.traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    this.parentId = parent?.spanId;
    this.isSampled = parent?.isSampled ?? true;
    this.#toUnixMs = parent instanceof Span ? parent.#toUnixMs : Date.now() - performance.now();
    this.startMs = this.#unixMs();
  }

  end(): void {
    this.endMs = this.#unixMs();
  }

  #unixMs(): number {
    return this.#toUnixMs + performance.now();
  }
}
