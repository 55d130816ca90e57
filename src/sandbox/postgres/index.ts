export { type Postgres, type PostgresOptions, startPostgres } from './start-postgres.ts';
