/** How much is read at once; tests take less of it. */
export interface Sizes {
  /** Lines, movements, postings, records or withdrawals of one statement. */
  rowsAtOnce: number;
  nodesAtOnce: number;
  /** After this many lines a call begins nothing more; the next one goes on. */
  rowsMax: number;
}

/** A line takes 25 µs, so a statement about them an eighth of a second. A node counts 512 lines at most. */
export const usualSizes: Sizes = { rowsAtOnce: 5_000, nodesAtOnce: 100, rowsMax: 300_000 };
