/** Permanent: this address is never connected to under the policy, so a repetition cannot succeed. */
export class OutgoingRefusal extends Error {
  override readonly name = 'OutgoingRefusal';
}

export type FaultReason = 'timeout' | 'dns' | 'connection' | 'tls' | 'protocol';

/** Temporary: a repetition may succeed. The message has a code and no text of the peer. */
export class OutgoingFault extends Error {
  override readonly name = 'OutgoingFault';
  readonly reason: FaultReason;

  constructor(reason: FaultReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
