import type { Deps } from '#context';
import { operatorRoleOf, type PersonSession } from '#features/people';
import { mayRun, type OperatorRole } from '#operator-roles';
import type { FastifyRequest } from '#platform/http/http';
import { type Reader as AnyReader, sessionReader } from '#surfaces/frame';
import { consoleErrors } from './errors.ts';
import { type Texts, texts } from './texts/index.ts';

/** Who reads a page, in which words. */
export interface Reader extends AnyReader {
  words: Texts;
}

export interface Visit extends Reader {
  session: PersonSession;
  role: OperatorRole;
  may(command: { roles: readonly string[] }): boolean;
}

/** The session of a member of the operator's staff; staff of others are refused. */
export async function visitOf(deps: Deps, request: FastifyRequest): Promise<Visit> {
  const reader = await sessionReader(deps, request);
  const role = operatorRoleOf(reader.session.person);
  if (!role) throw consoleErrors.notOperatorStaff();
  return { ...reader, words: texts[reader.language], role, may: (command) => mayRun(role, command) };
}
