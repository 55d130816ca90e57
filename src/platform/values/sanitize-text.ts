/**
 * Other people's text, as it may be put before a model or a person: on one line, without characters that hide, reorder or
 * pretend, and of a bounded length.
 */
export function sanitizeText(text: string, lengthMax = 200): string {
  const plain = text.toWellFormed().replace(hidden, '').replace(breaks, ' ').trim();
  if (plain.length <= lengthMax) return plain;
  // Cut between characters, not within one.
  return `${plain.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Controls but for breaks, format characters (zero-width, bidirectional, tags), private use, and whatever else fonts do not draw,
 * variation selectors among them: a row of those after any letter spells what a model reads and a person does not see.
 */
const hidden = /(?![\t\n\v\f\r\u0085])[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const breaks = /[\s\u0085]+/gu;
