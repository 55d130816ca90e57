// A separate process for the tests of rules: creates withdrawals as fast as it can, on several connections,
// and reports how many were admitted and how many the rules denied. Half of the callers share commits, as
// requests do; the others store several at once, or one.
import { randomBytes } from 'node:crypto';
import { createPool, violates } from '#platform/db/db';
import { createLog } from '#platform/observe/log';
import { insertWithdrawals, type NewWithdrawal } from '../../src/features/withdrawals/queries/creations.ts';
import { storeWithdrawal } from '../../src/features/withdrawals/store-withdrawal.ts';

export interface RulesOrder {
  partnerId: string;
  keyIds: readonly string[];
  userIds: readonly string[];
  /** In units of the token; each try takes one of them. */
  amounts: readonly number[];
  tries: number;
  /** How many the callers store at once that do not share commits. */
  together: number;
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
/** Few, so that their counters are contended for, too; the same in every process. */
const addresses = Array.from({ length: 20 }, (_, n) => `0x${String(n).padStart(40, '0')}`);

process.on('message', async (order: RulesOrder) => {
  const report: RulesReport = { admitted: 0, denied: 0 };
  let left = order.tries;
  let callers = 0;
  await inParallel(async () => {
    const isSharing = callers++ % 2 === 0;
    while (left > 0) {
      const many = isSharing ? 1 : Math.min(order.together, left);
      left -= many;
      const made = Array.from({ length: many }, () => someWithdrawal(order));
      try {
        await (isSharing ? storeWithdrawal(db, made[0]!) : insertWithdrawals(db, made));
        report.admitted += many;
      } catch (error) {
        if (!violates(error, 'withdrawals_rules')) throw error;
        report.denied += many;
      }
    }
  });
  process.send!(report);
});

const someWithdrawal = ({ partnerId, keyIds, userIds, amounts }: RulesOrder): NewWithdrawal => ({
  partnerId,
  userId: pick(userIds),
  keyId: pick(keyIds),
  network: 'polygon',
  currency: 'USDC',
  tokenAddress: someAddress(),
  decimals: 6,
  amount: BigInt(pick(amounts)) * 1_000_000n,
  toAddress: pick(addresses),
  recipientUserId: null,
  externalId: null,
  idempotencyKey: null,
  fingerprint: null,
  now: new Date(),
});

process.on('disconnect', () => void db.end());

await inParallel(() => db.query('select pg_sleep(0.05)'));
process.send!('ready');
