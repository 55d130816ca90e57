/**
 * Keeps the idempotency key of each operation, so that a restarted process repeats it under the same key.
 * `@causeway/client/node` has one in a folder; in a database it is one `insert … on conflict do nothing`.
 */
export interface IdempotencyStore {
  /**
   * Stores `key` under `name` unless a key is stored there, and returns the stored one. It must be atomic and
   * durable when it returns: the request is sent right after, and processes may ask at the same time.
   */
  keep(name: string, key: string): Promise<string>;
}

/** How a create is named. */
export interface CreateNames {
  /** Sent as it is: 1 to 255 printable ASCII characters without spaces, such as the id of your payout. */
  idempotencyKey?: string;
  /** Your name for the operation, such as the id of your payout: the store keeps a key under it. */
  operation?: string;
}

/** The key of a create. With a store the operation needs a name, or the store would protect nothing. */
export async function keyOf(
  { idempotencyKey, operation }: CreateNames,
  store?: IdempotencyStore,
): Promise<string> {
  if (idempotencyKey !== undefined && operation !== undefined)
    throw new TypeError('Pass idempotencyKey or operation, not both');
  if (idempotencyKey !== undefined) return requireKey(idempotencyKey, 'idempotencyKey');
  if (operation === undefined) {
    if (store) throw new TypeError('Pass operation, the name under which the store keeps the key');
    return crypto.randomUUID();
  }
  if (!store) throw new TypeError('operation needs a client with a store; without one, pass idempotencyKey');
  if (operation === '') throw new TypeError('operation must not be empty');
  return requireKey(await store.keep(operation, crypto.randomUUID()), 'The key from the store');
}

/** Checked here, because HTTP would trim or join what the server then takes for another key. */
function requireKey(key: unknown, what: string): string {
  const isKey = typeof key === 'string' && key.length >= 1 && key.length <= 255;
  if (isKey && [...key].every((sign) => sign > ' ' && sign < '\x7f')) return key;
  throw new TypeError(`${what} must have 1 to 255 printable ASCII characters without spaces`);
}
