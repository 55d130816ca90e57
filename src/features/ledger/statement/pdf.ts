import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { LineType, LineView, Statement } from '../open-statement.ts';
import { drawPage, title } from './draw-page.ts';
import { createPageWriter } from './page-writer.ts';
import { planPages } from './plan-pages.ts';
import { takeLines } from './take-lines.ts';

/** Some ten pages: worth a write to a socket. */
const chunkBytes = 32 * 1024;

/** A4, page by page: what is drawn is given out before more lines are read. */
export async function* writePdf(
  statement: Statement,
  types: readonly LineType[],
): AsyncGenerator<Uint8Array> {
  const writer = createPageWriter({ title, madeAt: statement.madeAt });
  const plan = planPages({ balances: statement.balances.length, lines: statement.lineCount });
  const batches = takeLines(statement);
  let read: LineView[] = [];
  let balancesDrawn = 0;
  try {
    for (const [at, { balances: balanceCount, lines: lineCount, startsLines }] of plan.entries()) {
      while (read.length < lineCount) {
        const { value, done } = await batches.next();
        if (done) break;
        read = read.concat(value);
      }
      const balances = statement.balances.slice(balancesDrawn, balancesDrawn + balanceCount);
      balancesDrawn += balanceCount;
      const lines = read.slice(0, lineCount);
      read = read.slice(lineCount);
      drawPage(writer, statement, { at, of: plan.length, startsLines, balances, lines, types });
      writer.finishPage();
      const chunk = writer.take(chunkBytes);
      if (chunk) yield chunk;
      // A page takes a few milliseconds; others who wait for this process have their turn.
      await letOthersRun();
    }
    // To the end, where it is found out whether the lines were as many as the pages hold.
    await batches.next();
  } finally {
    await batches.return(undefined);
  }
  writer.finish();
  yield writer.take(1)!;
}
