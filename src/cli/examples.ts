import { sampleUuid, sampleValues } from '#field-words';
import {
  type CommandDescription,
  flagOf,
  kindOf,
  positionalOf,
  propertiesOf,
  wordsOf,
} from '#platform/commands/command-description';
import { textWidth } from './text-width.ts';

/** Command lines that work as they are: those of the entry, or one with the required fields. */
export function examplesOf(command: CommandDescription): string[] {
  const { examples = [composeExample(command)] } = command;
  return examples.map((args) => `causeway ${wordsOf(command)} ${args}`.trimEnd());
}

function composeExample(command: CommandDescription): string {
  const properties = propertiesOf(command);
  const places = positionalOf(command);
  const required = command.input.required ?? [];
  const flagged = required.filter((field) => !places.includes(field));
  const sampleOf = (field: string) =>
    properties[field]?.enum?.[0] ??
    quoted(sampleValues[field]) ??
    (field.endsWith('Id') ? sampleUuid : `<${field}>`);
  return [
    ...places.filter((field) => required.includes(field)).map(sampleOf),
    ...flagged.map((field) =>
      kindOf(properties[field]!) === 'boolean' ? flagOf(field) : `${flagOf(field)} ${sampleOf(field)}`,
    ),
  ].join(' ');
}

/** For a shell. */
const quoted = (text: string | undefined) => (text?.includes(' ') ? `'${text}'` : text);

/**
 * An example in lines of at most `width` columns, which a shell still reads as the same command: broken
 * between words, and in a long JSON argument after commas, where JSON allows it.
 */
export function wrapExample(example: string, width: number): string[] {
  if (textWidth(example) <= width) return [example];
  const further = '  ';
  const lines: string[] = [];
  for (const unit of unitsOf(example, width - further.length - 2)) {
    const last = lines.at(-1);
    // A line that goes on ends with a space and a backslash.
    if (last !== undefined && textWidth(`${last} ${unit}`) <= width - 2)
      lines[lines.length - 1] = `${last} ${unit}`;
    else lines.push(lines.length === 0 ? unit : further + unit);
  }
  return lines.flatMap((line, at) => {
    const end = at < lines.length - 1 ? ' \\' : '';
    const pieces = breakJson(line, width - 2);
    return pieces.map((piece, place) => (place < pieces.length - 1 ? piece : piece + end));
  });
}

/** Words of a shell, each flag with its value if both fit into a line. */
function unitsOf(example: string, width: number): string[] {
  const words = example.match(/(?:[^\s']|'[^']*')+/g) ?? [];
  const units: string[] = [];
  for (const word of words) {
    const last = units.at(-1);
    const isValue = last?.startsWith('--') && !last.includes(' ') && !word.startsWith('--');
    const both = `${last} ${word}`;
    if (isValue && (isJson(both) || textWidth(both) <= width)) units[units.length - 1] = both;
    else units.push(word);
  }
  return units;
}

const isJson = (line: string) => /'[[{]/.test(line);

function breakJson(line: string, width: number): string[] {
  if (textWidth(line) <= width || !isJson(line)) return [line];
  const lines: string[] = [];
  for (const field of line.split(/(?<=,)(?=["{])/)) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last + field) <= width) lines[lines.length - 1] = last + field;
    else lines.push(lines.length === 0 ? field : `    ${field}`);
  }
  return lines;
}
