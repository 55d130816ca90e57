import { rm } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '#platform/db/migrate';
import {
  anyStandby,
  cutOff,
  follow,
  type Member,
  startPrimary,
  startStandby,
  urlOf,
} from '#test/database/cluster';
import { freePort } from '../../src/sandbox/free-port.ts';

/** A primary and two standbys. If they are synchronous, one must have a commit before it is acknowledged. */
export interface Servers {
  url: string;
  stop(): Promise<void>;
  /** The standbys receive nothing any more: what is committed from now on is lost by the next failover. */
  fallBehind(): Promise<void>;
  /**
   * Kills the primary, deletes its data and promotes the standby that has more, as cluster managers do. The
   * other follows it, and a new standby takes the lost one's place. Resolves after the promotion.
   */
  failOver(): Promise<void>;
  /** Until the new standby follows. */
  whole(): Promise<void>;
}

export async function startServers(
  folder: string,
  { isSynchronous }: { isSynchronous: boolean },
): Promise<Servers> {
  const ports = [await freePort(), await freePort(), await freePort()];
  const folderOf = (generation: number) => path.join(folder, `server-${generation}`);
  let generation = 0;
  let primary = await startPrimary(folderOf(0), { port: ports[0]! });
  await primary.query('create database causeway');
  await migrate(primary.postgres.url('causeway'));
  const addStandby = (port: number): Promise<Member> => {
    generation += 1;
    const name = `s${generation}`;
    return startStandby(folderOf(generation), primary, { name, port, isSynchronous });
  };
  let standbys = [await addStandby(ports[1]!), await addStandby(ports[2]!)];
  if (isSynchronous) {
    await primary.query(`alter system set synchronous_standby_names = '${anyStandby}'`);
    await primary.query('select pg_reload_conf()');
  }
  let rebuilding: Promise<void> = Promise.resolve();

  return {
    url: urlOf([primary, ...standbys], 'causeway'),
    async fallBehind() {
      await Promise.all(standbys.map(cutOff));
    },
    async failOver() {
      const lost = primary;
      await lost.kill();
      await rm(lost.folder, { recursive: true, force: true });
      standbys = await byProgress(standbys);
      const [next, other] = standbys as [Member, Member];
      await next.promote();
      primary = next;
      await follow(other, primary, { name: `s${generation}b`, isSynchronous });
      rebuilding = addStandby(lost.postgres.port).then((added) => {
        standbys = [other, added];
      });
    },
    whole: () => rebuilding,
    async stop() {
      await rebuilding.catch(() => {});
      for (const { postgres } of [primary, ...standbys]) await postgres.stop();
    },
  };
}

/** The one that has received most comes first. */
async function byProgress(standbys: readonly Member[]): Promise<Member[]> {
  const places = await Promise.all(
    standbys.map(async (standby) => {
      const { at } = await standby.query(
        `select (pg_last_wal_receive_lsn() - '0/0')::bigint::text as at from pg_is_in_recovery()`,
      );
      return { standby, at: BigInt(at ?? 0) };
    }),
  );
  return places.sort((one, other) => (other.at > one.at ? 1 : -1)).map(({ standby }) => standby);
}
