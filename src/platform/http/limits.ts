/** Every bound on what a caller may send, and why it is that much. */
export const limits = {
  /** The largest partner body is under 2 KB; commands that take many records raise it for themselves. */
  bodyBytesMax: 16 * 1024,
  /** A token, a few proxies' headers and cookies fit four times over. */
  headerBytesMax: 8 * 1024,
  /** Headers that trickle in hold a socket: an honest client sends them in one packet. */
  headersTimeoutMs: 3_000,
  /** The whole request, body included; Node's default of none at all lets a slow body stay for ever. */
  requestTimeoutMs: 5_000,
  /** Node looks for the two above this often, so a slow request is cut within one of these after its time. */
  checkingIntervalMs: 1_000,
  /** A socket on which nothing moves while a request or answer is on the way; not while we work on it. */
  connectionTimeoutMs: 10_000,
  /** A new connection that has sent nothing yet; browsers and proxies open some ahead of time. */
  silentTimeoutMs: 60_000,
  /** Time to read why the connection is closed: a close at once could reset the answer away. */
  lingerMs: 250,
  /** Above the 60 s of common load balancers, so that the balancer, not we, closes an idle connection. */
  keepAliveTimeoutMs: 65_000,
  /** A UUID has 36 characters; nothing in a path of ours is longer than a transaction hash. */
  paramLengthMax: 128,
};
