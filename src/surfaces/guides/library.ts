import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A `*.md` of docs/, and its address under `/guides/`. */
export interface Guide {
  /** Within docs/, such as `guides/quick-start.md`. */
  file: string;
  /** `quick-start`, or `decisions/keys` for a file of another folder. */
  name: string;
  title: string;
  markdown: string;
  /** A task guide, as opposed to reference. */
  isTask: boolean;
}

/** Everything in docs/. Addresses are looked up here and never become paths of files. */
export interface Library {
  guides: ReadonlyMap<string, Guide>;
  /** Files that are not Markdown, by their path within docs/. */
  attachments: ReadonlyMap<string, Buffer>;
}

const docs = path.resolve(import.meta.dirname, '../../../docs');
const taskFolder = 'guides/';
/** Rendered at `/guides`. */
export const indexName = 'README';

let library: Library | undefined;

/** Read at the first visit, because most processes and tests never serve a guide. */
export function openLibrary(): Library {
  library ??= readLibrary();
  return library;
}

function readLibrary(): Library {
  const files = globSync('**/*.*', { cwd: docs }).map((file) => file.replaceAll(path.sep, '/'));
  const guides = files.filter((file) => file.endsWith('.md')).map(readGuide);
  const others = files.filter((file) => !file.endsWith('.md'));
  return {
    guides: new Map(guides.map((guide) => [guide.name, guide])),
    attachments: new Map(others.map((file) => [file, readFileSync(path.join(docs, file))])),
  };
}

function readGuide(file: string): Guide {
  const markdown = readFileSync(path.join(docs, file), 'utf8');
  const name = nameOf(file);
  return {
    file,
    name,
    markdown,
    title: /^# (.+)$/m.exec(markdown)?.[1] ?? name,
    isTask: file.startsWith(taskFolder),
  };
}

const nameOf = (file: string) => file.replace(taskFolder, '').replace(/\.md$/, '');

/**
 * Where a link of a guide leads under `/guides`, or undefined if that file is not served. Links are written
 * as GitHub reads them: from the guide's own folder.
 */
export function addressOf({ guides, attachments }: Library, from: Guide, link: string): string | undefined {
  if (/^(?:https?:\/\/|mailto:|#)/.test(link)) return link;
  const [target = '', anchor] = link.split('#');
  const file = path.posix.join(path.posix.dirname(from.file), target);
  if (attachments.has(file)) return `/guides/${file}`;
  const name = nameOf(file);
  if (!file.endsWith('.md') || !guides.has(name)) return undefined;
  return (name === indexName ? '/guides' : `/guides/${name}`) + (anchor ? `#${anchor}` : '');
}
