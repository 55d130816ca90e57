import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readBounded } from '#platform/values/read-bounded';
import { PriceFault, type PriceList, type Prices } from './prices.ts';
import { readDocument } from './read-document.ts';

const timeoutMs = 5_000;
const documentBytesMax = 256 * 1024;

export const noPrices: Prices = {
  read: async () => {
    throw new PriceFault('There is no price source.');
  },
};

/**
 * A JSON document as in `docs/price-source.md`, at an http, https or file URL. Read once, not retried:
 * callers try again later.
 */
export function createPrices(url: string | undefined): Prices {
  if (!url) return noPrices;
  const open = new URL(url).protocol === 'file:' ? openFile : openAnswer;
  return {
    async read(): Promise<PriceList> {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        return readDocument(
          await readBounded(await open(url, signal), { bytesMax: documentBytesMax, tooMuch }),
        );
      } catch (error) {
        throw error instanceof PriceFault ? error : faultOf(error);
      }
    },
  };
}

type Bytes = AsyncIterable<Uint8Array>;

async function openAnswer(url: string, signal: AbortSignal): Promise<Bytes | undefined> {
  const response = await fetch(url, {
    headers: { accept: 'application/json', 'accept-encoding': 'identity' },
    signal,
    // Following a redirect could send the token in the URL to another server.
    redirect: 'manual',
  });
  if (response.status === 200) return response.body ?? undefined;
  await response.body?.cancel();
  throw new PriceFault(`The price source answered with status ${response.status}.`);
}

async function openFile(url: string, signal: AbortSignal): Promise<Bytes> {
  const file = fileURLToPath(url);
  // A pipe or a device may never end, and reading it cannot be aborted.
  if (!(await stat(file)).isFile()) throw new PriceFault('The price source is no ordinary file.');
  return createReadStream(file, { signal });
}

const tooMuch = () => new PriceFault(`The price source has more than ${documentBytesMax / 1024} KB.`);

/** Errors of others contain URLs and paths, so only the code is reported. */
function faultOf(error: unknown): PriceFault {
  const { name, code, cause } = error as { name?: string; code?: unknown; cause?: { code?: unknown } };
  const isLate = name === 'TimeoutError' || (name === 'AbortError' && code === 'ABORT_ERR');
  if (isLate) return new PriceFault('The price source did not answer in time.');
  const known = [cause?.code, code].find((one) => typeof one === 'string' && /^[A-Z_]{2,40}$/.test(one));
  return new PriceFault(`The price source cannot be read${known ? `: ${known}` : ''}.`);
}
