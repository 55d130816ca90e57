/** Texts that a person can attach to a conversation in a host, as data: one entry for all of a kind. */
export interface ResourceKind<Ctx = unknown> {
  name: string;
  /** For people. */
  title: string;
  description: string;
  /** All addresses, as a template of RFC 6570. */
  uriTemplate: string;
  mimeType: string;
  /** Those that lists show. */
  list(ctx: Ctx): Promise<readonly ListedResource[]>;
  /**
   * Undefined if there is no such text at the address. A `Refusal` is sent to the caller; anything else is an
   * internal error.
   */
  read(ctx: Ctx, uri: string): Promise<string | undefined>;
}

export interface ListedResource {
  uri: string;
  name: string;
  title: string;
}
