import { readData, saveFile } from './answer.ts';
import { type CommandLine, parseCommandLine } from './arguments.ts';
import { callOperator } from './call-operator.ts';
import type { CommandDescription } from './command-description.ts';
import { exitCodes } from './exit-codes.ts';
import { type Data, followParts } from './follow-parts.ts';
import { renderAnswer } from './table.ts';
import { judge } from './verdict.ts';

/** Runs an operator command and prints its answer. Returns the exit code. */
export async function runCommand(command: CommandDescription, args: string[]): Promise<number> {
  const line = parseCommandLine(command, args);
  if (command.fileTypes) {
    await callOperator(command.name, line, (answer) => saveFile(answer, line.out));
    return exitCodes.fine;
  }
  const data = await readAnswer(command, line);
  console.log(line.json ? JSON.stringify(data, null, 2) : renderAnswer(data, process.stdout.columns));
  if (!command.verdict) return exitCodes.fine;
  const { hasFault, text } = judge(command.verdict, data);
  // Standard output has only the JSON, for other programs.
  if (line.json) console.error(text);
  else console.log(`\n${text}`);
  return hasFault ? exitCodes.faultFound : exitCodes.fine;
}

/** All parts of a check, unless the user asks for one of them. */
function readAnswer({ name, parts }: CommandDescription, line: CommandLine): Promise<Data> {
  const call = (input: Data) => callOperator(name, { ...line, input }, readData) as Promise<Data>;
  const wantsOnePart = 'limit' in line.input || 'cursor' in line.input;
  return parts && !wantsOnePart ? followParts(parts, line.input, call, () => {}) : call(line.input);
}
