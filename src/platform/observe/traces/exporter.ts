import { randomUUID } from 'node:crypto';
import { version } from '../build-info.ts';
import type { Log } from '../log.ts';
import { writeOtlp } from './otlp.ts';
import type { Span } from './span.ts';

export interface ExporterOptions {
  /** The OTLP base address; spans go to `/v1/traces` below it. */
  endpoint: string;
  log: Log;
  /** full: the buffer was; failed: the receiver did not take them. */
  onDrop(reason: 'full' | 'failed', count: number): void;
  timing?: ExportTiming;
}

export interface ExportTiming {
  everyMs: number;
  /** For one batch. */
  timeoutMs: number;
  /** For everything that is left at a stop. */
  stopMs: number;
}

const usualTiming: ExportTiming = { everyMs: 1_000, timeoutMs: 5_000, stopMs: 3_000 };

const batchMax = 512;
/** About 2 MB. */
export const bufferMax = 4_096;

export interface Exporter {
  /** Never waits and never throws. */
  add(span: Span): void;
  /** Sends what is left, or drops it after `stopMs`. Safe to call twice. */
  stop(): Promise<void>;
}

/** Sends ended spans in batches, one batch at a time. A batch that fails is dropped. */
export function createExporter({ endpoint, log, onDrop, timing = usualTiming }: ExporterOptions): Exporter {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const resource = {
    'service.name': 'causeway',
    'service.version': version,
    'service.instance.id': randomUUID(),
  };
  const stopping = new AbortController();
  const waiting: Span[] = [];
  let sending: Promise<void> | undefined;
  let isStopped = false;
  let isFailing = false;

  const send = async (spans: readonly Span[]) => {
    try {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(timing.timeoutMs)]);
      await post(url, writeOtlp(spans, resource), signal);
      if (isFailing) log.info('traces are exported again');
      isFailing = false;
    } catch (err) {
      onDrop('failed', spans.length);
      if (!isFailing) log.warn({ err }, 'traces could not be exported; they are dropped until they can');
      isFailing = true;
    }
  };
  const sendNext = () => {
    if (sending || waiting.length === 0) return;
    sending = send(waiting.splice(0, batchMax)).then(() => {
      sending = undefined;
      if (waiting.length >= batchMax || isStopped) sendNext();
    });
  };
  const timer = setInterval(sendNext, timing.everyMs).unref();

  return {
    add(span) {
      if (isStopped || waiting.length >= bufferMax) return onDrop('full', 1);
      waiting.push(span);
      if (waiting.length >= batchMax) sendNext();
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      const deadline = setTimeout(() => stopping.abort(), timing.stopMs);
      sendNext();
      while (sending) await sending;
      clearTimeout(deadline);
    },
  };
}

async function post(url: string, body: string, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the receiver of traces answered ${response.status}`);
}
