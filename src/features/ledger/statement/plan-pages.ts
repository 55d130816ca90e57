/** A4, in points. */
export const sheet = { width: 595.28, height: 841.89, left: 42, right: 553.28 };

/**
 * Heights in points. Rows of one height are why the number of pages is known before the first line is read.
 */
export const heights = {
  top: 40,
  /** Title, holder and particulars, on the first page. */
  opening: 112,
  /** One line that says whose statement it is, on the others. */
  running: 26,
  section: 30,
  tableHead: 17,
  balance: 16,
  line: 23,
  note: 24,
  bottom: 56,
};

export interface PagePlan {
  balances: number;
  lines: number;
  /** Where the table of lines begins, with its title. */
  startsLines: boolean;
}

/** Which rows stand on which page. */
export function planPages({ balances, lines }: { balances: number; lines: number }): PagePlan[] {
  const end = sheet.height - heights.bottom;
  const pages: PagePlan[] = [];
  let page: PagePlan = { balances: 0, lines: 0, startsLines: false };
  let y = heights.top + heights.opening;
  const turn = () => {
    pages.push(page);
    page = { balances: 0, lines: 0, startsLines: false };
    y = heights.top + heights.running;
  };

  if (balances > 0) y += heights.section;
  for (let left = balances; left > 0; left -= page.balances) {
    if (left < balances) turn();
    y += heights.tableHead;
    page.balances = Math.min(left, Math.floor((end - y) / heights.balance));
    y += page.balances * heights.balance;
  }

  const firstRow = lines > 0 ? heights.line : heights.note;
  if (y + heights.section + heights.tableHead + firstRow > end) turn();
  page.startsLines = true;
  y += heights.section;
  for (let left = lines; left > 0; left -= page.lines) {
    if (left < lines) turn();
    y += heights.tableHead;
    page.lines = Math.min(left, Math.floor((end - y) / heights.line));
  }
  pages.push(page);
  return pages;
}
