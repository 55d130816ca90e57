import type { Ctx } from '#context';
import { type MovementQuestion, selectHasMovement } from './queries/statement.ts';

/**
 * Whether a line of a period moves an asset on any network. One index lookup for each of the user's accounts
 * in it.
 */
export const hasMovement = ({ db }: Ctx, question: MovementQuestion): Promise<boolean> =>
  selectHasMovement(db, question);
