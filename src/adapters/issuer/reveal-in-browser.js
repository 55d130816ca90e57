// The caller's side of a reveal with nothing but WebCrypto. A browser loads this file as it is, and so does
// Node: it is the example for callers, and it checks docs/reveal-vectors.json wherever it runs. Browsers have
// `crypto.subtle` on https and localhost.

const nonceBytes = 12;
const wrapping = { name: 'RSA-OAEP', hash: 'SHA-1' };

/** A random AES-128 key, and it wrapped for the issuer: the text to send as `sessionId`. */
export async function startSession(publicKeyPem) {
  const key = crypto.getRandomValues(new Uint8Array(16));
  return { key, sessionId: await wrapKey(publicKeyPem, key) };
}

export async function wrapKey(publicKeyPem, keyBytes) {
  const der = bytesOf(publicKeyPem.replaceAll(/-----[A-Z ]+-----|\s/g, ''));
  const publicKey = await crypto.subtle.importKey('spki', der, wrapping, false, ['encrypt']);
  return textOf(new Uint8Array(await crypto.subtle.encrypt(wrapping, publicKey, keyBytes)));
}

/** The card's number or code from what came back under that key; throws where it was altered on its way. */
export async function openSecret(keyBytes, encrypted) {
  const bytes = bytesOf(encrypted);
  const key = await crypto.subtle.importKey('raw', keyBytes, 'AES-GCM', false, ['decrypt']);
  const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, nonceBytes), tagLength: 128 };
  const opened = await crypto.subtle.decrypt(algorithm, key, bytes.subarray(nonceBytes));
  return new TextDecoder().decode(opened);
}

/**
 * What does not fit, a sentence each: none, if this machine's WebCrypto agrees with the vectors of
 * docs/reveal-vectors.json.
 */
export async function checkRevealVectors(vectors) {
  const faults = [];
  const expect = (what, isSo) => isSo || faults.push(what);
  const der = bytesOf(vectors.privateKey.replaceAll(/-----[A-Z ]+-----|\s/g, ''));
  const privateKey = await crypto.subtle.importKey('pkcs8', der, wrapping, false, ['decrypt']);
  const unwrap = (sessionId) =>
    crypto.subtle.decrypt(wrapping, privateKey, bytesOf(sessionId)).then((opened) => new Uint8Array(opened));

  for (const { name, aesKey, wrapped, sessionId, secrets } of vectors.valid) {
    const key = bytesOf(aesKey);
    expect(`${name}: the session's key`, textOf(await unwrap(sessionId)) === wrapped);
    const again = await wrapKey(vectors.publicKey, bytesOf(wrapped));
    expect(`${name}: a key wrapped here`, again !== sessionId && textOf(await unwrap(again)) === wrapped);
    for (const { what, plaintext, nonce, encrypted } of secrets) {
      expect(`${name}: ${what} opened`, (await openSecret(key, encrypted)) === plaintext);
      expect(`${name}: ${what} sealed`, (await sealSecret(key, bytesOf(nonce), plaintext)) === encrypted);
      const altered = bytesOf(encrypted);
      altered[altered.length - 1] ^= 1;
      const opened = await openSecret(key, textOf(altered)).catch(() => undefined);
      expect(`${name}: ${what} altered is refused`, opened === undefined);
    }
  }
  for (const { name, sessionId } of vectors.invalid) {
    const key = await unwrap(sessionId).catch(() => undefined);
    expect(`${name}: is refused`, key === undefined || !isSessionKey(key));
  }
  return faults;
}

/** Sixteen bytes, or their base64 as text. */
function isSessionKey(bytes) {
  if (bytes.length === 16) return true;
  return bytes.length === 24 && /^[A-Za-z0-9+/]{21}[AQgw]==$/.test(String.fromCharCode(...bytes));
}

async function sealSecret(keyBytes, nonce, plaintext) {
  const key = await crypto.subtle.importKey('raw', keyBytes, 'AES-GCM', false, ['encrypt']);
  const algorithm = { name: 'AES-GCM', iv: nonce, tagLength: 128 };
  const sealed = await crypto.subtle.encrypt(algorithm, key, new TextEncoder().encode(plaintext));
  return textOf(new Uint8Array([...nonce, ...new Uint8Array(sealed)]));
}

const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
const textOf = (bytes) => btoa(String.fromCharCode(...bytes));
