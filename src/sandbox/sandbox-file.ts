import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DevnetNetwork } from './devnet/index.ts';

interface SandboxUser {
  id: string;
  email: string;
  wallet: string;
  /** Who holds the keys of the wallet. */
  custody: 'platform' | 'self';
}

export interface SandboxKey {
  token: string;
  scopes: string[];
}

/**
 * `.causeway/sandbox.json`: everything that a tool or a test needs to use a running sandbox. Features fill in
 * their part.
 */
export interface SandboxFile {
  /**
   * Origins: the contract's paths are appended, as in `{historyUrl}/api/history`,
   * `{operatorUrl}/operator/users.list`.
   */
  baseUrl: string;
  historyUrl: string;
  mcpUrl: string;
  operatorUrl: string;
  operatorToken: string;
  partner: { id: string };
  users: Record<'owner' | 'friend' | 'stranger' | 'blocked', SandboxUser>;
  keys: Record<'full' | 'readOnly' | 'noMcp' | 'expired' | 'ipLocked', SandboxKey>;
  /** `demo`, and `other` to try access to what is not its own. */
  integrations: Record<string, { id: string; apiKey: string }>;
  /** The owner's consents to `demo`: `active` and `revoked`. */
  consents: Record<string, string>;
  /**
   * The devnets: where their nodes are, which tokens they have, and the wallet that withdrawals are paid
   * from.
   */
  networks: Record<string, DevnetNetwork>;
  /** The card issuer, a separate server. */
  cardIssuer: { url: string; token: string };
}

const fileIn = (home: string) => path.join(home, 'sandbox.json');

export function readSandboxFile(home: string): SandboxFile | undefined {
  const file = fileIn(home);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SandboxFile;
  } catch {
    // An incomplete file, from another program or an editor, counts as missing; each start writes it again.
    return undefined;
  }
}

export function writeSandboxFile(home: string, content: SandboxFile): void {
  writeSecretFile(fileIn(home), `${JSON.stringify(content, null, 2)}\n`);
}

/** Written atomically, and readable only by its owner. */
export function writeSecretFile(file: string, text: string): void {
  const temporary = `${file}.${randomUUID()}`;
  writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, file);
}
