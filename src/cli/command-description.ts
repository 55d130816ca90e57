import type { Command } from '#platform/commands/command';

/** What `causeway` needs to know of a command to describe it and to read its flags. */
export type CommandDescription = Pick<
  Command,
  'name' | 'summary' | 'fileTypes' | 'columns' | 'verdict' | 'parts'
> & {
  input: { required?: string[]; properties: object };
};

export interface PropertySchema {
  type?: string;
  anyOf?: PropertySchema[];
  items?: PropertySchema;
  enum?: string[];
  description?: string;
}

/** The words that a person types: `ledger verify`. */
export const wordsOf = ({ name }: Pick<CommandDescription, 'name'>) => name.replace('.', ' ');

export const propertiesOf = ({ input }: Pick<CommandDescription, 'input'>) =>
  input.properties as Record<string, PropertySchema>;

export function kindOf(schema: PropertySchema): string {
  return schema.type ?? schema.anyOf?.find((option) => option.type !== 'null')?.type ?? 'string';
}

export const hyphenated = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
