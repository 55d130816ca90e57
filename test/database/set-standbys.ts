import type { Db } from '#platform/db/db';

/** In this database alone: the server of the tests has no standby. */
export const setStandbys = (db: Db, names: string) =>
  db.query(
    `create or replace function database_standbys() returns text language sql as $$ select '${names}' $$`,
  );
