import type { IntegrationActor } from '#context';
import type { Db } from '#platform/db/db';
import { checkToken, type TokenFault } from '#platform/secrets/token';
import { noteUse } from './note-use.ts';
import { selectCredential } from './queries.ts';
import { parseToken } from './token.ts';

export type IntegrationVerdict = { actor: IntegrationActor } | { refused: TokenFault };

/** The calling integration, by its key; at most one indexed query, and one write a minute, not waited for. */
export async function authenticateIntegration(
  { db, now }: { db: Db; now: Date },
  apiKey: string | undefined,
): Promise<IntegrationVerdict> {
  const find = (keyId: string) => selectCredential(db, keyId);
  const found = await checkToken({ parse: parseToken, find }, apiKey, now);
  if ('refused' in found) return { refused: found.refused };
  const { integrationId } = found.stored;
  noteUse({ db, now }, found.id);
  return { actor: { kind: 'integration', integrationId, keyId: found.id } };
}
