import type { Deps } from '#context';
import type { PersonSession } from '#features/people';
import type { FastifyRequest } from '#platform/http/http';
import { type Reader, sessionReader } from '#surfaces/frame';
import { developerPageErrors } from './errors.ts';
import { type Texts, texts } from './texts/index.ts';

/** Somebody at an integration who looks at a page. */
export interface Visit extends Reader {
  words: Texts;
  session: PersonSession;
  isOwner: boolean;
}

export async function visitOf(deps: Deps, request: FastifyRequest): Promise<Visit> {
  const reader = await sessionReader(deps, request);
  const { integrationId, role } = reader.session.person;
  if (integrationId === null) throw developerPageErrors.notIntegrationStaff();
  return { ...reader, words: texts[reader.language], isOwner: role === 'owner' };
}
