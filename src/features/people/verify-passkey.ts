import type { Log } from '#platform/observe/log';
import { personErrors } from './errors.ts';
import { algorithms, userHandleOf } from './passkey-options.ts';
import type { PasskeyRow } from './queries/passkeys.ts';
import type { RelyingParty } from './relying-party.ts';
import type { Assertion, Registration } from './wire.ts';

export interface Checked<Answer> {
  party: RelyingParty;
  /** The one that was issued, and taken. */
  challenge: string;
  answer: Answer;
  log: Log;
}

export type NewPasskey = Pick<
  PasskeyRow,
  'credentialId' | 'publicKey' | 'counter' | 'transports' | 'isBackedUp'
>;

/** The new passkey of an answer from `navigator.credentials.create`, or a refusal. */
export async function verifyRegistration({
  party,
  challenge,
  answer,
  log,
}: Checked<Registration>): Promise<NewPasskey> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { registrationInfo } = await verifyRegistrationResponse({
    response: answer as Parameters<typeof verifyRegistrationResponse>[0]['response'],
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch((error: Error) => {
    throw refused(log, error.message);
  });
  if (!registrationInfo) throw refused(log, 'The registration was not verified');
  const { credential, credentialBackedUp } = registrationInfo;
  return {
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports ?? [],
    isBackedUp: credentialBackedUp,
  };
}

/** Refuses an assertion that is not by this passkey, here and now, or whose counter went back. */
export async function verifyAssertion(
  passkey: Pick<PasskeyRow, 'personId' | 'credentialId' | 'publicKey' | 'counter'>,
  { party, challenge, answer, log }: Checked<Assertion>,
): Promise<{ counter: number; isBackedUp: boolean }> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { userHandle } = answer.response;
  if (userHandle && !Buffer.from(userHandle, 'base64url').equals(userHandleOf(passkey.personId)))
    throw refused(log, 'The passkey names another person');
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: answer as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId.toString('base64url'),
      publicKey: new Uint8Array(passkey.publicKey),
      counter: passkey.counter,
    },
  }).catch((error: Error) => {
    throw refused(log, error.message);
  });
  if (!verified) throw refused(log, 'The signature is wrong');
  return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp };
}

/** The caller does not learn why; the log does. */
export function refused(log: Log, reason: string): Error {
  log.warn({ reason }, 'a passkey was refused');
  return personErrors.passkeyRefused();
}
