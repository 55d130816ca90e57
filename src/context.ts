import type { Evm } from '#adapters/evm';
import type { Issuer } from '#adapters/issuer';
import type { Prices } from '#adapters/prices';
import type { Screening } from '#adapters/screening';
import type { OperatorRole } from '#operator-roles';
import type { Db, Pool } from '#platform/db/db';
import type { Log } from '#platform/observe/log';
import type { Metrics } from '#platform/observe/metrics';
import type { Traces } from '#platform/observe/traces/traces';
import type { Outgoing } from '#platform/outgoing/index';
import type { RateLimiter } from '#platform/rate-limit/index';
import type { Sealer } from '#platform/secrets/seal';
import type { Brand } from '#platform/values/brand';
import type { Clock } from '#platform/values/clock';

/** Who acts. A verb reads identity from here and from nowhere else. */
export type Actor = KeyActor | IntegrationActor | UserActor | PersonActor | OperatorActor | WorkerActor;

export interface KeyActor {
  kind: 'key';
  keyId: string;
  partnerId: string;
  /** The user that owns the key: history and MCP read this user's data. */
  userId: string;
  scopes: readonly string[];
}

/** Somebody's program that reads what users consented to share. */
export interface IntegrationActor {
  kind: 'integration';
  integrationId: string;
  keyId: string;
}

/** A person on our own pages. */
export interface UserActor {
  kind: 'user';
  userId: string;
}

/** Staff of the operator, a partner or an integration, by their session. */
export interface PersonActor {
  kind: 'person';
  personId: string;
}

/** A person who manages what belongs to the partner that employs them. */
export interface PartnerStaffActor extends PersonActor {
  partnerId: string;
}

/** Who acts for a partner: a key, or a person by session. */
export type PartnerAdmin = KeyActor | PartnerStaffActor;

/** A person who manages what belongs to the integration that employs them. */
export interface IntegrationStaffActor extends PersonActor {
  integrationId: string;
}

const personMark = 'person:';

export const personRequester = (personId: string): string => personMark + personId;

/** Who asked for a payment, as it is stored with it: the id of a key, or `person:` and the id of a person. */
export const requesterOf = (actor: PartnerAdmin): string =>
  actor.kind === 'key' ? actor.keyId : personRequester(actor.personId);

/** The person who asked for a payment; undefined if a key or a job did. */
export const personOfRequester = (requester: string): string | undefined =>
  requester.startsWith(personMark) ? requester.slice(personMark.length) : undefined;

export interface OperatorActor {
  kind: 'operator';
  name: string;
  role: OperatorRole;
  /** A signed-in member of the staff; undefined for a token. */
  personId?: string;
}

export interface WorkerActor {
  kind: 'worker';
  job: string;
}

/** What every verb receives. HTTP, MCP, CLI and worker differ only in how they build it. */
export interface Ctx<A extends Actor = Actor> {
  db: Db;
  actor: A;
  now: Date;
  log: Log;
  sealer: Sealer;
  evm: Evm;
  screening: Screening;
  issuer: Issuer;
  prices: Prices;
  /** For addresses that partners name. */
  outgoing: Outgoing;
  /** The origin by which people and partners reach this server: what the links that we make begin with. */
  publicUrl: string;
  brand: Brand;
  /** No commit that was answered is lost when a standby is promoted, as the operator says. */
  isReplicationSynchronous: boolean;
  /** The `DEPLOYMENT_ID` of this process, by which a worker knows whether the database is its own. */
  deploymentId: string;
  installation: Installation;
  /** When the operator asked, if the command waited for a second one. */
  askedAt?: Date;
}

/** Settings that `doctor` compares with what it finds. */
export interface Installation {
  databasePoolMax: number;
  /** False only where payouts may be lost with the server, as in tests. */
  isDurabilityRequired: boolean;
  /** Files with secrets, by the setting that names them. */
  secretFiles: readonly SecretFile[];
  /** Of `DATABASE_READ_URLS`, in their order. */
  replicas: readonly Pool[];
  /** Absent if each process counts for itself; `isApart`: in the database of `RATE_LIMIT_URL`. */
  limits?: { db: Pool; isApart: boolean };
}

export interface SecretFile {
  /** `HOT_WALLET_KEYS_FILE`. */
  setting: string;
  file: string;
}

/** What a process is made of; surfaces build contexts from it. */
export interface Deps {
  db: Pool;
  clock: Clock;
  log: Log;
  sealer: Sealer;
  limiter: RateLimiter;
  /**
   * Where rate limits are counted that processes share, and where the request log is: `db`, if the operator
   * names no other.
   */
  limitsDb: Pool;
  metrics: Metrics;
  /** With `OTEL_EXPORTER_OTLP_ENDPOINT` only. */
  traces?: Traces | undefined;
  evm: Evm;
  screening: Screening;
  issuer: Issuer;
  prices: Prices;
  outgoing: Outgoing;
  /** As in `Ctx`. On a port that the system chooses it is known once the server listens. */
  publicUrl: string;
  brand: Brand;
  isReplicationSynchronous: boolean;
  deploymentId: string;
  installation: Installation;
}

export function contextFor<A extends Actor>(
  deps: Omit<Deps, 'limiter' | 'limitsDb' | 'metrics' | 'log' | 'db'> & { db: Db },
  actor: A,
  log: Log,
): Ctx<A> {
  const { db, clock, sealer, evm, screening, issuer, prices, outgoing, publicUrl, brand } = deps;
  const { isReplicationSynchronous, deploymentId, installation } = deps;
  const outside = { evm, screening, issuer, prices, outgoing };
  const settings = { publicUrl, brand, isReplicationSynchronous, deploymentId, installation };
  return { db, actor, now: clock(), log, sealer, ...outside, ...settings };
}

const readingDatabases = new WeakMap<object, Db>();

/**
 * For a request that only reads: replicas may answer. Its guard and its context have the same one, so that
 * the request asks the primary server only once how far its log is.
 */
export function readingDatabase({ db }: Pick<Deps, 'db'>, request: object): Db {
  const known = readingDatabases.get(request);
  if (known) return known;
  const reading = db.reading();
  readingDatabases.set(request, reading);
  return reading;
}

/** What the request reads from here on is no older than this call, such as after it waited. */
export const readAfresh = (request: object): void => void readingDatabases.delete(request);

export const readingContext = <A extends Actor>(deps: Deps, actor: A, request: { log: unknown }): Ctx<A> =>
  contextFor({ ...deps, db: readingDatabase(deps, request) }, actor, request.log as Log);

/** Of a request: one that only asks reads from replicas. */
export const requestDatabase = (deps: Pick<Deps, 'db'>, request: { method: string }): Db =>
  request.method === 'GET' || request.method === 'HEAD' ? readingDatabase(deps, request) : deps.db;

/** The context of a request: one that only asks reads from replicas. */
export const requestContext = <A extends Actor>(
  deps: Deps,
  actor: A,
  request: { method: string; log: unknown },
): Ctx<A> => contextFor({ ...deps, db: requestDatabase(deps, request) }, actor, request.log as Log);

/** Runs `work` with a context whose database is one transaction. */
export function inTransaction<A extends Actor, T>(
  ctx: Ctx<A>,
  work: (ctx: Ctx<A>) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction((db) => work({ ...ctx, db }));
}
