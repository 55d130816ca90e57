import type { Ctx } from '#context';
import { relyingPartyOf } from './relying-party.ts';

/** A stored assertion, with the passkey that it names; bytes in base64. */
export interface StoredAssertion {
  credentialId: string;
  publicKey: string;
  clientData: string;
  authenticatorData: string;
  signature: string;
}

/** Whether the passkey signed this challenge, for us and with its person present. */
export async function isSignedBy(
  ctx: Pick<Ctx, 'publicUrl' | 'brand'>,
  stored: StoredAssertion,
  challenge: string,
): Promise<boolean> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const party = relyingPartyOf(ctx);
  const urlSafe = (base64: string) => Buffer.from(base64, 'base64').toString('base64url');
  const id = urlSafe(stored.credentialId);
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: urlSafe(stored.clientData),
          authenticatorData: urlSafe(stored.authenticatorData),
          signature: urlSafe(stored.signature),
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      // The passkey may have been used since.
      credential: { id, publicKey: new Uint8Array(Buffer.from(stored.publicKey, 'base64')), counter: 0 },
    });
    return verified;
  } catch {
    return false;
  }
}
