import { Socket } from 'node:net';
import pg from 'pg';
import type { Log } from '../observe/log.ts';

export interface Listener {
  stop(): Promise<void>;
}

export interface ListenOptions {
  /** Read at each connection. */
  url(): Promise<string>;
  channel: string;
  log: Log;
  /**
   * Called for each notification and after each connection, because notifications sent while disconnected are
   * lost. The payload is undefined then.
   */
  onNotice(payload?: string): void;
  /** Called when a connection broke or could not be made. */
  onFailure?(): void;
}

const reconnectMs = 1_000;
const goodbyeMs = 1_000;
/** A connection that only listens would never notice that the other side is gone. */
const beatMs = 5_000;
const answerMs = 3_000;

/**
 * Listens to a PostgreSQL channel on a dedicated connection, which is replaced when it breaks, until stopped.
 */
export function listen({ url, channel, log, onNotice, onFailure }: ListenOptions): Listener {
  let isStopping = false;
  let client: pg.Client | undefined;
  let socket: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;
  let beat: NodeJS.Timeout | undefined;

  const connect = async () => {
    const connectionString = await url().catch(() => undefined);
    if (isStopping) return;
    if (connectionString === undefined) {
      timer = setTimeout(connect, reconnectMs);
      return;
    }
    const current = new pg.Client({
      connectionString,
      application_name: 'causeway listener',
      stream: () => {
        socket = new Socket();
        return socket;
      },
      connectionTimeoutMillis: 3_000,
      query_timeout: answerMs,
      keepAlive: true,
    });
    client = current;
    let isBroken = false;
    const broken = socket;
    const replace = () => {
      if (isBroken || isStopping) return;
      isBroken = true;
      clearInterval(beat);
      current.end().catch(() => {});
      // A silent server does not answer the goodbye.
      setTimeout(() => broken?.destroy(), goodbyeMs).unref();
      onFailure?.();
      timer = setTimeout(connect, reconnectMs);
    };
    current.on('error', (err) => {
      log.warn({ err, channel }, 'the LISTEN connection was lost; reconnecting');
      replace();
    });
    current.on('end', replace);
    current.on('notification', ({ payload }) => onNotice(payload));
    try {
      await current.connect();
      await current.query(`listen ${pg.escapeIdentifier(channel)}`);
      beat = setInterval(() => {
        current.query('select 1').catch((err) => {
          if (!isBroken) log.warn({ err, channel }, 'the LISTEN connection is silent; reconnecting');
          replace();
        });
      }, beatMs);
      onNotice();
    } catch {
      replace();
    }
  };
  void connect();

  return {
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      clearInterval(beat);
      // A frozen server does not answer the goodbye: its socket must not keep the process alive.
      const cutOff = setTimeout(() => socket?.destroy(), goodbyeMs);
      await client?.end().catch(() => {});
      clearTimeout(cutOff);
    },
  };
}
