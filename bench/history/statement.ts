import { setTimeout as sleep } from 'node:timers/promises';
import { historyPolicy } from '../../src/surfaces/history/routes.ts';
import { median } from '../measure.ts';
import { messageOf, startProcess, stopProcess } from '../withdrawals/world.ts';
import type { ServerReport } from './server.ts';
import type { HistoryWorld } from './world.ts';

const csvLines = 1_000_000;
const pdfLines = 10_000;
const runs = 3;

/** Files over the real route, from a separate process, read here as fast as they come. */
export async function measureStatement(world: HistoryWorld): Promise<void> {
  const server = await startProcess('../history/server.ts', { databaseUrl: world.databaseUrl });
  const report = async () => {
    server.send('report');
    return (await messageOf(server)) as ServerReport;
  };
  try {
    const { port } = await report();
    const read = async (format: string, { search, lines }: { search: string; lines: number }) => {
      await sleep(historyPolicy.windowMs);
      const before = await report();
      const startedAt = performance.now();
      const size = await readFile(
        world,
        `http://127.0.0.1:${port}/api/history/statement?format=${format}&${search}`,
      );
      const seconds = (performance.now() - startedAt) / 1000;
      const { rssMax } = await report();
      return { ...size, lines, seconds, grown: rssMax - before.rss, rss: before.rss };
    };
    const [many, few] = [await windowOf(world, csvLines), await windowOf(world, pdfLines)];
    // So that the code is compiled and its memory counted before.
    await read('csv', few);
    const csvs = [];
    for (let run = 0; run < runs; run++) {
      const csv = await read('csv', many);
      if (csv.newlines !== many.lines + 1) throw new Error(`the file has ${csv.newlines} lines`);
      csvs.push(csv);
    }
    const rate = median(csvs.map(({ seconds }) => many.lines / seconds));
    const grown = csvs.map((csv) => `${Math.round(csv.grown)} over ${Math.round(csv.rss)}`).join(', ');
    const megabytes = Math.round(csvs[0]!.bytes / 1e6);
    console.log(`CSV of ${many.lines} lines, ${megabytes} MB: ${Math.round(rate)} lines/s (goal: 100000)`);
    console.log(`… the process grew by ${grown} MB of memory (goal: less than 100)`);
    const pdfs = [];
    for (let run = 0; run < runs; run++) pdfs.push(await read('pdf', few));
    const seconds = median(pdfs.map((pdf) => pdf.seconds));
    const ofPdf = pdfs.map((pdf) => `${Math.round(pdf.grown)} over ${Math.round(pdf.rss)}`).join(', ');
    console.log(
      `PDF of ${few.lines} lines, ${(pdfs[0]!.bytes / 1e6).toFixed(1)} MB: ${seconds.toFixed(1)} s (goal: less than 2); grew by ${ofPdf} MB`,
    );
    for (const format of ['xlsx', 'camt053', 'ofx']) {
      const files = [];
      for (let run = 0; run < runs; run++) files.push(await read(format, few));
      const took = median(files.map((file) => file.seconds));
      const size = (files[0]!.bytes / 1e6).toFixed(1);
      console.log(`${format} of ${few.lines} lines, ${size} MB: ${took.toFixed(1)} s`);
    }
  } finally {
    await stopProcess(server);
  }
}

/**
 * A window with at least so many lines of the big user, in the middle of the list: equal instants are in it
 * together.
 */
async function windowOf(
  { db, bigUser }: HistoryWorld,
  wanted: number,
): Promise<{ search: string; lines: number }> {
  const [row] = await db.query<{ startAt: Date; endAt: Date; lines: number }>(
    `with list as (select id from ledger_lists where user_id = $1 and is_settled),
     placed as materialized (
       select l.transaction_at as at, row_number() over (order by l.transaction_at) as place
       from ledger_lines l where l.list_id = (select id from list)),
     edge as materialized (
       select min(at) as start_at, max(at) as end_at from placed where place between 1000001 and 1000000 + $2::bigint)
     select start_at as "startAt", end_at as "endAt",
       (select count(*)::integer from placed where at between start_at and end_at) as lines
     from edge`,
    [bigUser, wanted],
  );
  const { startAt, endAt, lines } = row!;
  const search = new URLSearchParams({ startDate: startAt.toISOString(), endDate: endAt.toISOString() });
  return { search: search.toString(), lines };
}

async function readFile({ key }: HistoryWorld, url: string): Promise<{ bytes: number; newlines: number }> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key.token}` } });
  if (response.status !== 200) throw new Error(await response.text());
  let [bytes, newlines] = [0, 0];
  for await (const chunk of response.body!) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) newlines += 1;
  }
  return { bytes, newlines };
}
