import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { waitUntil } from '../wait-until.ts';

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Rules whose verdict colours may change: all others say the same in the dark. */
const colourRules = ['color-contrast', 'link-in-text-block'];
const looks = [
  { width: 1440, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark', rules: colourRules },
  { width: 360, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light', rules: colourRules },
] as const;

/**
 * What is wrong with the page that is open, light and dark, on a telephone and on a large screen: findings of
 * axe, and whether it is wider than the screen. Most of the CPU is loading axe, which happens once.
 */
export async function findPageFaults(page: Page): Promise<object[]> {
  const size = page.viewportSize()!;
  const faults: object[] = [];
  await page.evaluate(axeSource);
  for (const { width, colorScheme, ...only } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: size.height });
    // A busy browser may still show the colours before.
    const isShown = `matchMedia('(prefers-color-scheme: ${colorScheme})').matches`;
    await waitUntil('the colours change', () => page.evaluate<boolean>(isShown));
    await page.evaluate(twoFrames);
    const found = await page.evaluate<object[]>(scan('rules' in only ? only.rules : undefined));
    faults.push(...found.map((fault) => ({ width, colorScheme, ...fault })));
  }
  await page.setViewportSize(size);
  return faults;
}

// As text: TypeScript knows no browser here.
const twoFrames =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))';

function scan(rules: readonly string[] | undefined): string {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  return `axe.run(${JSON.stringify(options)}).then(({ violations }) => [
    ...violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) })),
    ...(document.documentElement.scrollWidth > innerWidth ? [{ id: 'wider than the screen' }] : []),
  ])`;
}
