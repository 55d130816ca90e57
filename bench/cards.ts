import { measureFind } from './cards/find.ts';
import { measurePages } from './cards/pages.ts';
import { seedCards } from './cards/seed.ts';
import { measureSummary } from './cards/summary.ts';
import { measureTexts } from './cards/texts.ts';
import { createCardWorld } from './cards/world.ts';
import { measureWriting } from './cards/writing.ts';
import type { Bench } from './measure.ts';

const allParts = {
  pages: measurePages,
  texts: measureTexts,
  find: measureFind,
  summary: measureSummary,
  writing: measureWriting,
};

/**
 * Reading and writing card history: a user with a million transactions beside three thousand with a hundred
 * each.
 */
export const run: Bench = async ({ parts, ...given }) => {
  const unknown = parts.find((part) => !Object.hasOwn(allParts, part));
  if (unknown) throw new Error(`no part ${unknown}: ${Object.keys(allParts).join(', ')}`);
  const world = await createCardWorld(given);
  try {
    const startedAt = Date.now();
    await seedCards(world);
    console.log(`seeded in ${Math.round((Date.now() - startedAt) / 1000)} s`);
    for (const [name, measure] of Object.entries(allParts)) {
      if (parts.length === 0 || parts.includes(name)) await measure(world);
    }
  } finally {
    await world.stop();
  }
};
