import { randomInt } from 'node:crypto';

/** The first digits of Visa test numbers: no bank issues them. */
const testBin = '411111';
const digitsOfNumber = 16;

/** A card number that no real card has, with a valid check digit. */
export function makeCardNumber(): string {
  const digitsFree = digitsOfNumber - testBin.length - 1;
  const body = testBin + String(randomInt(10 ** digitsFree)).padStart(digitsFree, '0');
  return body + luhnDigit(body);
}

export const makeCardCode = (): string => String(randomInt(1_000)).padStart(3, '0');

/** Every second digit from the right is doubled, and the digits of what comes out are added up. */
function luhnDigit(body: string): string {
  const sum = [...body].reverse().reduce((sum, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return sum + (value > 9 ? value - 9 : value);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}
