export { createHttpIssuer, type HttpIssuerOptions } from './http-issuer.ts';
export {
  type CardStatus,
  type CardUpdate,
  type CollateralDeposit,
  cardStatuses,
  type EncryptedSecrets,
  type FeedEvent,
  type Issuer,
  type IssuerCard,
  type IssuerEvent,
  IssuerFault,
  type IssuerFaultReason,
  type IssuerMovement,
  type IssuerTransaction,
  type IssuerUser,
  type NewCards,
  type NewIssuerUser,
  type RevealRequest,
  type Simulation,
  type SpendingInterval,
  spendingIntervals,
} from './issuer.ts';
export { noIssuer } from './no-issuer.ts';
export { idForm, parseEvent, statusOfReason, type WireReason } from './protocol.ts';
export {
  isWebhookSecret,
  signWebhook,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusal,
  type WebhookVerdict,
} from './webhook.ts';
