import { commonErrors, invalidField } from '../errors/errors.ts';

export const formBytesMax = 4 * 1024;
const usualFieldsMax = 20;

export type Form = ReadonlyMap<string, readonly string[]>;

/** Strict `application/x-www-form-urlencoded`: invalid UTF-8 is refused, not replaced. */
export function parseForm(body: string, fieldsMax = usualFieldsMax): Form {
  const form = new Map<string, string[]>();
  const pairs = body === '' ? [] : body.split('&');
  if (pairs.length > fieldsMax) throw commonErrors.invalidRequest({ message: 'Form has too many fields' });
  for (const pair of pairs) {
    const [name, value = '', ...more] = pair.split('=').map(decode);
    if (name === undefined || name === '' || more.length > 0)
      throw commonErrors.invalidRequest({ message: 'Form is malformed' });
    form.set(name, [...(form.get(name) ?? []), value]);
  }
  return form;
}

/** The form that a browser sent; empty without a body. */
export const formIn = ({ body }: { body: unknown }): Form => (body instanceof Map ? body : new Map());

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw commonErrors.invalidRequest({ message: 'Form is not valid UTF-8' });
  }
}

/** A form has exactly the fields of its page. */
export function requireFields(form: Form, known: readonly string[]): void {
  for (const name of form.keys())
    if (!known.includes(name)) throw invalidField('form', 'has an unknown field');
}

/** A field that may occur once; empty if it is absent. */
export function readField(form: Form, name: string): string {
  const values = form.get(name) ?? [];
  if (values.length > 1) throw invalidField(name, 'is given more than once');
  return values[0] ?? '';
}
