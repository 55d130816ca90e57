import { sampleUuid, sampleValues } from '#field-words';
import {
  type CommandDescription,
  flagOf,
  kindOf,
  positionalOf,
  propertiesOf,
  wordsOf,
} from '#platform/commands/command-description';

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
