import type { LineType } from '../open-statement.ts';

/** The language that a person reads a statement in. */
export const languages = ['en', 'pt'] as const;
export type Language = (typeof languages)[number];

const en = {
  title: 'Account statement',
  number: 'Statement number',
  holder: 'Account holder',
  address: 'Address',
  user: 'Customer number',
  period: 'Period',
  made: 'Issued',
  movements: 'Movements',
  onlyOf: (count: string, types: string) => `${count}, only of the type ${types}`,
  notAll: 'Movements of other types are not listed, so in and out may not add up to the closing balance.',
  summary: 'Summary',
  asset: 'Asset',
  network: 'Network',
  opening: 'Opening balance',
  moneyIn: 'Money in',
  moneyOut: 'Money out',
  closing: 'Closing balance',
  value: 'Value in USD',
  total: 'Total',
  valuedAt: (instant: string) =>
    `Values at the prices of ${instant}. Assets without a price have no value here.`,
  date: 'Date (UTC)',
  description: 'Description',
  amount: 'Amount',
  balance: 'Balance',
  noBalances: 'No balances and no movements in this period.',
  noMovements: 'No movements in this period.',
  given: 'for',
  lines: 'Lines',
  everything: 'everything up to now',
  upTo: (to: string) => `up to ${to}`,
  from: (from: string) => `from ${from}`,
  between: (from: string, to: string) => `${from} to ${to}`,
  page: (at: number, of: number) => `Page ${at} of ${of}`,
  check: 'Check this statement',
  checkHint: 'This page compares the statement with the ledger:',
  head: (position: string) => `Ledger head: line ${position}, SHA-256`,
  emptyHead: 'Ledger head: no lines yet',
  list: (items: string[]) => new Intl.ListFormat('en', { type: 'conjunction' }).format(items),
};

const pt: typeof en = {
  title: 'Extrato de conta',
  number: 'Número do extrato',
  holder: 'Titular',
  address: 'Endereço',
  user: 'Número do cliente',
  period: 'Período',
  made: 'Emitido',
  movements: 'Movimentações',
  onlyOf: (count, types) => `${count}, apenas do tipo ${types}`,
  notAll:
    'Movimentações de outros tipos não estão listadas; por isso entradas e saídas podem não somar o saldo final.',
  summary: 'Resumo',
  asset: 'Ativo',
  network: 'Rede',
  opening: 'Saldo inicial',
  moneyIn: 'Entradas',
  moneyOut: 'Saídas',
  closing: 'Saldo final',
  value: 'Valor em USD',
  total: 'Total',
  valuedAt: (instant) => `Valores pelos preços de ${instant}. Ativos sem preço não têm valor aqui.`,
  date: 'Data (UTC)',
  description: 'Descrição',
  amount: 'Valor',
  balance: 'Saldo',
  noBalances: 'Sem saldos e sem movimentações neste período.',
  noMovements: 'Sem movimentações neste período.',
  given: 'por',
  lines: 'Lançamentos',
  everything: 'tudo até agora',
  upTo: (to) => `até ${to}`,
  from: (from) => `desde ${from}`,
  between: (from, to) => `${from} a ${to}`,
  page: (at, of) => `Página ${at} de ${of}`,
  check: 'Confira este extrato',
  checkHint: 'Esta página compara o extrato com o livro-razão:',
  head: (position) => `Fim do livro-razão: linha ${position}, SHA-256`,
  emptyHead: 'Fim do livro-razão: ainda sem linhas',
  list: (items) => new Intl.ListFormat('pt-BR', { type: 'conjunction' }).format(items),
};

export type Words = typeof en;
export const words: Readonly<Record<Language, Words>> = { en, pt };

/** English: the contract's own words for its types. */
export const typeNames: Readonly<Record<Language, Record<LineType, string>>> = {
  en: { buy: 'Deposit', sell: 'Withdrawal', 'swap-bridge': 'Convert', 'transfer-token': 'Send' },
  pt: { buy: 'Depósito', sell: 'Saque', 'swap-bridge': 'Conversão', 'transfer-token': 'Transferência' },
};

interface Asset {
  currency: string;
  network: string;
}

/** The name of an account in files that have no field for the network. */
export const balanceNames: Readonly<Record<Language, (asset: Asset) => string>> = {
  en: ({ currency, network }) => `${currency} on ${network}`,
  pt: ({ currency, network }) => `${currency} na rede ${network}`,
};
