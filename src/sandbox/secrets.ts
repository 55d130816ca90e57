import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { PrivateKey } from '#adapters/evm';
import { StartupError } from '#platform/errors/startup-error';
import { resetHint } from './reset-hint.ts';
import { writeSecretFile } from './sandbox-file.ts';

export interface SandboxSecrets {
  operatorToken: string;
  encryptionKey: string;
  /** Of the devnets: who issues the tokens, and who pays withdrawals. */
  issuerKey: PrivateKey;
  hotWalletKey: PrivateKey;
  /** Of the card issuer: what it knows us by, and what it signs its webhooks with. */
  cardIssuerToken: string;
  cardWebhookSecret: string;
}

/** Made once for each sandbox and kept: no sandbox shares a secret with another. */
export function readOrMakeSecrets(home: string): SandboxSecrets {
  const file = path.join(home, 'secrets.json');
  const known = existsSync(file) ? readSecrets(file) : {};
  const secrets: SandboxSecrets = {
    operatorToken: `cwo_${randomBytes(24).toString('hex')}`,
    encryptionKey: randomBytes(32).toString('base64'),
    issuerKey: newPrivateKey(),
    hotWalletKey: newPrivateKey(),
    cardIssuerToken: `cwi_${randomBytes(24).toString('hex')}`,
    cardWebhookSecret: `whsec_${randomBytes(32).toString('base64')}`,
    ...known,
  };
  // A release that needs one more secret finds it missing from the file of the release before.
  if (Object.keys(known).length < Object.keys(secrets).length) {
    writeSecretFile(file, `${JSON.stringify(secrets, null, 2)}\n`);
  }
  return secrets;
}

// Any 32 bytes are a private key, but for a few that chance does not meet.
const newPrivateKey = (): PrivateKey => `0x${randomBytes(32).toString('hex')}`;

function readSecrets(file: string): Partial<SandboxSecrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<SandboxSecrets>;
  } catch (cause) {
    // Without the encryption key the database's sealed values are lost: never replaced in silence.
    throw new StartupError(`${file} cannot be read: restore it. ${resetHint}`, {
      cause,
    });
  }
}
