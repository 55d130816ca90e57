/** Nearly every cell: nothing to quote, and a beginning that no spreadsheet takes for a formula. */
export const plain = /^(?:[A-Za-z0-9][A-Za-z0-9 .:_/()#-]*)?$/;

const number = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** A cell of a CSV, with quotes and a guard where it needs them. */
export function writeCell(text: string | null): string {
  if (text === null || plain.test(text) || number.test(text)) return text ?? '';
  const guarded = guardCell(text);
  return /[",\r\n;\t]/.test(guarded) || guarded !== guarded.trim()
    ? `"${guarded.replaceAll('"', '""')}"`
    : guarded;
}

/**
 * A spreadsheet runs a cell that begins like a formula, and descriptions come from other people: an
 * apostrophe before it makes it a text. Also after what separates cells in another country's settings, where
 * one of our cells becomes two.
 */
export function guardCell(text: string): string {
  if (number.test(text)) return text;
  const guarded = text.replace(formula, "$1'$2");
  return /^[\t\r\n]/.test(guarded) ? `'${guarded}` : guarded;
}

const formula = /(^|[;\t\r\n])([ "']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
