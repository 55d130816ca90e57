import { invalidField } from '#platform/errors/errors';
import { formatMinor } from '#platform/values/money';
import type { Entry, Statement, StatementBalance } from '../open-statement.ts';
import { accountNumberOf, noCurrency } from './account-number.ts';
import { takeEntries } from './take-entries.ts';
import { writeTexts } from './text-chunks.ts';
import { balanceNames } from './words.ts';
import type { StatementStyle } from './writer.ts';
import { element, escapeXml } from './xml.ts';

const namespace = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';

/** ISO 20022 camt.053.001.08: a `Stmt` for each asset. */
export const writeCamt053 = writeTexts(documentOf);

async function* documentOf(
  statement: Statement,
  style: StatementStyle,
  balances: readonly StatementBalance[],
): AsyncGenerator<string> {
  for (const balance of balances) refuseLarge(balance);
  const made = statement.madeAt.toISOString();
  yield `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="${namespace}"><BkToCstmrStmt>
<GrpHdr>${element('MsgId', style.number)}<CreDtTm>${made}</CreDtTm></GrpHdr>`;
  for (const [at, balance] of balances.entries()) {
    yield openStmt(statement, style, { balance, at });
    const round = roundingOf(statement, balance);
    for await (const entry of takeEntries(statement, balance)) yield writeEntry(entry, balance, round, style);
    yield '\n</Stmt>';
  }
  // The schema requires one.
  if (balances.length === 0) yield `${openStmt(statement, style, { balance: nothing, at: 0 })}\n</Stmt>`;
  yield '\n</BkToCstmrStmt></Document>\n';
}

const nothing: StatementBalance = {
  accountId: 0n,
  network: '-',
  currency: '-',
  decimals: 0,
  decimalsUsed: 0,
  opening: 0n,
  moneyIn: 0n,
  moneyOut: 0n,
  closing: 0n,
};

function openStmt(
  { userId, holder, startAt, endAt, madeAt }: Statement,
  { brand, language, number }: StatementStyle,
  { balance, at }: { balance: StatementBalance; at: number },
): string {
  const [from, to] = [startAt ?? new Date(0), endAt ?? madeAt].map((instant) => instant.toISOString());
  const period = startAt ? `<FrToDt><FrDtTm>${from}</FrDtTm><ToDtTm>${to}</ToDtTm></FrToDt>` : '';
  const address = brand.address.slice(0, 7).map((line) => element('AdrLine', line, 70));
  const postal = address.length > 0 ? `<PstlAdr>${address.join('')}</PstlAdr>` : '';
  const id = accountNumberOf(userId, balance);
  return `
<Stmt>${element('Id', `${number}-${at + 1}`)}<CreDtTm>${madeAt.toISOString()}</CreDtTm>${period}
<Acct><Id><Othr><Id>${id}</Id></Othr></Id><Ccy>${noCurrency}</Ccy>${element('Nm', balanceNames[language](balance), 70)}\
<Ownr>${element('Nm', holder, 140)}</Ownr>\
<Svcr><FinInstnId>${element('Nm', brand.name, 140)}${postal}</FinInstnId></Svcr></Acct>
${writeBalance('OPBD', balance.opening, balance, from!)}
${writeBalance('CLBD', balance.closing, balance, to!)}`;
}

function writeBalance(code: string, amount: bigint, balance: StatementBalance, at: string): string {
  const shown = roundTo5(amount, balance.decimals);
  return `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${writeAmount(shown, amount)}<Dt><DtTm>${at}</DtTm></Dt></Bal>`;
}

function writeEntry(
  { line, amount }: Entry,
  { currency, network, decimals }: StatementBalance,
  round: (amount: bigint) => bigint,
  { brand }: StatementStyle,
): string {
  const { uniqueHashId, transactionDate, executedAt, transactionType, description, userDescription } = line;
  const reference = uniqueHashId.length <= 35 ? element('AcctSvcrRef', uniqueHashId) : '';
  const exact = `${formatMinor(amount, decimals)} ${currency} (${network})`;
  return `
<Ntry>${writeAmount(round(amount), amount)}<Sts><Cd>BOOK</Cd></Sts><BookgDt><DtTm>${transactionDate}</DtTm></BookgDt>\
<ValDt><DtTm>${executedAt ?? transactionDate}</DtTm></ValDt>${reference}\
<BkTxCd><Prtry><Cd>${transactionType}</Cd>${element('Issr', brand.name, 35)}</Prtry></BkTxCd>\
<NtryDtls><TxDtls><RmtInf><Ustrd>${escapeXml(exact, 140)}</Ustrd>${element('Ustrd', uniqueHashId, 140)}</RmtInf>\
${element('AddtlTxInf', userDescription ?? '', 500)}</TxDtls></NtryDtls>${element('AddtlNtryInf', description, 500)}</Ntry>`;
}

/** The schema has no negative amounts, and no sign for zero: `amount` says which way it went. */
function writeAmount(shown: bigint, amount: bigint): string {
  const direction = amount < 0n ? 'DBIT' : 'CRDT';
  const size = formatMinor(shown < 0n ? -shown : shown, 5);
  return `<Amt Ccy="${noCurrency}">${size}</Amt><CdtDbtInd>${direction}</CdtDbtInd>`;
}

/**
 * The schema has 5 decimals and tokens have 6 or more. Each entry is the difference of two rounded balances,
 * so that opening balance and entries are the closing balance; `Ustrd` has the exact amount.
 */
function roundingOf({ order }: Statement, { opening, closing, decimals }: StatementBalance) {
  let balance = order === 'oldest' ? opening : closing;
  return (amount: bigint) => {
    const [before, after] = order === 'oldest' ? [balance, balance + amount] : [balance - amount, balance];
    balance = order === 'oldest' ? after : before;
    return roundTo5(after, decimals) - roundTo5(before, decimals);
  };
}

/** In units of 0.00001, half a unit away from zero. */
export function roundTo5(amount: bigint, decimals: number): bigint {
  if (decimals <= 5) return amount * 10n ** BigInt(5 - decimals);
  const unit = 10n ** BigInt(decimals - 5);
  return (amount + (amount < 0n ? -unit : unit) / 2n) / unit;
}

/** The schema has 18 digits, 5 of them decimals. */
function refuseLarge({ opening, moneyIn, moneyOut, closing, decimals }: StatementBalance): void {
  const limit = 10n ** BigInt(13 + decimals) - 10n ** BigInt(decimals);
  const isLarge = [opening, moneyIn, moneyOut, closing].some((amount) => amount >= limit || -amount >= limit);
  if (isLarge) throw invalidField('format', 'camt053 has no room for amounts of more than 13 digits');
}
