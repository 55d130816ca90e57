import type { Parser } from './setting.ts';

/** Any text. */
export const asText: Parser<string> = ({ text }) => text;

export function asInteger(min: number, max: number): Parser<number> {
  return ({ name, text, fault }) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    fault(`${name} must be a whole number from ${min} to ${max}.`);
    return min;
  };
}

export function asOneOf<const Value extends string>(...values: readonly Value[]): Parser<Value> {
  return ({ name, text, fault }) => {
    const value = values.find((one) => one === text);
    if (value === undefined) fault(`${name} must be one of ${values.join(', ')}.`);
    return value ?? values[0]!;
  };
}

/** What is separated by commas. */
export const itemsOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text);
}

/** The runtime refuses requests to such an address. */
export const hasCredentials = (url: string) => /^https?:\/\/[^/?#]*@/i.test(url);

export const isLoopback = (host: string) => /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);

export const databaseAddress = /^postgres(ql)?:\/\/\S+$/;
