import { readFileSync } from 'node:fs';
import { reasonOf, StartupError } from '../errors/startup-error.ts';

/** The company that users know this deployment by. */
export interface Brand {
  name: string;
  /** Line by line; empty if it is not configured. */
  address: readonly string[];
  /** The bytes of a PNG or JPEG file. */
  logo?: Buffer | undefined;
  /** Such as `#12614e`. */
  color?: string | undefined;
  /** Where users get help: a page, or `mailto:` and an address. */
  supportUrl?: string | undefined;
  privacyUrl?: string | undefined;
}

/** The same as settings say it. */
export interface BrandSettings extends Omit<Brand, 'logo'> {
  logoFile?: string | undefined;
}

/** Reads the logo once, when the process starts. */
export function readBrand({ logoFile, ...brand }: BrandSettings): Brand {
  return { ...brand, logo: logoFile === undefined ? undefined : readLogo(logoFile) };
}

const bytesMax = 1_000_000;
/** How PNG and JPEG files begin. */
const signatures = ['89504e470d0a1a0a', 'ffd8ff'];

function readLogo(file: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new StartupError(`BRAND_LOGO_FILE names ${file}, which cannot be read: ${reasonOf(error)}.`);
  }
  const start = bytes.toString('hex', 0, 8);
  if (bytes.length > bytesMax || !signatures.some((signature) => start.startsWith(signature)))
    throw new StartupError(
      `BRAND_LOGO_FILE names ${file}, which must be a PNG or JPEG file of at most 1 MB.`,
    );
  return bytes;
}
