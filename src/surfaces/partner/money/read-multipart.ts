import { commonErrors } from '#platform/errors/errors';
import type { Form } from '#platform/pages/form';

/**
 * The fields of a form with files, by the parser of the platform's `fetch`; files as texts. Bytes that are
 * no UTF-8, and characters that no text has, become U+FFFD, which the API refuses.
 */
export async function readMultipart(body: Buffer, contentType: string): Promise<Form> {
  const request = new Response(new Uint8Array(body), { headers: { 'content-type': contentType } });
  const data = await request.formData().catch((cause: unknown) => {
    throw commonErrors.invalidRequest({ message: 'Form is malformed', cause });
  });
  const form = new Map<string, string[]>();
  for (const [name, value] of data.entries()) {
    const text = typeof value === 'string' ? value : await value.text();
    form.set(name, [...(form.get(name) ?? []), text.replaceAll('\0', '\ufffd')]);
  }
  return form;
}
