import { isObject } from '../values/is-object.ts';

export type Item = Record<string, unknown>;

/** Needs more than one line: an object, or a list with objects. */
export const isNested = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isNested) : isObject(value);

const instantForm = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

export const isInstant = (value: unknown): value is string =>
  typeof value === 'string' && instantForm.test(value);

/** One line of text, whatever the value. */
export function showValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(showValue).join(', ');
  if (isObject(value)) return clean(JSON.stringify(value));
  return clean(String(value).replace(instantForm, '$1 $2Z'));
}

/**
 * Names are user input: replace characters that could move the cursor, colour the line or reverse its
 * direction.
 */
const clean = (text: string) => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const;

/** `3m ago`, `in 2d`. */
export function showAge(instant: string, now: Date): string {
  const seconds = Math.round((now.getTime() - new Date(instant).getTime()) / 1_000);
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['s', 1];
  const age = `${Math.floor(Math.abs(seconds) / size)}${unit}`;
  return seconds < 0 ? `in ${age}` : `${age} ago`;
}

/** UUIDs as `0198a6a0…0001`, addresses and hashes as `0x5aAeb6…1BeAed`, issuers' ids as `card_43b8…a651`. */
export function shorten(text: string): string {
  const cut = (id: string, start: number, end: number) => `${id.slice(0, start)}…${id.slice(-end)}`;
  return text
    .replaceAll(/\b0x[0-9a-fA-F]{40,64}\b/g, (id) => cut(id, 8, 6))
    .replaceAll(/\b[0-9a-f]{64}\b/g, (id) => cut(id, 6, 6))
    .replaceAll(/\b[a-z]{1,12}_[0-9a-f]{16,64}\b/g, (id) => cut(id, id.indexOf('_') + 5, 4))
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => cut(id, 8, 4));
}

/** `toAddress` in words: `to address`. */
export const wordsOfField = (field: string) =>
  field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
