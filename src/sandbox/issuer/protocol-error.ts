import { statusOfReason, type WireReason } from '#adapters/issuer';

/** An error of the protocol: its reason decides the status. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly reason: WireReason;
  constructor(reason: WireReason, message: string) {
    super(message);
    this.reason = reason;
  }

  get status(): number {
    return statusOfReason[this.reason];
  }
}
