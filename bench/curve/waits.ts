import pg from 'pg';

const everyMs = 100;

/** What sessions did at the instants at which they were looked at. */
export interface Waits {
  /** Sessions with a statement or an open transaction, added up over all looks. */
  active: number;
  /** How many of them waited, by what for. */
  waiting: Record<string, number>;
}

export interface Watch {
  start(): void;
  stop(): Promise<Waits>;
  end(): Promise<void>;
}

/** Looks at all other sessions of the database ten times a second. */
export async function watchWaits(databaseUrl: string): Promise<Watch> {
  const observer = new pg.Client({ connectionString: databaseUrl });
  await observer.connect();
  let [waits, timer]: [Waits, NodeJS.Timeout | undefined] = [{ active: 0, waiting: {} }, undefined];
  let looking = Promise.resolve();
  const look = async () => {
    const { rows } = await observer.query<Session>(sessions);
    waits.active += rows.length;
    for (const row of rows.filter(({ type }) => type !== null)) {
      const name = nameOf(row);
      waits.waiting[name] = (waits.waiting[name] ?? 0) + 1;
    }
  };
  return {
    start() {
      waits = { active: 0, waiting: {} };
      timer = setInterval(() => {
        looking = looking.then(look);
      }, everyMs);
    },
    async stop() {
      clearInterval(timer);
      await looking;
      return waits;
    },
    end: () => observer.end(),
  };
}

interface Session {
  type: string | null;
  event: string;
  relation: string | null;
  lock: string | null;
  query: string;
}

/** Who waits for a row's transaction has a lock on the row, which names the table. */
const sessions = `
  select a.wait_event_type as type, a.wait_event as event, left(a.query, 200) as query, l.relation, l.lock
  from pg_stat_activity a
  left join lateral (
    select l.relation::regclass::text as relation,
      case l.locktype when 'advisory' then l.classid || ' ' || l.objid end as lock
    from pg_locks l
    where a.wait_event_type = 'Lock' and l.pid = a.pid and (not l.granted or l.locktype = 'tuple')
    order by l.relation is null limit 1) l on true
  where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
    and a.state <> 'idle'`;

function nameOf({ type, event, relation, lock, query }: Session): string {
  if (type !== 'Lock') return `${type} ${event}`;
  if (relation) return `Lock ${event} of ${relation}`;
  if (lock) return `Lock ${event} ${lock}`;
  return `Lock ${event} in ${query.replaceAll(/\s+/g, ' ').slice(0, 60)}`;
}
