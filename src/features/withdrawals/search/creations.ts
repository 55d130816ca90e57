import { checksumAddress } from '#adapters/evm';
import { type Ctx, personOfRequester, personRequester } from '#context';
import type { AuditRow, AuditSearch, RecordedElsewhere } from '#features/audit';
import { uuidForm } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import type { TracedRow } from '../queries/withdrawals.ts';
import { houseId } from '../queue-own-withdrawal.ts';
import { searchWithdrawals } from './queries.ts';

/**
 * Creations of withdrawals as rows of the audit log. Rows of the chain would make all creations wait for its
 * lock; the withdrawal is the record instead, and triggers let nobody change or delete it.
 */
export const withdrawalCreations: RecordedElsewhere = { action: 'withdrawals.create', list, find };

async function list(
  ctx: Ctx,
  { actor, subject, startAt, endAt, before, limit }: AuditSearch,
): Promise<AuditRow[]> {
  const [kind, id] = subject?.split(':') ?? [];
  if (subject !== undefined && (kind !== 'withdrawal' || !uuidForm.test(id ?? ''))) return [];
  const keyId = actor !== undefined && uuidForm.test(actor) ? personRequester(actor) : actor;
  const search = { id, keyId, startAt, endAt, before, limit };
  return (await searchWithdrawals(ctx.db, search)).map(asAuditRow);
}

async function find(ctx: Ctx, id: string): Promise<AuditRow | undefined> {
  const [row] = await searchWithdrawals(ctx.db, { id, limit: 1 });
  return row && asAuditRow(row);
}

function asAuditRow(row: TracedRow): AuditRow {
  const { id, bulkId, partnerId, userId, network, currency, externalId, callerAddress, requestId } = row;
  const personId = personOfRequester(row.keyId);
  return {
    id,
    at: row.createdAt.toISOString(),
    actorKind: personId ? 'person' : partnerId === houseId ? 'worker' : 'key',
    actorId: personId ?? row.keyId,
    action: withdrawalCreations.action,
    subject: `withdrawal:${id}`,
    before: null,
    after: {
      bulkId,
      partnerId,
      userId,
      network,
      currency,
      amount: formatMinor(row.amount, row.decimals),
      toAddress: checksumAddress(row.toAddress),
      externalId,
      callerAddress,
      requestId,
    },
  };
}
