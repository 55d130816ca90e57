import type { Ctx, PersonActor } from '#context';
import { requestOptions } from './passkey-options.ts';
import { lockPasskey, selectPasskeys, updatePasskeyUse } from './queries/passkeys.ts';
import type { PersonRow } from './queries/people.ts';
import { relyingPartyOf } from './relying-party.ts';
import { refused, verifyAssertion } from './verify-passkey.ts';
import type { Assertion } from './wire.ts';

/** For `navigator.credentials.get`, with a challenge that says what is signed. */
export async function offerAssertion(ctx: Ctx<PersonActor>, challenge: string) {
  const passkeys = await selectPasskeys(ctx.db, ctx.actor.personId);
  return requestOptions(relyingPartyOf(ctx), { challenge, passkeys });
}

/** The bytes of an assertion, to be verified again. */
export interface Signed {
  credentialId: Buffer;
  clientData: Buffer;
  authenticatorData: Buffer;
  signature: Buffer;
}

/** Verifies, in the caller's transaction, that this person signed this challenge. */
export async function usePasskey(
  ctx: Ctx<PersonActor>,
  answer: Assertion,
  challenge: string,
): Promise<{ person: PersonRow; signed: Signed }> {
  const { db, now, log, actor } = ctx;
  const credentialId = Buffer.from(answer.id, 'base64url');
  const found = await lockPasskey(db, credentialId);
  if (found?.person.id !== actor.personId) throw refused(log, 'The passkey is not of this person');
  const use = await verifyAssertion(found.passkey, { party: relyingPartyOf(ctx), challenge, answer, log });
  await updatePasskeyUse(db, credentialId, { ...use, usedAt: now });
  const { clientDataJSON, authenticatorData, signature } = answer.response;
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  return {
    person: found.person,
    signed: {
      credentialId,
      clientData: bytes(clientDataJSON),
      authenticatorData: bytes(authenticatorData),
      signature: bytes(signature),
    },
  };
}
