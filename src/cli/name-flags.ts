import { type CommandDescription, flagOf, propertiesOf } from '#platform/commands/command-description';

export interface Refused {
  error: string;
  details?: { field: string; message: string }[];
}

const nothingToChange = 'Nothing to change: give at least one more flag.';

/** A refusal in the words of the command line: `userId must be …` becomes `--user-id must be …`. */
export function nameFlags(command: CommandDescription, { error, details = [] }: Refused): string {
  const fields = Object.keys(propertiesOf(command));
  const rename = (text: string) => {
    const [, field = '', rest = ''] = /^([A-Za-z]+)(.*)$/s.exec(text) ?? [];
    return fields.includes(field) ? flagOf(field) + rest : text;
  };
  // Only if the server says so does a sentence start with a field: "network is halted" does not.
  const [first] = details;
  const startsWithField =
    /^[A-Za-z]+([[.:]| must )/.test(error) || (first && error.startsWith(first.field.split('.')[0]!));
  if (/^body must have at least \d+ fields$/.test(error)) return nothingToChange;
  const others = details.slice(1).map(({ field, message }) => rename(`${field} ${message}`));
  return [startsWithField ? rename(error) : error, ...others].join('\n');
}
