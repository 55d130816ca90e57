import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type PrivateKey, tokensOf } from '#adapters/evm';
import { noteSecret, useHarness } from '#test/harness';

export const newEmail = () => `${randomBytes(6).toString('hex')}@example.com`;

export const newPerson = (fields: object = {}) => ({
  email: newEmail(),
  givenName: 'Ana',
  familyName: 'Ribeiro',
  ...fields,
});

export const unknownId = '0198a0de-ffff-7000-8000-000000000000';

/** A server for a test file, and operator commands about users. */
export function useUserCommands() {
  const signerKey: PrivateKey = `0x${noteSecret(randomBytes(32).toString('hex'))}`;
  // Nothing listens there: the process only has to know the key.
  const harness = useHarness({
    networks: [
      {
        network: 'polygon',
        rpcUrls: ['http://127.0.0.1:1'],
        finality: { rule: 'finalized' },
        signerKeys: [signerKey],
        tokens: tokensOf('polygon'),
        feeCap: 10n ** 12n,
        bumpAfterMs: 30_000,
      },
    ],
  });
  const call = (command: string, input?: unknown) => harness.operator(`users.${command}`, input);

  const create = async (fields: object = {}) => {
    const { status, body } = await call('create', newPerson(fields));
    assert.equal(status, 200, body.error);
    return body.data;
  };

  const auditOf = async (subject: string) =>
    (await harness.operator('audit.list', { subject })).body.data.items;

  return { signerKey, harness, call, create, auditOf };
}
