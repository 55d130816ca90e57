const keyBytesMin = 24;
const keyBytesMax = 64;

/** `whsec_` and the base64 of 24 to 64 bytes, as in Standard Webhooks; the prefix is optional. */
export function isWebhookSecret(secret: string): boolean {
  const text = withoutPrefix(secret);
  const key = Buffer.from(text, 'base64');
  const canonical = key.toString('base64');
  const isCanonical = text === canonical || text === canonical.replaceAll('=', '');
  return isCanonical && key.length >= keyBytesMin && key.length <= keyBytesMax;
}

/** The bytes to sign with. */
export function keyOfWebhookSecret(secret: string): Buffer {
  // With a short or garbled secret anybody could sign.
  if (!isWebhookSecret(secret)) throw new TypeError('A webhook secret is the base64 of 24 to 64 bytes.');
  return Buffer.from(withoutPrefix(secret), 'base64');
}

const withoutPrefix = (secret: string) => (secret.startsWith('whsec_') ? secret.slice(6) : secret);
