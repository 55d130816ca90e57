import { userErrors } from './errors.ts';

/** The form under which an email is stored and compared: trimmed, lower case. */
export function parseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length > 254 || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) throw userErrors.invalidEmail();
  return email;
}
