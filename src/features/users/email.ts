import { domainToASCII, domainToUnicode } from 'node:url';
import { userErrors } from './errors.ts';

/** The form under which an email is stored. */
export function parseEmail(text: string): string {
  const email = normalizeEmail(text);
  if (email === undefined) throw userErrors.invalidEmail();
  return email;
}

/**
 * The one spelling of an email, so that two users cannot have the same: trimmed, lower case, full-width
 * characters replaced, NFC, the domain as IDNA reads it. Undefined if the text is not an email address.
 *
 * @example normalizeEmail(' Ana@MÜNCHEN.de ') // 'ana@münchen.de'
 */
export function normalizeEmail(text: string): string | undefined {
  const narrow = text.replaceAll(fullWidth, (character) => character.normalize('NFKC'));
  const [, local, domain] = emailForm.exec(narrow.normalize('NFC').trim().toLowerCase()) ?? [];
  if (!local || !domain) return undefined;
  const ascii = domainToASCII(domain);
  if (!isMailDomain(ascii)) return undefined;
  const email = `${local}@${domainToUnicode(ascii)}`.normalize('NFC');
  return email.length <= 254 ? email : undefined;
}

/**
 * What all spellings of an email share, in a form that PostgreSQL can compute too: its local part in NFKC.
 * Other emails may share it, so compare by `normalizeEmail`.
 */
export const localPartKey = (email: string) => email.split('@')[0]!.normalize('NFKC');

/** Forms of ASCII for East Asian layouts, which look like it and compare as other letters. */
const fullWidth = /[\u3000\uff01-\uff5e]/g;
/**
 * An atom as RFC 5321 has it, and letters of any script; no characters that are invisible or reorder text.
 * The domain has only letters, digits, hyphens and dots: `domainToASCII` would read `good.com/x` as
 * `good.com`.
 */
const emailForm = /^([^\s\p{C}@"(),:;<>[\\\]]+)@([\p{L}\p{M}\p{N}.\u3002\uff61-]+)$/u;
/** At least two labels, the last of which starts with a letter: an IP address is not a domain of mail. */
function isMailDomain(domain: string): boolean {
  const labels = domain.split('.');
  const areLabels = labels.every((one) => /^[a-z0-9-]{1,63}$/.test(one) && !/^-|-$/.test(one));
  return areLabels && labels.length > 1 && /^[a-z]/.test(labels.at(-1)!);
}
