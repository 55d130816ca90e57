import { isLoopback } from '#config/parsers';
import { faultInSchema, knownVersion, readSchema } from '#platform/db/migrate';
import { showDuration } from '#platform/values/duration';
import { type Check, list, ok, problem, skipped, warning } from '../outcome.ts';
import {
  selectConnections,
  selectExtensions,
  selectServer,
  selectSettings,
  selectText,
  selectTransport,
} from '../queries.ts';
import { describeSkew, skewOf } from './skew.ts';

/** Runs first: without an answer, the other checks of the database are skipped. */
export const serverCheck: Check = {
  name: 'database server',
  run: async ({ db }) => {
    const { version, major, isStandby } = await selectServer(db);
    const seen = `PostgreSQL ${version}`;
    if (major < 18) return problem(seen, 'Upgrade PostgreSQL to version 18 or later.');
    if (isStandby)
      return problem(
        `${seen}, a standby that accepts no writes`,
        'Let DATABASE_URL name the primary, or all servers with commas between them.',
      );
    return ok(seen);
  },
};

export const serverChecks: readonly Check[] = [
  {
    name: 'schema',
    run: async ({ db }) => {
      const schema = await readSchema(db);
      const fault = faultInSchema(schema);
      if (fault) return problem(`The database is ${fault}`, 'Run causeway migrate.');
      const seen = `Version ${schema.version}`;
      if (schema.version > knownVersion)
        return warning(`${seen}, newer than ${knownVersion} of this release`, 'Start the newer release.');
      return ok(`${seen} with the functions of this release; causeway migrate --check compares them all`);
    },
  },
  {
    name: 'extensions',
    run: async ({ db }) => {
      const found = await selectExtensions(db);
      const missing = ['btree_gin', 'pg_trgm'].filter(
        (name) => !found.some((one) => one.name === name && one.installed !== null),
      );
      if (missing.length > 0)
        return problem(
          `Missing: ${list(missing)}`,
          'Install the contrib modules of PostgreSQL on the server, then run causeway migrate.',
        );
      const old = found.filter(({ installed, available }) => installed !== available);
      const seen = list(found.map(({ name, installed }) => `${name} ${installed}`));
      return old.length > 0
        ? warning(seen, `Run ${old.map(({ name }) => `alter extension ${name} update`).join('; ')}.`)
        : ok(seen);
    },
  },
  {
    name: 'durability',
    run: async ({ db, installation }) => {
      const settings = await selectSettings(db);
      const off = ['fsync', 'full_page_writes', 'synchronous_commit'].filter(
        (name) => settings.get(name) === 'off',
      );
      if (off.length > 0) {
        const seen = `Off: ${list(off)}`;
        const advice = `Turn on ${list(off)}: a crash of the server loses payouts that were sent.`;
        return installation.isDurabilityRequired ? problem(seen, advice) : warning(seen, advice);
      }
      const synchronous = settings.get('synchronous_commit');
      const seen = `fsync and full_page_writes are on, synchronous_commit is ${synchronous}`;
      if (settings.get('data_checksums') === 'off')
        return warning(
          `${seen}, data checksums are off`,
          'Turn checksums on with pg_checksums while the server is stopped: they find broken disks.',
        );
      return ok(`${seen}, data checksums are on`);
    },
  },
  {
    name: 'connections',
    run: async ({ db, installation: { databasePoolMax } }) => {
      const [{ used, ofRole, roleMax, databaseMax }, settings] = [
        await selectConnections(db),
        await selectSettings(db),
      ];
      const number = (name: string) => Number(settings.get(name) ?? 0);
      const ofServer =
        number('max_connections') - number('superuser_reserved_connections') - number('reserved_connections');
      // Of a role or a database, -1 is no limit.
      const limits = [ofServer, roleMax, databaseMax].filter((limit) => limit >= 0);
      const limit = Math.min(...limits);
      const seen = `${used} in use (${ofRole} of this role), ${limit} allowed; a process opens up to ${databasePoolMax}`;
      // Beside its pool, a process has connections for notifications, and one to end a hanging query.
      const needed = databasePoolMax + 5;
      if (limit < needed)
        return problem(seen, `Raise max_connections or the limit of the role, or lower DATABASE_POOL_MAX.`);
      if (ofRole + needed > limit || used > ofServer * 0.8)
        return warning(seen, 'Raise max_connections: another process would not get its connections.');
      return ok(seen);
    },
  },
  {
    name: 'session settings',
    run: async ({ db }) => {
      const settings = await selectSettings(db);
      const ms = (name: string) => Number(settings.get(name) ?? 0);
      if (ms('idle_in_transaction_session_timeout') === 0 || ms('statement_timeout') === 0)
        return problem(
          'The timeouts of our sessions are not in force',
          'Connect directly or through a pooler in session mode that passes startup parameters on.',
        );
      if (ms('idle_session_timeout') > 0)
        return warning(
          `idle_session_timeout is ${showDuration(ms('idle_session_timeout') / 1_000)}`,
          'Set idle_session_timeout to 0 for our role: it ends the sessions that wait for notifications.',
        );
      return ok(
        `Statements end after ${showDuration(ms('statement_timeout') / 1_000)}, idle transactions after ${showDuration(ms('idle_in_transaction_session_timeout') / 1_000)}; time zone ${settings.get('TimeZone')}`,
      );
    },
  },
  {
    name: 'encoding and collation',
    run: async ({ db }) => {
      const { encoding, collation, version, actual } = await selectText(db);
      if (encoding !== 'UTF8')
        return problem(
          `Encoding ${encoding}`,
          'Create a database with encoding UTF8 and restore a dump into it.',
        );
      if (version !== null && actual !== null && version !== actual)
        return problem(
          `Collation ${collation} changed from version ${version} to ${actual}`,
          'Run reindex database, then alter database … refresh collation version: indexes of texts may be wrong.',
        );
      return ok(`${encoding}, ${collation}${version ? ` ${version}` : ''}`);
    },
  },
  {
    name: 'database TLS',
    run: async ({ db }) => {
      const transport = await selectTransport(db);
      if (!transport) return skipped('A pooler answers: PostgreSQL does not see our connection');
      const { address, isTls, version } = transport;
      if (isTls) return ok(`Encrypted with ${version}`);
      if (address === null) return ok('A Unix socket of this machine');
      if (isLoopback(address)) return ok('Not encrypted, on this machine');
      return warning(
        `Not encrypted, to ${address}`,
        'Turn ssl on in PostgreSQL and add sslmode=verify-full to DATABASE_URL.',
      );
    },
  },
  {
    name: 'clock of the database',
    run: async ({ db }, { clockMs }) => describeSkew(await skewOf(db, clockMs)),
  },
];
