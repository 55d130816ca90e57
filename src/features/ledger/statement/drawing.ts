import type { LineView, Statement, StatementBalance } from '../open-statement.ts';
import { createPageWriter, inks, type PageWriter, type Style } from './page-writer.ts';
import { type Spelling, spellingOf } from './spelling.ts';
import type { Container } from './structure.ts';
import { typeNames } from './words.ts';
import type { StatementStyle } from './writer.ts';

/** A balance with its value in US cents, if a price is known. */
export interface ValuedBalance extends StatementBalance {
  cents: bigint | null;
}

/** A statement while it is drawn, page by page. */
export interface Drawing {
  writer: PageWriter;
  spelling: Spelling;
  statement: Statement;
  style: StatementStyle;
  balances: readonly ValuedBalance[];
  /** When the oldest price among the values was quoted; undefined without values. */
  quotedAt: Date | undefined;
  verifyUrl: string;
  typeNames: (typeof typeNames)[keyof typeof typeNames];
  /** Whether lines of other types are left out. */
  isPart: boolean;
  /** The most decimals of any asset: what columns have room for. */
  decimals: number;
  /** How many decimals an asset is shown with. */
  decimalsOf(asset: { network: string; currency: string }): number;
  /** Tables that go on over several pages. */
  tables: { balances?: Container; lines?: Container };
}

/** Fewer look unfinished next to each other. */
const decimalsMin = 2;

export async function openDrawing(statement: Statement, style: StatementStyle): Promise<Drawing> {
  const spelling = spellingOf(style.language);
  const { tag: language, decimalPoint, words } = spelling;
  const balances = await statement.readBalances();
  const values = await style.value(
    balances.map(({ currency, closing, decimals }) => ({ currency, amount: closing, decimals })),
  );
  const shown = new Map(
    balances.map((balance) => [keyOf(balance), Math.max(decimalsMin, balance.decimalsUsed)]),
  );
  const quotes = values.flatMap((value) => (value ? [value.quotedAt.getTime()] : []));
  return {
    writer: createPageWriter({
      title: `${words.title} ${style.number}`,
      author: style.brand.name,
      language,
      madeAt: statement.madeAt,
      decimalPoint,
    }),
    spelling,
    statement,
    style,
    balances: balances.map((balance, at) => ({ ...balance, cents: values[at]?.cents ?? null })),
    quotedAt: quotes.length > 0 ? new Date(Math.min(...quotes)) : undefined,
    verifyUrl: style.verifyUrl(balances),
    typeNames: typeNames[style.language],
    isPart: !Object.keys(typeNames.en).every((type) => statement.types.some((one) => one === type)),
    decimals: Math.max(decimalsMin, ...shown.values()),
    decimalsOf: (asset) => shown.get(keyOf(asset)) ?? decimalsMin,
    tables: {},
  };
}

const keyOf = ({ network, currency }: { network: string; currency: string }) => `${network} ${currency}`;

export const cell: Style = { size: 8 };
export const small: Style = { size: 6.3, ink: inks.muted };
export const head: Style = { size: 6.6, ink: inks.muted, strong: true };

/** What is drawn on one page. */
export interface Page {
  /** From 0. */
  at: number;
  of: number;
  balances: readonly ValuedBalance[];
  hasClosing: boolean;
  lines: readonly LineView[];
  startsLines: boolean;
}
