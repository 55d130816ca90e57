import type { Ctx, Deps } from '#context';
import { listWaiting, type WaitingPayment } from '#features/approvals';
import { contextOf, responsibleFor } from '#features/people';
import type { Command } from '#platform/commands/command';
import { wordsOf } from '#platform/commands/command-description';
import type { Item } from '#platform/commands/values';
import type { PageRequest } from '../mount.ts';
import type { Visit } from '../visit.ts';

export type { WaitingPayment } from '#features/approvals';

/** A command that waits for a second operator. */
export interface StoredCommand {
  id: string;
  command: string;
  summary: string;
  requestedBy: string;
  requestedAt: string;
  expiresAt: string;
  /** Whether this person may decide; otherwise why not. */
  decision: 'open' | 'own' | 'otherRole';
  canShow: boolean;
}

export interface StoredPage {
  stored: StoredCommand[];
  nextCursor: string | null;
}

type ByName = ReadonlyMap<string, Command<Ctx>>;

export async function readStored({ visit, call, request }: PageRequest, byName: ByName): Promise<StoredPage> {
  const { cursor } = request.query as { cursor?: string };
  const { data } = await call('approvals.list', { status: 'pending', limit: 50, ...(cursor && { cursor }) });
  const stored = (data.items as Item[]).map((item) => storedOf(visit, byName, item));
  return { stored, nextCursor: data.nextCursor as string | null };
}

function storedOf(visit: Visit, byName: ByName, item: Item): StoredCommand {
  const { id, command: name, requestedBy, requestedAt, expiresAt } = item as Record<string, string>;
  const command = byName.get(name!);
  const isOwn = responsibleFor(requestedBy!) === responsibleFor(`person:${visit.session.person.email}`);
  // One that this release no longer has can still be refused.
  const mayDecide = visit.may(byName.get('approvals.decide')!) && (!command || visit.may(command));
  return {
    id: id!,
    command: command ? wordsOf(command) : name!,
    summary: command?.summary ?? '',
    requestedBy: requestedBy!,
    requestedAt: requestedAt!,
    expiresAt: expiresAt!,
    decision: isOwn ? 'own' : mayDecide ? 'open' : 'otherRole',
    canShow: visit.may(byName.get('approvals.show')!),
  };
}

/** Payments that rules let this person decide, the oldest first. */
export function readPayments(deps: Deps, { visit, request }: PageRequest): Promise<WaitingPayment[]> {
  return listWaiting(contextOf(deps, visit.session.person.id, request.log as Ctx['log']));
}
