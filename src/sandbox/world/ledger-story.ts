import type { BatchLine } from '#features/ledger';
import { dayMs } from '#platform/values/duration';
import { formatMinor } from '#platform/values/money';
import { demoUsers } from './people.ts';
import { createRandom } from './random.ts';
import { daysBefore, minuteMs, storyDays } from './time.ts';

/** Ids of lines that a tool or a test may want. */
export const storyIds = {
  swap: 'demo-swap-1',
  bridge: 'demo-bridge-1',
  transfer: 'demo-transfer-1',
  late: 'demo-late-1',
} as const;

export interface LedgerStory {
  /** In the order of their dates. */
  lines: BatchLine[];
  /** Posted after the others, with earlier dates. */
  late: BatchLine[];
}

interface Asset {
  network: 'polygon' | 'ethereum' | 'base';
  currency: 'USDT' | 'USDC' | 'EURC';
}

type Name = keyof typeof demoUsers;
type Entry = Omit<BatchLine, 'userId' | 'transactionDate' | 'network'>;

const polygonUsdc: Asset = { network: 'polygon', currency: 'USDC' };
const polygonUsdt: Asset = { network: 'polygon', currency: 'USDT' };
const baseUsdc: Asset = { network: 'base', currency: 'USDC' };
const baseEurc: Asset = { network: 'base', currency: 'EURC' };
const ethereumUsdc: Asset = { network: 'ethereum', currency: 'USDC' };

/**
 * Eighteen months of five people's accounts: about 1,500 lines of the owner and 700 of the others. No balance
 * is ever below zero, whatever they had before.
 */
export function tellLedgerStory(now: Date): LedgerStory {
  const book = new Book(now);
  for (let day = storyDays; day >= 1; day--) tellDay(book, day);
  return { lines: book.lines, late: lateLines(now) };
}

/** Lines with what each account has; money that is not there is not spent. */
class Book {
  readonly lines: BatchLine[] = [];
  readonly random = createRandom(20_250_517);
  readonly now: Date;
  readonly #balances = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  #minute = 0;

  constructor(now: Date) {
    this.now = now;
  }

  /** Later lines of a day have later times. */
  beginDay(): void {
    this.#minute = 6 * 60;
  }

  receive(name: Name, day: number, asset: Asset, cents: number, entry: Entry): void {
    this.#move(name, asset, cents);
    this.#write(name, day, asset, {
      ...entry,
      assetReceived: asset.currency,
      amountReceived: amountOf(cents),
    });
  }

  has = (name: Name, asset: Asset, cents: number) => this.#balanceOf(name, asset) >= cents;

  send(name: Name, day: number, asset: Asset, cents: number, entry: Entry): boolean {
    if (!this.has(name, asset, cents)) return false;
    this.#move(name, asset, -cents);
    this.#write(name, day, asset, { ...entry, assetSent: asset.currency, amountSent: amountOf(cents) });
    return true;
  }

  /** On one network: one line with both legs. */
  swap(name: Name, day: number, [from, to]: [Asset, Asset], [sold, bought]: [number, number], entry: Entry) {
    if (!this.has(name, from, sold)) return;
    this.#move(name, from, -sold);
    this.#move(name, to, bought);
    this.#write(name, day, from, {
      ...entry,
      assetSent: from.currency,
      amountSent: amountOf(sold),
      assetReceived: to.currency,
      amountReceived: amountOf(bought),
    });
  }

  /** `demo-swap-1`, `demo-swap-2` and so on. */
  nextId(kind: keyof typeof storyIds): string {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return `demo-${kind}-${count}`;
  }

  #write(name: Name, day: number, { network }: Asset, entry: Entry): void {
    this.#minute += this.random.between(1, 40);
    const at = daysBefore(
      this.now,
      day,
      Math.min(this.#minute * minuteMs + this.random.below(minuteMs), dayMs - 1),
    );
    this.lines.push({
      userId: demoUsers[name].id,
      network,
      transactionDate: at.toISOString(),
      ...entry,
    });
  }

  #balanceOf = (name: Name, asset: Asset) => this.#balances.get(keyOf(name, asset)) ?? 0;

  #move(name: Name, asset: Asset, cents: number): void {
    this.#balances.set(keyOf(name, asset), this.#balanceOf(name, asset) + cents);
  }
}

const keyOf = (name: Name, { network, currency }: Asset) => `${name} ${network} ${currency}`;
const amountOf = (cents: number) => formatMinor(BigInt(cents), 2);

const shops: readonly [description: string, least: number, most: number, notes: readonly string[]][] = [
  ['Padaria São João', 240, 980, ['café da manhã', 'pão de queijo 🧀']],
  ['Mercado Municipal', 1_850, 9_400, ['weekly groceries', 'feira da semana']],
  ['Café Central', 180, 720, ['coffee with Bruno', '']],
  ['Metro de Lisboa', 180, 1_480, ['']],
  ['Livraria Central', 990, 4_650, ['presente da Marta', '生日礼物']],
  ['Farmácia Estrela', 420, 3_900, ['']],
  ['Restaurante O Pescador', 1_480, 7_600, ['jantar com a equipa', 'dinner, split in three']],
  ['Cinema São Jorge', 750, 2_250, ['']],
  ['Mobile plan', 1_990, 1_990, ['plano do telemóvel']],
  ['Bike share', 120, 590, ['']],
  ['Streaming', 1_199, 1_199, ['']],
  ['Gym', 3_490, 3_490, ['ginásio']],
];

const invoices = [
  'Logo for Oficina Norte',
  'Website, second half',
  'Illustrations',
  'Design workshop',
  'Ícones para a app',
];
const friends: readonly [Name, string, readonly string[]][] = [
  ['friend', 'Bruno Costa', ['rent share', 'concert tickets', 'jantar 🍕', 'obrigada!']],
  ['stranger', 'Chen Wei', ['谢谢', 'translation', 'train tickets']],
  ['business', 'Mar Verde Comércio Ltda', ['fatura 2209', 'samples', 'reembolso de despesas']],
];

/** `day` counts down to today. */
function tellDay(book: Book, day: number): void {
  const { random, now } = book;
  const date = daysBefore(now, day).getUTCDate();
  book.beginDay();
  if (day === storyDays) tellOpening(book, day);
  if (date === 25) tellSalary(book, day);
  if (date === 1) {
    book.send('owner', day, baseEurc, 115_000, {
      transactionType: 'sell',
      description: 'Rent, Rua das Flores 12',
      transactionPurpose: 'rent',
      userDescription: 'renda da casa',
    });
  }
  for (let purchases = random.between(0, 4); purchases > 0; purchases--) tellPurchase(book, day, 'owner');
  if (random.percent(55)) tellPurchase(book, day, 'friend');
  if (random.percent(24)) tellTransfer(book, day);
  if (random.percent(13)) tellSwap(book, day);
  if (random.percent(7)) tellBridge(book, day);
  if (random.percent(9)) {
    book.receive('owner', day, polygonUsdt, random.between(12_000, 95_000), {
      transactionType: 'buy',
      description: `Invoice: ${random.pick(invoices)}`,
      transactionPurpose: 'freelance',
    });
  }
  if (random.percent(6)) {
    book.send('owner', day, ethereumUsdc, random.between(5_000, 60_000), {
      transactionType: 'sell',
      description: 'Withdrawal to bank account PT50 …0192',
      transactionPurpose: 'withdrawal',
    });
  }
  if (random.percent(20)) tellTrade(book, day);
}

function tellOpening(book: Book, day: number): void {
  const first: readonly [Name, Asset, number][] = [
    ['owner', polygonUsdc, 320_000],
    ['owner', baseEurc, 460_000],
    ['owner', ethereumUsdc, 250_000],
    ['friend', polygonUsdc, 90_000],
    ['business', polygonUsdt, 2_400_000],
  ];
  for (const [name, asset, cents] of first) {
    book.receive(name, day, asset, cents, {
      transactionType: 'buy',
      description: 'Moved from my former wallet',
      transactionPurpose: 'opening deposit',
    });
  }
}

function tellSalary(book: Book, day: number): void {
  const salary = { transactionType: 'buy', transactionPurpose: 'salary' } as const;
  book.receive('owner', day, polygonUsdc, 420_000, { ...salary, description: 'Salary, Atlântica Design' });
  book.receive('friend', day, polygonUsdc, 285_000, { ...salary, description: 'Salary, Serra Logística' });
  book.swap('owner', day, [baseUsdc, baseEurc], [140_000, 128_800], {
    transactionType: 'swap-bridge',
    description: 'Monthly budget in euros',
    userDescription: 'orçamento do mês',
  });
}

function tellPurchase(book: Book, day: number, name: 'owner' | 'friend'): void {
  const { random } = book;
  const [description, least, most, notes] = random.pick(shops);
  const asset = name === 'owner' && random.percent(45) ? baseEurc : polygonUsdc;
  const note = random.percent(30) ? random.pick(notes) : '';
  const cents = random.between(least, most);
  const isPaid = book.send(name, day, asset, cents, {
    transactionType: 'sell',
    description,
    transactionPurpose: 'purchase',
    ...withNote(note),
  });
  if (isPaid && random.percent(2)) {
    book.receive(name, day, asset, cents, {
      transactionType: 'buy',
      description: `Refund: ${description}`,
      transactionPurpose: 'refund',
    });
  }
}

/** Between users of the platform: a line of each, under one id. */
function tellTransfer(book: Book, day: number): void {
  const { random } = book;
  const [other, theirName, notes] = random.pick(friends);
  const cents = random.between(500, 18_000);
  const isSent = random.percent(60);
  const [from, to] = isSent ? (['owner', other] as const) : ([other, 'owner'] as const);
  const [fromName, toName] = isSent ? ['Ana Ribeiro', theirName] : [theirName, 'Ana Ribeiro'];
  const asset = other === 'business' ? polygonUsdt : polygonUsdc;
  const entry = { transactionType: 'transfer-token', ...withNote(random.pick(notes)) } as const;
  if (!book.has(from, asset, cents)) return;
  const id = book.nextId('transfer');
  book.send(from, day, asset, cents, { ...entry, id, description: `To ${toName}` });
  book.receive(to, day, asset, cents, { ...entry, id, description: `From ${fromName}` });
}

function tellSwap(book: Book, day: number): void {
  const { random } = book;
  const sold = random.between(3_000, 40_000);
  const isToEuros = random.percent(60);
  const assets: [Asset, Asset] = isToEuros ? [baseUsdc, baseEurc] : [baseEurc, baseUsdc];
  // A euro is 1.08 to 1.16 dollars.
  const rate = random.between(108, 116);
  const bought = Math.floor(isToEuros ? (sold * 100) / rate : (sold * rate) / 100);
  if (!book.has('owner', assets[0], sold)) return;
  book.swap('owner', day, assets, [sold, bought], {
    id: book.nextId('swap'),
    transactionType: 'swap-bridge',
    description: `${assets[0].currency} to ${assets[1].currency}`,
  });
}

/** Between networks: two lines, under one id. The fee is the difference. */
function tellBridge(book: Book, day: number): void {
  const { random } = book;
  const [from, to] = random.pick<[Asset, Asset]>([
    [polygonUsdc, baseUsdc],
    [polygonUsdc, baseUsdc],
    [polygonUsdc, ethereumUsdc],
  ]);
  const cents = random.between(30_000, 160_000);
  if (!book.has('owner', from, cents)) return;
  const entry = {
    id: book.nextId('bridge'),
    transactionType: 'swap-bridge',
    description: `USDC from ${from.network} to ${to.network}`,
  } as const;
  book.send('owner', day, from, cents, entry);
  book.receive('owner', day, to, cents - random.between(20, 150), entry);
}

/** What the shop in the story sells and buys. */
function tellTrade(book: Book, day: number): void {
  const { random } = book;
  const isSale = random.percent(65);
  const cents = random.between(4_000, 260_000);
  const number = random.between(1_000, 9_999);
  if (isSale) {
    book.receive('business', day, polygonUsdt, cents, {
      transactionType: 'buy',
      description: `Venda, pedido ${number}`,
      transactionPurpose: 'sale',
    });
  } else {
    book.send('business', day, polygonUsdt, cents, {
      transactionType: 'sell',
      description: `Fornecedor, fatura ${number}`,
      transactionPurpose: 'supplier',
    });
  }
}

const withNote = (note: string) => (note === '' ? {} : { userDescription: note });

/** What a bank reports weeks later. */
const lateLines = (now: Date): BatchLine[] =>
  [
    { days: 34, cents: 2_310, description: 'Card cashback, posted late', purpose: 'cashback' },
    { days: 95, cents: 18_000, description: 'Tax refund, posted late', purpose: 'tax refund' },
    { days: 201, cents: 4_125, description: 'Correction by the bank', purpose: 'correction' },
  ].map(({ days, cents, description, purpose }, at) => ({
    userId: demoUsers.owner.id,
    id: `demo-late-${at + 1}`,
    transactionType: 'buy',
    network: 'polygon',
    assetReceived: 'USDC',
    amountReceived: amountOf(cents),
    transactionDate: daysBefore(now, days, 9 * 60 * minuteMs).toISOString(),
    description,
    transactionPurpose: purpose,
  }));
