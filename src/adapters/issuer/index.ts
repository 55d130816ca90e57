export { createHttpIssuer } from './http-issuer.ts';
export {
  type CardKind,
  type CardStatus,
  cardKinds,
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
  type Simulation,
  type SpendingInterval,
  spendingIntervals,
} from './issuer.ts';
export { noIssuer } from './no-issuer.ts';
export { idForm, statusOfReason, type WireReason } from './protocol.ts';
export { signWebhook, verifyWebhook, type WebhookVerdict } from './webhook.ts';
