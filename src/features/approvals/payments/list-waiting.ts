import type { Ctx, PersonActor } from '#context';
import { selectWaiting } from './queries.ts';
import { presentWaiting, type WaitingPayment } from './wire.ts';

const listMax = 200;

/** Payments that this person may decide about, the oldest first. */
export async function listWaiting({ db, actor }: Ctx<PersonActor>): Promise<WaitingPayment[]> {
  return (await selectWaiting(db, actor.personId, listMax)).map(presentWaiting);
}
