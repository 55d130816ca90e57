import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Rules whose verdict colours may change: all others say the same in the dark. */
const colourRules = ['color-contrast', 'link-in-text-block'];
const looks = [
  { width: 1440, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark', rules: colourRules },
  { width: 360, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light', rules: colourRules },
] as const;
/** Another language than English has the same colours, and other words. */
const looksOfWords = [{ width: 1440, colorScheme: 'light', rules: ['html-has-lang'] }, looks[2]] as const;

/**
 * What is wrong with the page that is open: findings of axe, and whether it is wider than the screen. It is
 * looked at light and dark, 360 and 1440 px wide; in another language than English, in one colour.
 */
export async function findPageFaults(page: Page): Promise<object[]> {
  const size = page.viewportSize()!;
  const faults: object[] = [];
  await page.evaluate(axeSource);
  const isEnglish = await page.evaluate<boolean>('/^en\\b/.test(document.documentElement.lang)');
  for (const { width, colorScheme, ...only } of isEnglish ? looks : looksOfWords) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: size.height });
    const found = await page.evaluate<object[]>(scan('rules' in only ? only.rules : undefined));
    faults.push(...found.map((fault) => ({ width, colorScheme, ...fault })));
  }
  await page.setViewportSize(size);
  return faults;
}

/** As text: TypeScript knows no browser here. */
function scan(rules: readonly string[] | undefined): string {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  return `axe.run(${JSON.stringify(options)}).then(({ violations }) => [
    ...violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) })),
    ...(document.documentElement.scrollWidth > innerWidth ? [{ id: 'wider than the screen' }] : []),
  ])`;
}
