import path from 'node:path';
import { StartupError } from '#platform/errors/startup-error';
import type { Clock } from '#platform/values/clock';
import { openJournal } from './journal.ts';
import { ProtocolError } from './protocol-error.ts';
import { makeId, type Outcome } from './rules.ts';
import { applyEntry, type Entry, emptyState, type State, type WireEvent } from './state.ts';

export interface RequestKey {
  key: string;
  /** Digest of method, path and body, to detect another request with the same key. */
  fingerprint: string;
}

export interface Store {
  readonly state: State;
  /** The answer that was given under this key, if any. */
  findRepeatedDecision(request: RequestKey): { body: unknown } | undefined;
  /** Applies an outcome, all or nothing. It may be answered once `durable` has resolved. */
  commit(request: RequestKey, outcome: Outcome, at?: Date): unknown;
  commitSession(digest: string): void;
  durable(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The issuer's memory over its journal. A change is in memory at once and on disk a moment later, so even
 * what is read here may be answered only after `durable`.
 */
export async function openStore(folder: string, clock: Clock): Promise<Store> {
  const state = emptyState();
  const file = path.join(folder, 'journal.jsonl');
  const journal = await openJournal<Entry>(file, (entry) => applyEntry(state, entry));
  if (state.events.some(({ sequence }, at) => sequence !== String(at + 1))) {
    throw new StartupError(`${file} has events that are not numbered one after the other.`);
  }
  const add = (entry: Entry) => {
    applyEntry(state, entry);
    journal.append(entry);
  };
  return {
    state,
    findRepeatedDecision({ key, fingerprint }) {
      const kept = state.answers.get(key);
      if (kept && kept.fingerprint !== fingerprint) {
        throw new ProtocolError('key-reused', 'The idempotency key belongs to another request.');
      }
      return kept;
    },
    commit(request, { facts, answer, refundOf, deposit }, at = clock()) {
      const createdAt = at.toISOString();
      const events = facts.map(
        (fact, at): WireEvent => ({
          id: makeId('evt'),
          sequence: String(state.events.length + at + 1),
          createdAt,
          ...fact,
        }),
      );
      const body = answer(events);
      add({ events, answer: { ...request, body }, refundOf, deposit });
      return body;
    },
    commitSession: (digest) => add({ events: [], session: digest }),
    durable: journal.durable,
    close: journal.close,
  };
}
