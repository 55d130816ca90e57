/** What XML 1.0 cannot contain: control characters, and halves of pairs. */
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const plain = /^[ !#-%'-;=?-~]*$/;

/** A text between tags or in a quoted attribute, cut to a number of characters. */
export function escapeXml(text: string, lengthMax = Number.POSITIVE_INFINITY): string {
  const short = text.length <= lengthMax ? text : [...text].slice(0, lengthMax).join('');
  if (plain.test(short)) return short;
  return short
    .replace(forbidden, '\ufffd')
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** `<name>text</name>`, or nothing for an empty text, which most schemas forbid. */
export function element(name: string, text: string, lengthMax?: number): string {
  return text === '' ? '' : `<${name}>${escapeXml(text, lengthMax)}</${name}>`;
}
