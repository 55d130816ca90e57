import type { EventType } from './generated/events.ts';
import type { components, operations } from './generated/types.ts';

type Schemas = components['schemas'];

export type Withdrawal = Schemas['Withdrawal'];
export type Asset = Schemas['Asset'];
export type Limits = Schemas['ReadLimitsAnswer']['data'];
export type LedgerLine = Schemas['LedgerNode'];
export type UnsettledRecord = Schemas['UnsettledNode'];
export type AccountPageInfo = Schemas['AccountPageInfo'];
export type Card = Schemas['CardSnapshot'];
export type CardTransaction = Schemas['CardTransaction'];
export type CardBalanceMovement = Schemas['CardBalanceMovement'];
export type CardPageInfo = Schemas['CardPagination'];
export type Consent = Schemas['Consent'];
export type RequestedConsent = Schemas['RequestedConsent'];
export type ConsentRequest = Schemas['RequestConsentRequest'];
export type ConsentScope = ConsentRequest['scopes'][number];
export type ConsentedData = Schemas['ConsentedData'];
export type WithdrawalPageInfo = Schemas['ListWithdrawalsAnswer']['data']['pageInfo'];
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type CreatedWebhookEndpoint = Schemas['CreatedWebhookEndpoint'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookDeliveryDetails = Schemas['WebhookDeliveryDetails'];
export type WebhookReplay = Schemas['WebhookReplay'];
export type ApiKey = Schemas['ApiKey'];
export type IssuedApiKey = Schemas['IssuedApiKey'];
export type BookAddress = Schemas['BookAddress'];
export type LoggedRequest = Schemas['LoggedRequest'];
export type CursorPageInfo = Pick<Schemas['ListWebhookEndpointsAnswer'], 'nextCursor'>;

/** ISO 8601; a string may be a year, a month or a day, such as `2026-01`. */
export type Instant = string | Date;

type WithInstants<T> = {
  [K in keyof T]: K extends 'startDate' | 'endDate' | 'asOf' ? Instant | undefined : T[K];
};
type WithEventTypes<T> = Omit<T, 'types'> & { types?: EventType[] | null };
type HistoryQuery = WithInstants<operations['getHistory']['parameters']['query']>;

export type NewWithdrawal = Schemas['CreateWithdrawalRequest'] & {
  /** Whose balance pays. */
  userId: string;
};
export type NewBulk = Schemas['CreateBulkRequest'] & {
  /** Whose balance pays. */
  userId: string;
};
export type WithdrawalListParams = { userId: string } & NonNullable<
  operations['listWithdrawals']['parameters']['query']
>;
export type UnsettledParams = Pick<HistoryQuery, 'currentPage' | 'pageSize' | 'startDate' | 'endDate'>;
export type AccountParams = UnsettledParams & Pick<HistoryQuery, 'asOf'>;
export type CardTransactionParams = AccountParams & Pick<HistoryQuery, 'filterByText'>;
export type CardListParams = Pick<HistoryQuery, 'currentPage' | 'pageSize' | 'asOf' | 'status'>;
export type StatementParams = WithInstants<NonNullable<operations['getStatement']['parameters']['query']>>;
export type NewWebhookEndpoint = WithEventTypes<Schemas['CreateWebhookEndpointRequest']>;
export type WebhookEndpointChange = WithEventTypes<Schemas['UpdateWebhookEndpointRequest']>;
/** One event (`eventId`), those of a period (`startDate`, `endDate`), or what was missed (`missed`). */
export type ReplaySelection = WithInstants<Schemas['ReplayWebhookEventsRequest']>;
export type CursorParams = NonNullable<operations['listWebhookEndpoints']['parameters']['query']>;
export type NewBookAddress = Schemas['ProposeAddressRequest'];
export type NewApiKey = Schemas['IssueKeyRequest'];
export type KeyRotation = Schemas['RotateKeyRequest'];
export type RequestListParams = NonNullable<operations['listRequests']['parameters']['query']>;
export type PartnerWithdrawal = Schemas['PartnerWithdrawal'];
export type PartnerWithdrawalListParams = NonNullable<
  operations['listPartnerWithdrawals']['parameters']['query']
>;
export type KeyListParams = NonNullable<operations['listKeys']['parameters']['query']>;
export type WebhookDeliveryParams = NonNullable<operations['listWebhookDeliveries']['parameters']['query']>;
