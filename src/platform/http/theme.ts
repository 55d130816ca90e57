import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Color, inkOn, mixColors, readableOn } from '../values/color.ts';

const theme = readFileSync(path.join(import.meta.dirname, 'theme.css'), 'utf8');

/** A style sheet beside the caller's code, after the colours that all pages share. */
export const readStyleSheet = (folder: string, name: string): string =>
  `${theme}\n${readFileSync(path.join(folder, name), 'utf8')}`;

/** The grounds of `theme.css`: page and card. */
const grounds = { light: ['#f3f4f1', '#ffffff'], dark: ['#121614', '#1b211e'] } as const;

/** Rules that replace the accent colour of the theme, to stand after it. */
export function brandRules(color: Color): string {
  const rules = (mode: keyof typeof grounds) => {
    const accent = readableOn(grounds[mode], color, mode === 'light' ? '#000000' : '#ffffff');
    const wash = mixColors(grounds[mode][1], accent, 0.12);
    return `:root { --accent: ${accent}; --on-accent: ${inkOn(accent)}; --wash: ${wash}; }`;
  };
  return `${rules('light')}\n@media (prefers-color-scheme: dark) { ${rules('dark')} }\n`;
}
