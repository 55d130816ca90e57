import type { Detail } from '#platform/errors/errors';
import { type Content, type Html, html } from '#platform/http/html';

/** One field of a form that is made by hand. */
export interface Field {
  name: string;
  label: string;
  help?: Content;
  value?: string | undefined;
  required?: boolean;
  maxLength?: number;
  placeholder?: string;
  /** Value and label; makes the field a list to choose one from. */
  choices?: readonly (readonly [string, string])[];
  /** Makes the field a larger box. */
  rows?: number;
  /** Makes the field a file, of these types. */
  fileTypes?: string;
  inputMode?: 'decimal' | 'numeric' | 'email' | 'url';
}

/** Label, control, help, and the faults that the API found in this field. */
export function renderField(field: Field, faults: readonly Detail[] = []): Html {
  const { name, label, help } = field;
  const own = faults.filter((fault) => fault.field === name || fault.field.startsWith(`${name}.`));
  return html`<div class="field${own.length > 0 && ' wrong'}"><label for="field-${name}">${label}</label>
${renderControl(field, own.length > 0)}<div id="help-${name}" class="help">${help && html`<p>${help}</p>`}${own.map(
    ({ message }) => html`<p class="fault" lang="en">${message}</p>`,
  )}</div></div>`;
}

function renderControl(field: Field, isWrong: boolean): Html {
  const { name, value = '', required, maxLength, placeholder, choices, rows, fileTypes, inputMode } = field;
  const common = html`id="field-${name}" name="${name}" aria-describedby="help-${name}"${required && html` required`}${isWrong && html` aria-invalid="true"`}${maxLength !== undefined && html` maxlength="${maxLength}"`}`;
  if (choices)
    return html`<select ${common}>${choices.map(
      ([each, label]) => html`<option value="${each}"${each === value && html` selected`}>${label}</option>`,
    )}</select>`;
  if (rows !== undefined)
    return html`<textarea ${common} rows="${rows}" spellcheck="false" placeholder="${placeholder}">${value}</textarea>`;
  if (fileTypes !== undefined) return html`<input type="file" ${common} accept="${fileTypes}">`;
  return html`<input type="text" ${common} value="${value}" placeholder="${placeholder}" autocomplete="off" spellcheck="false"${inputMode && html` inputmode="${inputMode}"`}>`;
}

/** Tick boxes with one name. */
export function renderChoices(
  { name, label, help, choices }: Required<Pick<Field, 'name' | 'label' | 'choices'>> & { help?: Content },
  chosen: readonly string[],
): Html {
  return html`<fieldset><legend>${label}</legend>${choices.map(
    ([value, words]) =>
      html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"${chosen.includes(value) && html` checked`}> ${words}</label>`,
  )}${help && html`<div class="help"><p>${help}</p></div>`}</fieldset>`;
}
