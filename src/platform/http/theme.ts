import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Color, inkOn, mixColors, readableOn } from '../values/color.ts';

const theme = readFileSync(path.join(import.meta.dirname, 'theme.css'), 'utf8');

/** A style sheet beside the caller's code, after the colours that all pages share. */
export const readStyleSheet = (folder: string, name: string): string =>
  `${theme}\n${readFileSync(path.join(folder, name), 'utf8')}`;

/** What text stands on, in light and in dark. */
const [pages, cards] = ['page', 'card'].map((name) =>
  [...theme.matchAll(/--(\w+): (#[0-9a-f]{6})/g)].flatMap(([, own, color]) => (own === name ? [color!] : [])),
) as [Color[], Color[]];

/** Rules that replace the accent colour of the theme, to stand after it. */
export function brandRules(color: Color): string {
  const rules = (mode: 0 | 1) => {
    const card = cards[mode]!;
    const accent = readableOn([pages[mode]!, card], color, mode === 0 ? '#000000' : '#ffffff');
    const wash = mixColors(card, accent, 0.12);
    return `:root { --accent: ${accent}; --on-accent: ${inkOn(accent)}; --wash: ${wash}; }`;
  };
  return `${rules(0)}\n@media screen and (prefers-color-scheme: dark) { ${rules(1)} }\n`;
}
