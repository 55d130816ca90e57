import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeSecretFile } from './sandbox-file.ts';

export interface SandboxSecrets {
  operatorToken: string;
  encryptionKey: string;
}

/** Made once for each sandbox and kept: no sandbox shares a secret with another. */
export function readOrMakeSecrets(home: string): SandboxSecrets {
  const file = path.join(home, 'secrets.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as SandboxSecrets;
  const secrets = {
    operatorToken: `cwo_${randomBytes(24).toString('hex')}`,
    encryptionKey: randomBytes(32).toString('base64'),
  };
  writeSecretFile(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}
