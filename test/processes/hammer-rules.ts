// A separate process for the tests of rules: creates withdrawals as fast as it can, on several connections,
// and reports how many were admitted and how many the rules denied.
import { randomBytes } from 'node:crypto';
import { createPool, violates } from '#platform/db/db';
import { createLog } from '#platform/observe/log';
import { insertWithdrawal } from '../../src/features/withdrawals/queries.ts';

export interface RulesOrder {
  partnerId: string;
  keyId: string;
  userIds: readonly string[];
  /** In units of the token; each try takes one of them. */
  amounts: readonly number[];
  tries: number;
}

export interface RulesReport {
  admitted: number;
  denied: number;
}

const connections = Number(process.argv[3]);
const db = createPool({
  url: process.argv[2]!,
  connectionsMax: connections,
  connectTimeoutMs: 60_000,
  lockTimeoutMs: 60_000,
  statementTimeoutMs: 60_000,
  log: createLog({ level: 'silent' }),
});
const inParallel = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: connections }, work));
const pick = <T>(some: readonly T[]) => some[Math.floor(Math.random() * some.length)]!;
const someAddress = () => `0x${randomBytes(20).toString('hex')}`;

process.on('message', async ({ partnerId, keyId, userIds, amounts, tries }: RulesOrder) => {
  const report: RulesReport = { admitted: 0, denied: 0 };
  let left = tries;
  await inParallel(async () => {
    while (left-- > 0) {
      try {
        await insertWithdrawal(db, {
          partnerId,
          userId: pick(userIds),
          keyId,
          network: 'polygon',
          currency: 'USDC',
          tokenAddress: someAddress(),
          decimals: 6,
          amount: BigInt(pick(amounts)) * 1_000_000n,
          toAddress: someAddress(),
          recipientUserId: null,
          externalId: null,
          idempotencyKey: null,
          fingerprint: null,
          now: new Date(),
        });
        report.admitted += 1;
      } catch (error) {
        if (!violates(error, 'withdrawals_rules')) throw error;
        report.denied += 1;
      }
    }
  });
  process.send!(report);
});
process.on('disconnect', () => void db.end());

await inParallel(() => db.query('select pg_sleep(0.05)'));
process.send!('ready');
