/** Letters that Unicode does not decompose. */
const strokes: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ð: 'd',
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
};

/** A text for search: no case, accents or widths; like `card_fold` of the database. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[łøđħŧıðæœß]/g, (letter) => strokes[letter]!)
    .normalize('NFC');
