import { sampleUuid, sampleValues, usualWords } from '#field-words';
import type { Command } from '#platform/commands/command';
import {
  choicesOf,
  isFile,
  kindOf,
  type PropertySchema,
  propertiesOf,
  shapeOf,
} from '#platform/commands/command-description';
import { wordsOfField } from '#platform/commands/values';
import type { Detail } from '#platform/errors/errors';
import { formOf } from '#platform/http/forms';
import { type Content, type Html, html } from '#platform/http/html';
import type { Reader } from '../visit.ts';
import { clearName, itemOf, type Typed } from './read-form.ts';

export interface FormState {
  typed: Typed;
  faults: readonly Detail[];
  example: Record<string, unknown>;
}

/** Stored encrypted: what was typed is never sent back in a page that somebody may look at. */
export const secretFields: readonly string[] = ['documentNumber', 'taxId'];

interface Limits extends PropertySchema {
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  default?: unknown;
}

/** Label, help, faults and control of each field of a command. */
export function renderFields({ words, language }: Reader, command: Command, state: FormState): Html {
  const fields = Object.entries(propertiesOf(command));
  if (fields.length === 0) return html`<p class="soft">${words.form.noFields}</p>`;
  const required = new Set(command.input.required);
  return html`<div lang="en" class="fields">${fields.map(([field, schema]) =>
    renderField({ words, language, state, field, schema, isRequired: required.has(field) }),
  )}</div>`;
}

interface Field extends Pick<Reader, 'words' | 'language'> {
  state: FormState;
  field: string;
  schema: Limits;
  isRequired: boolean;
}

function renderField(given: Field): Html {
  const { words, language, state, field, schema, isRequired } = given;
  const own = state.faults.filter((fault) => fault.field.split('.')[0] === field);
  const faults = own.map(
    ({ field: place, message }) => html`<p class="fault">${place === field ? '' : `${place} `}${message}</p>`,
  );
  const name = html`${wordsOfField(field)}${isRequired && html` <small lang="${language}">(${words.form.required})</small>`}`;
  const help = html`<div id="help-${field}" class="help">${helpOf(given).map((text) => html`<p>${text}</p>`)}${faults}</div>`;
  const clear =
    isNullable(schema) &&
    !isRequired &&
    html`<label class="choice" lang="${language}"><input type="checkbox" name="${clearName(field)}" value="1"${state.typed.has(clearName(field)) && html` checked`}> ${words.form.clear}</label>`;
  const choices = choicesOf(schema);
  if (kindOf(schema) === 'array' && choices.length > 0)
    return html`<fieldset aria-describedby="help-${field}"><legend>${name}</legend>${choices.map((choice) => renderChoice(given, choice))}${help}</fieldset>`;
  return html`<div class="field${own.length > 0 && ' wrong'}"><label for="field-${field}">${name}</label>
${renderControl(given, own.length > 0)}${help}${clear}</div>`;
}

const isNullable = ({ anyOf = [] }: PropertySchema) => anyOf.some(({ type }) => type === 'null');

function renderChoice({ field, state }: Field, choice: string): Html {
  const isChosen = state.typed.get(field)?.includes(choice) ?? false;
  return html`<label class="choice"><input type="checkbox" name="${field}" value="${choice}"${isChosen && html` checked`}> ${choice}</label>`;
}

function renderControl(given: Field, isWrong: boolean): Html {
  const { field, schema, state, words, isRequired } = given;
  const typed = secretFields.includes(field) ? '' : (state.typed.get(field) ?? []).join('\n');
  const kind = kindOf(schema);
  const common = html`id="field-${field}" name="${field}" aria-describedby="help-${field}"${isRequired && html` required`}${isWrong && html` aria-invalid="true"`}`;
  const choices = kind === 'boolean' ? ['true', 'false'] : choicesOf(plainOf(schema));
  if (choices.length > 0) {
    const shown: Record<string, string> = { true: words.form.yes, false: words.form.no };
    const option = (value: string) =>
      html`<option value="${value}"${value === typed && html` selected`}>${(kind === 'boolean' && shown[value]) || value}</option>`;
    return html`<select ${common}><option value="">${words.form.choose}</option>${choices.map(option)}</select>`;
  }
  if (isFile(schema))
    return html`<input type="file" hidden data-file-for="field-${field}" aria-label="${words.form.chooseFile}"><textarea ${common} rows="3" spellcheck="false">${typed}</textarea>`;
  if (shapeOf(schema))
    return html`<textarea ${common} class="code" rows="8" spellcheck="false" placeholder="${exampleOf(given)}">${typed}</textarea>`;
  if (kind === 'array')
    return html`<textarea ${common} rows="3" spellcheck="false" placeholder="${exampleOf(given)}">${typed}</textarea>`;
  const { maxLength } = plainOf(schema);
  const isNumber = kind === 'integer' || kind === 'number';
  const limits = [
    maxLength !== undefined && html` maxlength="${maxLength}"`,
    isNumber && html` inputmode="numeric"`,
  ];
  return html`<input type="text" ${common}${limits} value="${typed}" placeholder="${exampleOf(given)}" autocomplete="off" spellcheck="false">`;
}

/** The schema of a value that is not null. */
const plainOf = (schema: Limits): Limits =>
  schema.type ? schema : ((schema.anyOf?.find(({ type }) => type !== 'null') as Limits) ?? schema);

/** One value, or a list of them as JSON or line by line. */
function exampleOf({ field, schema, state }: Field): string {
  const recorded = state.example[field];
  if (shapeOf(schema)) return recorded === undefined ? '' : JSON.stringify(recorded, null, 2);
  if (Array.isArray(recorded)) return recorded.join('\n');
  return sampleValues[field] ?? (field.endsWith('Id') && field !== 'keyId' ? sampleUuid : '');
}

function helpOf({ field, schema, words }: Field): Content[] {
  const plain = plainOf(schema);
  const described = schema.description ?? (choicesOf(plain).length > 0 ? undefined : usualWords[field]);
  const { minimum, maximum } = plain;
  const form = described?.startsWith('UUID') ? undefined : formOf(plain.pattern);
  const kind = kindOf(schema);
  return [
    described && tidy(described),
    !described && form && tidy(form.replace('must be', 'Must be')),
    plain.format === 'date-time' && !described?.includes('such as') && 'Such as 2026-01-31T12:00:00Z',
    minimum !== undefined && maximum !== undefined && `From ${minimum} to ${maximum}`,
    isFile(schema) && words.form.base64,
    kind === 'array' && !shapeOf(schema) && choicesOf(schema).length === 0 && words.form.lines,
    shapeOf(schema) && renderShape(words.form.json, schema),
    choicesOf(schema).length === 0 && itemOf(schema).enum?.join(', '),
  ].filter((text) => text);
}

const tidy = (text: string) => text.replaceAll('`', '');

function renderShape(label: string, schema: PropertySchema): Html {
  const { properties = {}, required = [] } = shapeOf(schema)!;
  const rows = Object.entries(properties).map(([name, { description, type, enum: choices }]) => {
    const words = [description && tidy(description), choices?.join(', ')].filter((text) => text).join('. ');
    return html`<li><code>${name}</code> ${required.includes(name) ? '*' : ''} ${words || usualWords[name] || type}</li>`;
  });
  return html`<details><summary>${label} ${Object.keys(properties).length}</summary><ul>${rows}</ul></details>`;
}
