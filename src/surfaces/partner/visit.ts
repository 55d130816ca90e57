import type { Deps } from '#context';
import type { PersonSession } from '#features/people';
import type { FastifyRequest } from '#platform/http/http';
import { type Reader, sessionReader } from '#surfaces/frame';
import { partnerPageErrors } from './errors.ts';
import { type Texts, texts } from './texts/index.ts';

export type StaffRole = 'developer' | 'finance' | 'owner';

/** A member of a partner's staff who looks at a page. */
export interface Visit extends Reader {
  words: Texts;
  session: PersonSession;
  partnerId: string;
  role: StaffRole;
}

export async function visitOf(deps: Deps, request: FastifyRequest): Promise<Visit> {
  const reader = await sessionReader(deps, request);
  const { partnerId, role } = reader.session.person;
  if (partnerId === null) throw partnerPageErrors.notPartnerStaff();
  return { ...reader, words: texts[reader.language], partnerId, role: role as StaffRole };
}
