import { hash } from 'node:crypto';
import { brandRules, readStyleSheet } from '#platform/http/theme';
import type { Brand } from '#platform/values/brand';

/** What pages show of the operator's brand. */
export interface BrandFace extends Pick<Brand, 'name' | 'supportUrl' | 'privacyUrl'> {
  styleAddress: string;
  logoAddress?: string | undefined;
}

interface BrandFile {
  /** Changes with the content, so that browsers may keep it. */
  address: string;
  type: string;
  content: string | Buffer;
}

const styleSheet = readStyleSheet(import.meta.dirname, 'style.css');
const prepared = new WeakMap<Brand, { face: BrandFace; files: BrandFile[] }>();

/** Made once for each brand. */
export function brandFiles(brand: Brand): { face: BrandFace; files: BrandFile[] } {
  const known = prepared.get(brand);
  if (known) return known;
  const { name, logo, color, supportUrl, privacyUrl } = brand;
  const sheet = color === undefined ? styleSheet : `${styleSheet}\n${brandRules(color)}`;
  const style = toFile('style.css', 'text/css; charset=utf-8', sheet);
  const picture = logo && toFile('brand-logo', logo[0] === 0x89 ? 'image/png' : 'image/jpeg', logo);
  const addresses = { styleAddress: style.address, logoAddress: picture?.address };
  const made = {
    face: { name, supportUrl, privacyUrl, ...addresses },
    files: picture ? [style, picture] : [style],
  };
  prepared.set(brand, made);
  return made;
}

const toFile = (name: string, type: string, content: string | Buffer): BrandFile => ({
  address: `/connect/${name}?v=${hash('sha256', content).slice(0, 12)}`,
  type,
  content,
});
