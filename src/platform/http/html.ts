/** Escaped HTML: only `html` makes it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | null | undefined | false | readonly Content[];

/** HTML in which every value is escaped, also within quoted attributes, unless it is `Html` already. */
export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  return new Html(strings.reduce((text, part, at) => text + render(values[at - 1]) + part));
}

function render(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A whole document. Style sheets are addresses of ours. */
export function renderDocument({
  language = 'en',
  title,
  styles,
  body,
}: {
  language?: string;
  title: string;
  styles: readonly string[];
  body: Content;
}): string {
  const { text } = html`<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
${styles.map((address) => html`<link rel="stylesheet" href="${address}">\n`)}</head>
<body>
${body}
</body>
</html>
`;
  return `<!doctype html>\n${text}`;
}
