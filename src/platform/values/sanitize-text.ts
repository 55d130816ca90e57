/**
 * Untrusted text made safe to show to a model or a person: one line, without characters that hide or reorder
 * text, and of a bounded length.
 */
export function sanitizeText(text: string, lengthMax = 200): string {
  const plain = text.toWellFormed().replace(hidden, '').replace(breaks, ' ').trim();
  if (plain.length <= lengthMax) return plain;
  // Cut between characters, not within one.
  return `${plain.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Control characters except line breaks, format characters (zero-width, bidirectional, tags), private use,
 * and others that fonts do not draw, such as variation selectors: a row of them can spell text that a model
 * reads and a person does not see.
 */
const hidden = /(?![\t\n\v\f\r\u0085])[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const breaks = /[\s\u0085]+/gu;
