import { commonErrors } from '../errors/errors.ts';
import type { Form } from './form.ts';

/** The forms of our pages have fewer. Each part costs time that nobody else has meanwhile. */
const partsMax = 20;

const malformed = (cause?: unknown) => commonErrors.invalidRequest({ message: 'Form is malformed', cause });

/**
 * The fields of a form with files, by the parser of the platform's `fetch`; files as texts. Bytes that are
 * no UTF-8, and characters that no text has, become U+FFFD, which the API refuses. Files of the fields
 * `binary` are in base64.
 */
export async function readMultipart(
  body: Buffer,
  contentType: string,
  { binary = [] }: { binary?: readonly string[] } = {},
): Promise<Form> {
  requireFewParts(body, contentType);
  const request = new Response(new Uint8Array(body), { headers: { 'content-type': contentType } });
  const data = await request.formData().catch((cause: unknown) => {
    throw malformed(cause);
  });
  const form = new Map<string, string[]>();
  for (const [name, value] of data.entries()) {
    const text = typeof value === 'string' ? value : await readFile(value, binary.includes(name));
    const values = form.get(name) ?? [];
    values.push(text.replaceAll('\0', '\ufffd'));
    form.set(name, values);
  }
  return form;
}

const readFile = async (file: Blob, isBinary: boolean): Promise<string> =>
  isBinary ? Buffer.from(await file.arrayBuffer()).toString('base64') : file.text();

/** Counted before they are parsed. A boundary that could be read in two ways is refused. */
function requireFewParts(body: Buffer, contentType: string): void {
  const [, boundary = '', ...more] = contentType.split(/; *boundary=/i);
  if (more.length > 0 || !/^[\w'()+,./:=?-]{1,70}$/.test(boundary)) throw malformed();
  const mark = Buffer.from(`--${boundary}`);
  let parts = -1;
  for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) {
    parts += 1;
    if (parts > partsMax) throw commonErrors.invalidRequest({ message: 'Form has too many fields' });
  }
}
