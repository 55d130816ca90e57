import { hash } from 'node:crypto';
import { brandRules, readStyleSheet } from '#platform/http/theme';
import type { Brand } from '#platform/values/brand';

/** What pages show of the operator's brand. */
export interface BrandFace extends Pick<Brand, 'name' | 'supportUrl' | 'privacyUrl'> {
  styleAddress: string;
  logoAddress?: string | undefined;
}

interface BrandFiles {
  face: BrandFace;
  styleSheet: string;
  logo?: { bytes: Buffer; type: string } | undefined;
}

const styleSheet = readStyleSheet(import.meta.dirname, 'style.css');
const prepared = new WeakMap<Brand, BrandFiles>();

/** Made once. Changed files have other addresses, so browsers may cache them. */
export function brandFiles(brand: Brand): BrandFiles {
  const known = prepared.get(brand);
  if (known) return known;
  const { name, logo, color, supportUrl, privacyUrl } = brand;
  const sheet = color === undefined ? styleSheet : `${styleSheet}\n${brandRules(color)}`;
  const isPng = logo?.[0] === 0x89;
  const files: BrandFiles = {
    styleSheet: sheet,
    logo: logo && { bytes: logo, type: isPng ? 'image/png' : 'image/jpeg' },
    face: {
      name,
      supportUrl,
      privacyUrl,
      styleAddress: `/connect/style.css?v=${versionOf(sheet)}`,
      logoAddress: logo && `/connect/brand-logo?v=${versionOf(logo)}`,
    },
  };
  prepared.set(brand, files);
  return files;
}

const versionOf = (content: string | Buffer) => hash('sha256', content).slice(0, 12);
