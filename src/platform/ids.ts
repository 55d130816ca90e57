/** The canonical 36 characters only. PostgreSQL also takes braces and no hyphens, which would give one id many spellings. */
const uuidPattern = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** The lower-case canonical form, used as key everywhere, or undefined. */
export function parseUuid(text: string): string | undefined {
  return uuidPattern.test(text) ? text.toLowerCase() : undefined;
}
