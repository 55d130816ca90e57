import type { Guide } from './library.ts';
import { createSlugs } from './slugs.ts';

export interface Hit {
  guide: Guide;
  heading: string;
  anchor: string;
  /** The words around the first match, in pieces; every second piece matches. */
  excerpt: string[];
}

interface Section {
  guide: Guide;
  heading: string;
  anchor: string;
  text: string;
}

const hitsMax = 20;
const wordsMax = 8;
const excerptLength = 200;

/** Sections that have every word in their title, heading or text; task guides and headings come first. */
export function searchGuides(guides: Iterable<Guide>, query: string): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, wordsMax);
  if (words.length === 0) return [];
  return [...guides]
    .flatMap(readSections)
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, hitsMax)
    .map(({ section: { guide, heading, anchor, text } }) => ({
      guide,
      heading,
      anchor,
      excerpt: excerptOf(text, words),
    }));
}

const sections = new WeakMap<Guide, Section[]>();

function readSections(guide: Guide): Section[] {
  const known = sections.get(guide);
  if (known) return known;
  const slugOf = createSlugs();
  const found: Section[] = [];
  let isCode = false;
  for (const line of guide.markdown.split('\n')) {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,6} (.+)$/.exec(line)?.[1];
    if (heading) found.push({ guide, heading, anchor: slugOf(heading), text: '' });
    else if (found.length > 0) found.at(-1)!.text += ` ${plainText(line)}`;
  }
  sections.set(guide, found);
  return found;
}

/** Without the marks of Markdown that a reader does not see. */
const plainText = (line: string) =>
  line
    .replaceAll(/\]\([^()]*\)/g, '')
    .replaceAll(/^ *```.*|[`*[|]|^ *[-#>] |-{3,}/g, ' ')
    .trim();

function scoreOf({ guide, heading, text }: Section, words: readonly string[]): number {
  const [inTitle, inHeading, inText] = [guide.title, heading, text].map((one) => one.toLowerCase());
  let score = 0;
  for (const word of words) {
    const found =
      (inTitle!.includes(word) ? 4 : 0) +
      (inHeading!.includes(word) ? 8 : 0) +
      (inText!.includes(word) ? 1 : 0);
    if (found === 0) return 0;
    score += found;
  }
  return guide.isTask ? score * 2 : score;
}

function excerptOf(text: string, words: readonly string[]): string[] {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0), text.length);
  const from = first === text.length ? 0 : Math.max(0, text.lastIndexOf(' ', Math.max(0, first - 60)));
  const shown = text.slice(from, from + excerptLength).trim();
  const literals = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const pieces = shown.split(new RegExp(`(${literals.join('|')})`, 'giu'));
  return [from > 0 ? `… ${pieces[0]}` : pieces[0]!, ...pieces.slice(1)];
}
