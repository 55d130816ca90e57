import { Marked, type Tokens } from 'marked';
import { Html, html } from '#platform/http/html';
import { createSlugs } from './slugs.ts';

/** The HTML of a guide. Raw HTML is shown as text, and a link that leads nowhere is only its words. */
export function renderMarkdown(markdown: string, addressOf: (link: string) => string | undefined): Html {
  const slugOf = createSlugs();
  const marked = new Marked({ gfm: true, async: false });
  marked.use({
    renderer: {
      html: ({ text }) => html`${text}`.text,
      heading({ tokens, depth, text }: Tokens.Heading) {
        const words = this.parser.parseInline(tokens);
        return `<h${depth} id="${html`${slugOf(text)}`.text}">${words}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const [address, words] = [addressOf(href), this.parser.parseInline(tokens)];
        return address === undefined ? words : html`<a href="${address}">${new Html(words)}</a>`.text;
      },
      image({ href, text }: Tokens.Image) {
        const address = addressOf(href);
        return address === undefined ? html`${text}`.text : html`<img src="${address}" alt="${text}">`.text;
      },
      // It can be wider than a telephone, so it scrolls; the keyboard must reach it to scroll.
      code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>`.text,
      table({ header, rows }: Tokens.Table) {
        const row = (cells: Tokens.TableCell[]) =>
          html`<tr>${cells.map((cell) => new Html(this.tablecell(cell)))}</tr>`;
        return html`<div class="table" tabindex="0"><table>
<thead>${row(header)}</thead>
<tbody>${rows.map(row)}</tbody>
</table></div>`.text;
      },
    },
  });
  return new Html(marked.parse(markdown) as string);
}
