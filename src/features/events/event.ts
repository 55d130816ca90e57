import type { TSchema } from 'typebox';
import type { Ctx } from '#context';

/** A recorded change that has no number yet. */
export interface EventRecord {
  id: bigint;
  isBulk: boolean;
  type: string;
  resource: string;
  partnerId: string | null;
  integrationId: string | null;
  userId: string | null;
  /** Of an event for one partner: only keys of this user may read it. */
  readerUserId: string | null;
  previousStatus: string | null;
  /** What the feature recorded: of a row that changes again, its columns as they were. */
  facts: Record<string, unknown>;
  recordedAt: Date;
}

/** The events of one kind of resource, as a feature's `events.ts` describes them. */
export interface EventFamily {
  /** Who may receive them. */
  audience: readonly ('partner' | 'integration')[];
  types: readonly EventType[];
  /** The schema of `data.object`: exactly what the API returns for the resource. */
  object: TSchema;
  example: object;
  /**
   * The objects of these records, in their order; null for one that needs no event. It throws if a row is
   * missing: to leave it out would shift the others. Default: what was recorded.
   */
  present?(ctx: Pick<Ctx, 'db' | 'evm'>, records: readonly EventRecord[]): Promise<(object | null)[]>;
}

export interface EventType {
  type: string;
  /** When it happens, for the reference. */
  words: string;
  /** The event has `previousStatus`. */
  hasPreviousStatus?: true;
}

/** The version of the interface that the objects have. */
export const apiVersion = '1.0.0';

export const eventBytesMax = 20_480;
