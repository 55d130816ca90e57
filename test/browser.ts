import { after, before } from 'node:test';
import chromium from '@sparticuz/chromium';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';

export interface TestBrowser {
  /** A page that may reach only `origin`; every other address it asked for is in `strayed`. */
  open(origin: string): Promise<{ page: Page; strayed: string[]; errors: string[] }>;
}

/** A real Chromium that came with npm; no system browser is needed. */
export function useBrowser(): TestBrowser {
  let browser: Browser;
  before(async () => {
    browser = await playwright.launch({
      executablePath: await chromium.executablePath(),
      args: [
        ...chromium.args,
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
      timeout: 60_000,
    });
  });
  after(() => browser?.close());
  return {
    async open(origin) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      const [strayed, errors]: string[][] = [[], []];
      page.on('pageerror', (error) => errors!.push(error.message));
      page.on('console', (message) => message.type() === 'error' && errors!.push(message.text()));
      await page.route('**/*', (route) => {
        const url = route.request().url();
        if (url.startsWith(`${origin}/`) || url.startsWith('data:')) return route.continue();
        strayed!.push(url);
        return route.abort();
      });
      return { page, strayed: strayed!, errors: errors! };
    },
  };
}
