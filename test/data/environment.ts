import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { ConfigFault, type Environment } from '#config/setting';

export const newPrivateKey = () => `0x${randomBytes(32).toString('hex')}`;
export const newKey = () => randomBytes(32).toString('base64');
export const newToken = () => randomBytes(20).toString('hex');

/** The settings that a server cannot start without. */
export const complete: Environment = {
  DATABASE_URL: 'postgres://causeway@db.example.com/causeway',
  OPERATOR_TOKENS: `alice:${newToken()}`,
  ENCRYPTION_KEYS: `1:${newKey()}`,
  DEPLOYMENT_ID: 'test',
};

export const devnetToken = `0x${'ab'.repeat(20)}`;

/** What is wrong with an environment, one sentence for each fault. */
export function faultsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ConfigFault, String(error));
    assert.equal(error.message, error.faults.join('\n'));
    return error.faults;
  }
  return [];
}
