import type { Ctx } from '#context';
import { decimalsOf } from '../assets.ts';
import { ledgerErrors } from '../errors.ts';
import { selectAccountsAtCut } from '../lines/queries/statement.ts';
import { statementNumberOf } from './statement-number.ts';
import { hashTotals, headOf, openStatementCode } from './verify-url.ts';
import type { Totals } from './writer.ts';

/** What the ledger says about a statement. Nothing that the statement does not say itself. */
export interface StatementVerdict {
  /** Whether the ledger still has the line that the statement ends at, and the balances that it says. */
  isMatch: boolean;
  number: string;
  startAt?: Date | undefined;
  endAt?: Date | undefined;
  lastNumber: bigint;
  /** Hexadecimal; empty in a ledger without lines. */
  lastHash: string;
  /** Without assets that were zero at both ends. */
  balances: Totals[];
}

/** Compares the statement whose code this is with the ledger as it was when the statement was made. */
export async function verifyStatement(
  ctx: Pick<Ctx, 'db' | 'sealer' | 'evm'>,
  { code }: { code: string },
): Promise<StatementVerdict> {
  const link = openStatementCode(ctx, code);
  if (!link) throw ledgerErrors.statementNotFound();
  const { lastNumber, startAt, endAt, headHash, totalsHash } = link;
  const accounts = await selectAccountsAtCut(ctx.db, link);
  const lastHash = accounts[0]?.hash?.toString('hex') ?? '';
  const balances = accounts
    .filter(({ opening, closing }) => opening !== 0n || closing !== 0n)
    .map(({ network, currency, opening, closing }) => {
      const decimals = decimalsOf(ctx.evm, { network, currency });
      return { network, currency, decimals, opening, closing };
    });
  return {
    isMatch: headOf(lastHash) === headHash && hashTotals(balances) === totalsHash,
    number: statementNumberOf({ ...link, lastHash }),
    startAt,
    endAt,
    lastNumber,
    lastHash,
    balances,
  };
}
