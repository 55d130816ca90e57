import { Socket } from 'node:net';
import pg from 'pg';
import type { Log } from '../observe/log.ts';

export interface Listener {
  stop(): Promise<void>;
}

export interface ListenOptions {
  url: string;
  channel: string;
  log: Log;
  /**
   * Called for each notification and after each connection, because notifications sent while disconnected are
   * lost. The payload is undefined then.
   */
  onNotice(payload?: string): void;
}

const reconnectMs = 1_000;
const goodbyeMs = 1_000;

/**
 * Listens to a PostgreSQL channel on a dedicated connection, which is replaced when it breaks, until stopped.
 */
export function listen({ url, channel, log, onNotice }: ListenOptions): Listener {
  let isStopping = false;
  let client: pg.Client | undefined;
  let socket: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;

  const connect = async () => {
    const current = new pg.Client({
      connectionString: url,
      application_name: 'causeway listener',
      stream: () => {
        socket = new Socket();
        return socket;
      },
      connectionTimeoutMillis: 3_000,
      query_timeout: 3_000,
      keepAlive: true,
    });
    client = current;
    let isBroken = false;
    const replace = () => {
      if (isBroken || isStopping) return;
      isBroken = true;
      current.end().catch(() => {});
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
      // A frozen server does not answer the goodbye: its socket must not keep the process alive.
      const cutOff = setTimeout(() => socket?.destroy(), goodbyeMs);
      await client?.end().catch(() => {});
      clearTimeout(cutOff);
    },
  };
}
