import type { TSchema } from 'typebox';
import type { Ctx, KeyActor } from '#context';
import type { HistoryRequest } from './wire.ts';

/** One feature of `GET /api/history`; its answer is what the caller gets. */
export interface HistoryReader {
  feature: string;
  /** For the reference: what it has, the shape of its answer, and an example. */
  words: string;
  answer: TSchema;
  example: object;
  read(ctx: Ctx<KeyActor>, request: HistoryRequest): Promise<object>;
}
