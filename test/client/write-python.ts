import type { ClientDocument } from './prune-document.ts';
import { classOf, type Row, rowsByCode } from './write-errors.ts';

/** A JSON schema, as far as the reference uses it. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: (string | null)[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** The schemas as TypedDicts; a nested object becomes one named by its place. */
export function writePythonTypes({ components }: ClientDocument): string {
  const texts: string[] = [];
  const spell = (name: string, schema: Schema): string => {
    if (schema.$ref) return schema.$ref.split('/').at(-1)!;
    const several = schema.anyOf ?? schema.oneOf;
    if (several) return several.map((one, at) => spell(`${name}${at + 1}`, one)).join(' | ');
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    const kinds = [schema.type ?? []].flat();
    const spelled = kinds.filter((kind) => kind !== 'null').map((kind) => spellKind(name, kind, schema));
    return [...spelled, ...(kinds.includes('null') ? ['None'] : [])].join(' | ') || 'Any';
  };
  const spellKind = (name: string, kind: string, schema: Schema): string => {
    if (kind === 'object' && schema.properties) {
      writeObject(name, schema);
      return name;
    }
    if (kind === 'array') return `list[${spell(`${name}Item`, schema.items ?? {})}]`;
    const values = schema.enum?.filter((value) => value !== null);
    if (values) return `Literal[${values.map(literal).join(', ')}]`;
    return plainKinds[kind] ?? 'Any';
  };
  const writeObject = (name: string, { properties = {}, required = [] }: Schema): void => {
    const lines = Object.entries(properties).map(([field, schema]) => {
      const spelled = spell(name + capitalize(field), schema);
      return `    ${field}: ${required.includes(field) ? spelled : `NotRequired[${spelled}]`}\n`;
    });
    texts.push(`class ${name}(TypedDict):\n${lines.join('') || '    pass\n'}`);
  };
  for (const [name, schema] of Object.entries(components.schemas)) {
    if (schema.properties) writeObject(name, schema);
    else texts.push(`${name} = ${spell(name, schema)}\n`);
  }
  return `${header}from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union

${texts.map((text) => text.replace(/^(\w+) = (.*)$/m, asUnion)).join('\n\n')}`;
}

/** An alias is evaluated at once, before the classes that it names are there, so they are texts. */
const asUnion = (_text: string, name: string, spelled: string) =>
  `${name} = Union[${spelled
    .split(' | ')
    .map((one) => `"${one}"`)
    .join(', ')}]`;

/** One class for each row of the error tables. */
export function writePythonErrors(document: ClientDocument, common: readonly Row[]): string {
  const rows = rowsByCode(document, common);
  const classes = rows.map(
    ({ code, words }) => `class ${classOf(code)}(CausewayError):\n    """${words}"""\n`,
  );
  const table = rows.map(({ code }) => `    "${code}": ${classOf(code)},\n`).join('');
  return `${header}from ..base_error import CausewayError

${classes.map((text) => `\n${text}`).join('\n')}

ERROR_CLASSES: dict[str, type[CausewayError]] = {
${table}}
`;
}

const header = '# Written by `npm run client` from the API reference. Do not edit.\n\n';
const plainKinds: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  object: 'dict[str, Any]',
};
const literal = (value: unknown) =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
const capitalize = (field: string) =>
  field
    .split('_')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('');
