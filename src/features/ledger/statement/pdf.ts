import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { LineView, Statement } from '../open-statement.ts';
import { closingHeightOf } from './draw-balances.ts';
import { drawPage } from './draw-page.ts';
import { openDrawing } from './drawing.ts';
import { planPages } from './plan-pages.ts';
import { takeLines } from './take-lines.ts';
import type { StatementStyle } from './writer.ts';

/** Some ten pages: worth a write to a socket. */
const chunkBytes = 32 * 1024;

/** A4, page by page: what is drawn is given out before more lines are read. */
export async function* writePdf(statement: Statement, style: StatementStyle): AsyncGenerator<Uint8Array> {
  const batches = takeLines(statement);
  let read: LineView[] = [];
  let balancesDrawn = 0;
  try {
    const drawing = await openDrawing(statement, style);
    const { writer, tables } = drawing;
    const plan = planPages({
      balances: drawing.balances.length,
      lines: statement.lineCount,
      hasAddress: statement.holderAddress !== null,
      closingHeight: closingHeightOf(drawing),
    });
    for (const [at, page] of plan.entries()) {
      while (read.length < page.lines) {
        const { value, done } = await batches.next();
        if (done) break;
        read = read.concat(value);
      }
      const balances = drawing.balances.slice(balancesDrawn, balancesDrawn + page.balances);
      balancesDrawn += page.balances;
      const lines = read.slice(0, page.lines);
      read = read.slice(page.lines);
      drawPage(drawing, { ...page, at, of: plan.length, balances, lines });
      const chunk = writer.take(chunkBytes);
      if (chunk) yield chunk;
      // A page takes a few milliseconds; others who wait for this process have their turn.
      await letOthersRun();
    }
    // To the end, where it is found out whether the lines were as many as the pages hold.
    await batches.next();
    if (tables.lines) writer.structure.close(tables.lines);
    yield* writer.finish();
  } finally {
    await batches.return(undefined);
  }
}
