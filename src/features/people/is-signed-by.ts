import type { Ctx } from '#context';
import { relyingPartyOf } from './relying-party.ts';
import { verifyAssertion } from './verify-passkey.ts';

/** A stored assertion, with the passkey that it names; bytes in base64. */
export interface StoredAssertion {
  personId: string;
  credentialId: string;
  publicKey: string;
  clientData: string;
  authenticatorData: string;
  signature: string;
}

/** Whether the passkey signed this challenge, for us and with its person present. */
export async function isSignedBy(
  ctx: Pick<Ctx, 'publicUrl' | 'brand' | 'log'>,
  { personId, ...stored }: StoredAssertion,
  challenge: string,
): Promise<boolean> {
  const bytes = (base64: string) => Buffer.from(base64, 'base64');
  const urlSafe = (base64: string) => bytes(base64).toString('base64url');
  const id = urlSafe(stored.credentialId);
  const answer = {
    id,
    rawId: id,
    type: 'public-key' as const,
    clientExtensionResults: {},
    response: {
      clientDataJSON: urlSafe(stored.clientData),
      authenticatorData: urlSafe(stored.authenticatorData),
      signature: urlSafe(stored.signature),
    },
  };
  // The passkey may have been used since, so its counter says nothing.
  const passkey = {
    personId,
    credentialId: bytes(stored.credentialId),
    publicKey: bytes(stored.publicKey),
    counter: 0,
  };
  const { log } = ctx;
  return verifyAssertion(passkey, { party: relyingPartyOf(ctx), challenge, answer, log }).then(
    () => true,
    () => false,
  );
}
