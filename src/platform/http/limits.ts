/** Every bound on what a caller may send, with its reason. */
export const limits = {
  /** The largest partner body is under 2 KB; commands that take many records set a higher limit. */
  bodyBytesMax: 16 * 1024,
  /** A token, a few proxies' headers and cookies need a quarter of this. */
  headerBytesMax: 8 * 1024,
  /** Slow headers occupy a socket; a normal client sends them in one packet. */
  headersTimeoutMs: 3_000,
  /**
   * For the whole request with its body. By Fastify's default, no limit, a slow body could occupy a socket
   * forever.
   */
  requestTimeoutMs: 5_000,
  /** How often Node checks the two limits above, so a slow request may last this much longer. */
  checkingIntervalMs: 1_000,
  /** For a socket without traffic while a request or answer is transferred, not while we work on it. */
  connectionTimeoutMs: 10_000,
  /** A new connection that has sent nothing yet; browsers and proxies open some ahead of time. */
  silentTimeoutMs: 60_000,
  /** Time for the client to read the error: an immediate close could reset the connection before that. */
  lingerMs: 250,
  /** Above the 60 s of common load balancers, so that the balancer, not we, closes an idle connection. */
  keepAliveTimeoutMs: 65_000,
  /** A UUID has 36 characters; nothing in a path of ours is longer than a transaction hash. */
  paramLengthMax: 128,
};
