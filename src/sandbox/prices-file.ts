import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeSecretFile } from './sandbox-file.ts';

const prices = { USDT: '0.9998', USDC: '1.0001', EURC: '1.0832', ETH: '2650.25', PAXG: '2641.70' };

/**
 * Prices that you can edit; balances follow within a minute. Written once, then yours. Returns the file's
 * URL.
 */
export function writePricesFile(home: string): string {
  const file = path.join(home, 'prices.json');
  if (!existsSync(file)) writeSecretFile(file, `${JSON.stringify({ prices }, null, 2)}\n`);
  return pathToFileURL(file).href;
}
