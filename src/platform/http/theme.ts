import { readFileSync } from 'node:fs';
import path from 'node:path';

const theme = readFileSync(path.join(import.meta.dirname, 'theme.css'), 'utf8');

/** A style sheet beside the caller's code, after the colours that all pages share. */
export const readStyleSheet = (folder: string, name: string): string =>
  `${theme}\n${readFileSync(path.join(folder, name), 'utf8')}`;
