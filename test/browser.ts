import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import chromium, { inflate } from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';

export interface TestBrowser {
  /** A page that may reach only `origin`, and those of `others`; every other address it asked for is in `strayed`. */
  open(origin: string, options?: OpenOptions): Promise<{ page: Page; strayed: string[]; errors: string[] }>;
}

export interface OpenOptions extends BrowserContextOptions {
  others?: readonly string[];
}

/** A real Chromium that came with npm; no system browser is needed. */
export function useBrowser(): TestBrowser {
  let browser: Browser;
  before(async () => {
    const folder = await unpackBrowser();
    browser = await playwright.launch({
      executablePath: path.join(folder, 'chromium'),
      // Root cannot have Chromium's own sandbox; the pages are ours. Web security stays on, unlike in the package's flags.
      args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-component-update', '--disable-sync'],
      // A small machine lacks some of Chromium's libraries; the package has them.
      env: {
        ...process.env,
        LD_LIBRARY_PATH: [process.env.LD_LIBRARY_PATH, path.join(folder, 'al2023/lib')].join(':'),
      },
      timeout: 60_000,
    });
  });
  after(() => browser?.close());
  return {
    async open(origin, { others = [], ...options } = {}) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
      const strayed: string[] = [];
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      await page.route('**/*', (route) => {
        const url = route.request().url();
        if ([origin, ...others].some((known) => url.startsWith(`${known}/`)) || url.startsWith('data:'))
          return route.continue();
        strayed.push(url);
        return route.abort();
      });
      return { page, strayed, errors };
    },
  };
}

/**
 * Unpacked once for a checkout. The package would use the machine's shared temporary folder, where it runs whatever it finds
 * under its name, another person's copy included.
 */
async function unpackBrowser(): Promise<string> {
  const cache = path.resolve(import.meta.dirname, '../node_modules/.cache');
  const origin = path.resolve(path.dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..');
  const { version } = JSON.parse(readFileSync(path.join(origin, 'package.json'), 'utf8'));
  const folder = path.join(cache, `causeway-browser-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const partial = mkdtempSync(`${folder}.partial-`);
  const temporary = process.env.TMPDIR;
  process.env.TMPDIR = partial;
  try {
    await chromium.executablePath();
    await inflate(path.join(origin, 'bin/al2023.tar.br'));
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another test file may have unpacked it meanwhile.
    if (!existsSync(folder)) throw error;
  } finally {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
  }
  return folder;
}
