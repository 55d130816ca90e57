/** A4, in points. */
export const sheet = { width: 595.28, height: 841.89, left: 42, right: 553.28 };

/**
 * Heights in points. Rows of one height are why the number of pages is known before the first line is read.
 */
export const heights = {
  top: 40,
  /** Issuer, title, holder and particulars, on the first page. */
  opening: 178,
  /** What the holder's address takes more, if there is one. */
  address: 36,
  /** One line that says whose statement it is, on the others. */
  running: 26,
  section: 30,
  tableHead: 17,
  balance: 16,
  line: 24,
  note: 20,
  /** How to check the statement, at the end of the first page. */
  check: 58,
  bottom: 56,
};

export interface PagePlan {
  balances: number;
  /** The rows after the balances: the total, and notes. */
  hasClosing: boolean;
  lines: number;
  /** Where the table of lines begins, with its title. */
  startsLines: boolean;
}

export interface Contents {
  balances: number;
  lines: number;
  hasAddress: boolean;
  /** Height of what follows the balances. */
  closingHeight: number;
}

/** Of issuer, title, holder and particulars. */
export const openingHeight = (hasAddress: boolean): number =>
  heights.opening + (hasAddress ? heights.address : 0);

/** Which rows stand on which page. */
export function planPages({ balances, lines, hasAddress, closingHeight }: Contents): PagePlan[] {
  const pages: PagePlan[] = [];
  const emptyPage = (): PagePlan => ({ balances: 0, hasClosing: false, lines: 0, startsLines: false });
  let page = emptyPage();
  let y = heights.top + openingHeight(hasAddress);
  const end = () => sheet.height - heights.bottom - (pages.length === 0 ? heights.check : 0);
  const turn = () => {
    pages.push(page);
    page = emptyPage();
    y = heights.top + heights.running;
  };

  y += heights.section;
  for (let left = balances; left > 0; left -= page.balances) {
    if (left < balances) turn();
    y += heights.tableHead;
    page.balances = Math.min(left, Math.floor((end() - y) / heights.balance));
    y += page.balances * heights.balance;
  }
  if (y + closingHeight > end()) turn();
  page.hasClosing = true;
  y += closingHeight;

  const firstRow = lines > 0 ? heights.line : heights.note;
  if (y + heights.section + heights.tableHead + firstRow > end()) turn();
  page.startsLines = true;
  y += heights.section;
  for (let left = lines; left > 0; left -= page.lines) {
    if (left < lines) turn();
    y += heights.tableHead;
    page.lines = Math.min(left, Math.floor((end() - y) / heights.line));
  }
  pages.push(page);
  return pages;
}
