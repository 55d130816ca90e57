import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** A fenced block of a guide, without the indent of the list that it stands in. */
export interface Block {
  language: string;
  text: string;
}

export interface GuideFile {
  /** From the root, such as `docs/guides/quick-start.md`. */
  file: string;
  blocks: Block[];
}

/** README.md first, then the guides. */
export const readGuideFiles = (): GuideFile[] =>
  ['README.md', ...globSync('docs/guides/*.md', { cwd: root }).sort()].map((file) => ({
    file,
    blocks: readBlocks(readFileSync(path.join(root, file), 'utf8')),
  }));

export function readBlocks(markdown: string): Block[] {
  const fences = markdown.matchAll(/^( *)```(\S*)[^\n]*\n([\s\S]*?)^ *```$/gm);
  return [...fences].map(([, indent, language, text]) => ({
    language: language!,
    text: text!.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trimEnd(),
  }));
}

/** The sample of an output: `…` stands for any text. */
export function matchesSample(sample: string, output: string): boolean {
  const pieces = sample.split('…').map((piece) => piece.trim());
  let rest = output;
  for (const [at, piece] of pieces.entries()) {
    const found = rest.indexOf(piece);
    if (found < 0 || (at === 0 && rest.trimStart().indexOf(piece) !== 0)) return false;
    rest = rest.slice(found + piece.length);
  }
  return sample.endsWith('…') || rest.trim() === '';
}
