import { formatMinor } from '#platform/values/money';
import type { Entry, LineType, Statement, StatementBalance } from '../open-statement.ts';
import { accountNumberOf, noCurrency } from './account-number.ts';
import { takeEntries } from './take-entries.ts';
import { writeTexts } from './text-chunks.ts';
import { balanceNames, words } from './words.ts';
import type { StatementStyle } from './writer.ts';
import { element } from './xml.ts';

const ok = '<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>';

/** OFX 2.1.1, which is XML: a `STMTTRNRS` for each asset. */
export const writeOfx = writeTexts(documentOf);

async function* documentOf(
  statement: Statement,
  style: StatementStyle,
  balances: readonly StatementBalance[],
): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
<OFX>
<SIGNONMSGSRSV1><SONRS>${ok}<DTSERVER>${instantOf(statement.madeAt)}</DTSERVER>\
<LANGUAGE>${style.language === 'pt' ? 'POR' : 'ENG'}</LANGUAGE><FI>${element('ORG', style.brand.name, 32)}</FI></SONRS></SIGNONMSGSRSV1>`;
  if (balances.length > 0) yield '\n<BANKMSGSRSV1>';
  for (const [at, balance] of balances.entries()) {
    yield openAccount(statement, balance, `${style.number}-${at + 1}`);
    for await (const entry of takeEntries(statement, balance)) yield writeEntry(entry, balance, style);
    yield closeAccount(statement, balance, style);
  }
  if (balances.length > 0) yield '\n</BANKMSGSRSV1>';
  yield '\n</OFX>\n';
}

function openAccount({ userId, startAt, endAt, madeAt }: Statement, balance: StatementBalance, id: string) {
  return `
<STMTTRNRS><TRNUID>${id}</TRNUID>${ok}<STMTRS><CURDEF>${noCurrency}</CURDEF>\
<BANKACCTFROM><BANKID>CAUSEWAY</BANKID><ACCTID>${accountNumberOf(userId, balance)}</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>
<BANKTRANLIST><DTSTART>${instantOf(startAt ?? new Date(0))}</DTSTART><DTEND>${instantOf(endAt ?? madeAt)}</DTEND>`;
}

const kinds: Partial<Record<LineType, string>> = { 'swap-bridge': 'XFER', 'transfer-token': 'XFER' };

function writeEntry(
  { line, amount }: Entry,
  balance: StatementBalance,
  { language }: StatementStyle,
): string {
  const kind = kinds[line.transactionType] ?? (amount < 0n ? 'DEBIT' : 'CREDIT');
  const memo = [balanceNames[language](balance), line.description, line.userDescription];
  return `
<STMTTRN><TRNTYPE>${kind}</TRNTYPE><DTPOSTED>${instantOf(line.transactionDate)}</DTPOSTED>\
<TRNAMT>${formatMinor(amount, balance.decimals)}</TRNAMT>${element('FITID', line.uniqueHashId, 255)}\
${element('NAME', line.description, 32)}${element('MEMO', memo.filter(Boolean).join(' – '), 255)}</STMTTRN>`;
}

/** OFX has no field for an opening balance: it is in the list of other balances, with the asset's name. */
function closeAccount(
  { startAt, endAt, madeAt }: Statement,
  balance: StatementBalance,
  { language }: StatementStyle,
): string {
  const { opening, closing, decimals } = balance;
  return `
</BANKTRANLIST><LEDGERBAL><BALAMT>${formatMinor(closing, decimals)}</BALAMT><DTASOF>${instantOf(endAt ?? madeAt)}</DTASOF></LEDGERBAL>\
<BALLIST><BAL>${element('NAME', words[language].opening, 32)}${element('DESC', balanceNames[language](balance), 80)}\
<BALTYPE>NUMBER</BALTYPE><VALUE>${formatMinor(opening, decimals)}</VALUE><DTASOF>${instantOf(startAt ?? new Date(0))}</DTASOF></BAL></BALLIST>\
</STMTRS></STMTTRNRS>`;
}

/** `20260131235959.999[0:GMT]`. */
const instantOf = (instant: Date | string) =>
  `${(typeof instant === 'string' ? instant : instant.toISOString()).replace(/[-:TZ]/g, '')}[0:GMT]`;
