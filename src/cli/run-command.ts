import { type CommandDescription, wordsOf } from '#platform/commands/command-description';
import { describeOutlook, judge } from '#platform/commands/verdict';
import { bad, good } from '#platform/values/text-style';
import { type Answer, readData, saveFile } from './answer.ts';
import { type CommandLine, type Format, parseCommandLine } from './arguments.ts';
import { callOperator } from './call-operator.ts';
import { renderChecklist } from './checklist.ts';
import { renderCsv } from './csv.ts';
import { exitCodes } from './exit-codes.ts';
import { type Data, followParts } from './follow-parts.ts';
import { type Progress, withProgress } from './progress.ts';
import { renderAnswer, rowsOf } from './render-answer.ts';
import { fitLines } from './view.ts';

/** Runs an operator command and prints its answer. Returns the exit code. */
export async function runCommand(command: CommandDescription, args: string[]): Promise<number> {
  const line = parseCommandLine(command, args);
  if (command.fileTypes) {
    const save = () => callOperator(command, line, (answer) => saveFile(command, answer, line.out));
    // On a terminal the file itself may be the output.
    const written = await (line.out === '-' ? save() : withProgress(wordsOf(command), save));
    if (written !== undefined) console.log(fitLines(`Wrote ${written}.`, process.stdout));
    return exitCodes.fine;
  }
  const { data, waits } = await withProgress(wordsOf(command), (progress) =>
    readAnswer(command, line, progress),
  );
  console.log(render(command, data, line.format));
  if (waits) {
    const todo = `another operator must run causeway approvals decide ${data.id} approve`;
    console.error(`\n${fitLines(`Not run yet: ${todo}.`, process.stderr)}`);
    return exitCodes.waits;
  }
  const { verdict, outlook } = command;
  if (outlook) printLast(line.format, describeOutlook(outlook, data));
  if (!verdict) return exitCodes.fine;
  const { hasFault, isUnfinished, text } = judge(verdict, data);
  printLast(line.format, text, hasFault ? bad : isUnfinished ? undefined : good);
  return hasFault ? exitCodes.faultFound : exitCodes.fine;
}

/** For other programs, standard output has only the data. */
function printLast(format: Format, text: string, colour = (plain: string) => plain): void {
  if (format === 'json' || format === 'csv') console.error(text);
  else console.log(`\n${colour(fitLines(text, process.stdout))}`);
}

function render({ columns, parts, isChecklist }: CommandDescription, data: Data, format: Format): string {
  if (format === 'json') return JSON.stringify(data, null, 2);
  if (format === 'csv') return renderCsv(rowsOf(data) ?? [data]);
  // A pipe has no width.
  const { isTTY, columns: width = Number.POSITIVE_INFINITY } = process.stdout;
  // After the last part of a check, where the next one starts says nothing.
  const { [parts?.output ?? '']: next, ...others } = data;
  const shown = next === null ? others : data;
  if (isChecklist) return renderChecklist(data, width);
  return renderAnswer(shown, { width, isWide: format === 'wide' || !isTTY, now: new Date() }, columns);
}

/** All parts of a check, unless the user asks for one of them. */
async function readAnswer(
  command: CommandDescription,
  line: CommandLine,
  progress: Progress,
): Promise<{ data: Data; waits: boolean }> {
  const { parts } = command;
  let waits = false;
  const read = (answer: Answer) => {
    // The command is stored for a second operator.
    waits = answer.status === 202;
    return readData(command, answer) as Promise<Data>;
  };
  const call = (input: Data) => callOperator(command, { ...line, input }, read);
  const wantsOnePart = 'limit' in line.input || 'cursor' in line.input;
  const data =
    !parts || wantsOnePart
      ? await call(line.input)
      : await followParts(parts, line.input, call, (known) =>
          progress.step(`${wordsOf(command)}: ${describeCounts(known)}`),
        );
  return { data, waits };
}

/** What a check has counted so far: `users 150, lines 3000`. */
function describeCounts(known: Data): string {
  const counts = Object.entries(known).filter(([, value]) => typeof value === 'number');
  return counts.map(([name, value]) => `${name} ${value}`).join(', ');
}
