import type pg from 'pg';
import type { Log } from '../observe/log.ts';
import { findWritable, readState } from './find-writable.ts';
import { splitHosts } from './hosts.ts';

/** Connections to the server that is used now. */
export interface Servers {
  readonly driver: pg.Pool;
  readonly url: string;
  /**
   * Looks for the server that accepts writes, after `driver` failed, and moves there. False if there is
   * nowhere to go: the server of `driver` is the only one, or it still is the right one.
   */
  move(driver: pg.Pool): Promise<boolean>;
  /** The server of these connections may be the wrong one, or silent: `settle` is due. */
  suspect(driver: pg.Pool): void;
  /** Before a connection is used: replaces suspect ones. Rejects if no server accepts writes. */
  settle(): Promise<void>;
  /** Waits for what is under way; no server is looked for after that. */
  end(): Promise<void>;
}

const searchPauseMs = 200;

/**
 * Follows the server that accepts writes among those that `url` names. Each new connection is checked, and a
 * server that is on an earlier timeline than one that was seen is not used: it was replaced.
 */
export function followPrimary(
  url: string,
  {
    connect,
    log,
  }: { connect(url: string, onConnect?: (client: pg.ClientBase) => Promise<void>): pg.Pool; log: Log },
): Servers {
  const { urls, mustWrite } = splitHosts(url);
  let highest = 0;
  const check = async (client: pg.ClientBase) => {
    const { isReadOnly, timeline } = await readState(client);
    if (isReadOnly || timeline < highest) throw readOnly();
    highest = timeline;
  };
  const open = (to: string) => (mustWrite ? connect(to, check) : connect(to));
  // The first in the list may be one that was replaced.
  let current = { url: urls[0]!, driver: open(urls[0]!), isSuspect: urls.length > 1 };
  let search: Promise<boolean> | undefined;
  let searchedAt = Number.NEGATIVE_INFINITY;
  let isOver = false;

  const replace = (to: string) => {
    if (isOver) return;
    const { driver } = current;
    current = { url: to, driver: open(to), isSuspect: false };
    // Waits for what is under way; what is idle is closed at once.
    driver.end().catch(() => {});
  };
  const find = async (): Promise<boolean> => {
    if (!mustWrite) {
      replace(current.url);
      return true;
    }
    const wait = searchedAt + searchPauseMs - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    searchedAt = performance.now();
    const { url: to, timeline } = await findWritable(urls, highest);
    highest = Math.max(highest, timeline);
    const isElsewhere = to !== current.url;
    if (isElsewhere) log.warn({ server: hostOf(to) }, 'another database server accepts writes; using it');
    if (isElsewhere || current.isSuspect) replace(to);
    return isElsewhere;
  };
  /** One search for all who wait. */
  const seek = () => {
    search ??= find().finally(() => {
      search = undefined;
    });
    return search;
  };
  return {
    get driver() {
      return current.driver;
    },
    get url() {
      return current.url;
    },
    async move(failed) {
      // Somebody else moved meanwhile.
      if (failed !== current.driver) return true;
      return mustWrite && seek();
    },
    async settle() {
      if (current.isSuspect) await seek();
    },
    suspect(driver) {
      if (driver === current.driver) current.isSuspect = true;
    },
    async end() {
      isOver = true;
      if (!current.driver.ending) await current.driver.end();
    },
  };
}

const hostOf = (url: string) => new URL(url).host;

/** As PostgreSQL itself refuses a write. */
const readOnly = () =>
  Object.assign(new Error('the server does not accept writes, or was replaced'), { code: '25006' });
