import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { after, before, type TestContext, type TestOptions, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  type Browser,
  type BrowserContextOptions,
  type LaunchOptions,
  type Page,
  chromium as playwright,
} from 'playwright-core';
import { findBrowser, howToGetBrowser } from './find-browser.ts';

export interface TestBrowser {
  /** A page that may reach only `origin` and `others`; requests to any other address are in `strayed`. */
  open(origin: string, options?: OpenOptions): Promise<{ page: Page; strayed: string[]; errors: string[] }>;
}

export interface OpenOptions extends BrowserContextOptions {
  others?: readonly string[];
}

const found = findBrowser();
const missing = `No browser found. ${howToGetBrowser}`;
// CI sets the variable, so that a run without a browser fails there instead of passing with fewer tests.
const isRequired = process.env.CAUSEWAY_REQUIRE_BROWSER === '1';

type Work = (t: TestContext) => void | Promise<void>;

/** A test that opens pages. Without a browser it is reported as skipped, with how to get one. */
export function browserTest(title: string, ...args: [Work] | [TestOptions, Work]): void {
  const [options, work] = args.length === 1 ? [{}, args[0]] : args;
  void test(title, { ...options, skip: found || isRequired ? false : missing }, work);
}

/**
 * A real Chromium: the packaged one on Linux x64, elsewhere an installed browser. Use it in `browserTest`.
 */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  before(async () => {
    if (!found && isRequired) throw new Error(missing);
    if (found)
      browser = await launch(found.packaged ? await packagedBrowser() : { executablePath: found.path });
  });
  after(() => browser?.close());
  return {
    async open(origin, { others = [], ...options } = {}) {
      if (!browser)
        throw new Error('Open pages in a browserTest, which is skipped where there is no browser.');
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
      // For a busy machine.
      page.setDefaultTimeout(120_000);
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

function launch(options: LaunchOptions): Promise<Browser> {
  return playwright.launch({
    ...options,
    // Chromium's own sandbox does not work as root, and the pages are ours. Web security stays on.
    args: [
      '--no-sandbox',
      '--no-zygote',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    timeout: 60_000,
  });
}

async function packagedBrowser(): Promise<LaunchOptions> {
  const folder = await unpackBrowser();
  // A small machine lacks some of Chromium's libraries; the package has them.
  const libraries = [process.env.LD_LIBRARY_PATH, path.join(folder, 'al2023/lib')].join(':');
  return {
    executablePath: path.join(folder, 'chromium'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
  };
}

/**
 * Unpacked once for a checkout. The package would use the machine's shared temporary folder, where it runs
 * whatever has its name, including another person's copy.
 */
async function unpackBrowser(): Promise<string> {
  const { default: chromium, inflate } = await import('@sparticuz/chromium');
  const cache = path.resolve(import.meta.dirname, '../../node_modules/.cache');
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
