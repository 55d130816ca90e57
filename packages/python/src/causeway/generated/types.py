# Written by `npm run client` from the API reference. Do not edit.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union

AccountPage = Union["LedgerPage", "UnsettledPage"]


class AccountPageInfo(TypedDict):
    hasNextPage: bool
    currentPage: int
    pageSize: int
    numberOfPages: int
    totalCount: int
    totalCountIsEstimate: Literal[False]


class ApiKey(TypedDict):
    id: str
    name: str
    partnerId: str
    userId: str
    scopes: list[str]
    ipAllowlist: list[str]
    createdAt: str
    expiresAt: str | None
    revokedAt: str | None
    rotatedFrom: str | None
    rotatedAt: str | None
    suspendedAt: str | None
    issuedByKey: str | None
    status: Literal["active", "rotated", "suspended", "partner suspended", "user suspended", "user not allowed", "expired", "revoked"]
    lastUsedAt: str | None


class Asset(TypedDict):
    currency: str
    network: str
    contractAddress: str
    decimals: int
    minimum: str
    maximum: str | None
    finality: str
    remaining: str | None
    remainingGrowsAt: str | None


class BookAddress(TypedDict):
    id: str
    address: str
    name: str
    network: str | None
    status: Literal["usable", "waiting"]
    addedBy: str
    addedAt: str


class CardBalanceMovement(TypedDict):
    amount: float
    runningBalance: float
    previousBalance: float
    description: str
    createdAt: str
    type: Literal["credit", "debit"]


class CardCreatedEventData(TypedDict):
    object: CardSnapshot


class CardCreatedEvent(TypedDict):
    id: str
    type: Literal["card.created"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: CardCreatedEventData


class CardPagination(TypedDict):
    hasNextPage: bool
    currentPage: int
    pageSize: int
    numberOfPages: int
    totalCount: int


class CardRefillCompletedEventDataObject(TypedDict):
    id: str
    amount: str
    status: Literal["queued", "processing", "completed", "failed"]
    retries: int
    transactionHash: str | None
    executedAt: str | None
    cardIssuerUserId: str
    createdAt: str
    failureReason: NotRequired[str]


class CardRefillCompletedEventData(TypedDict):
    object: CardRefillCompletedEventDataObject
    previousStatus: NotRequired[str]


class CardRefillCompletedEvent(TypedDict):
    id: str
    type: Literal["card_refill.completed"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: CardRefillCompletedEventData


class CardRefillFailedEventDataObject(TypedDict):
    id: str
    amount: str
    status: Literal["queued", "processing", "completed", "failed"]
    retries: int
    transactionHash: str | None
    executedAt: str | None
    cardIssuerUserId: str
    createdAt: str
    failureReason: NotRequired[str]


class CardRefillFailedEventData(TypedDict):
    object: CardRefillFailedEventDataObject
    previousStatus: NotRequired[str]


class CardRefillFailedEvent(TypedDict):
    id: str
    type: Literal["card_refill.failed"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: CardRefillFailedEventData


class CardSnapshot(TypedDict):
    id: str
    nickname: str | None
    lastFourDigits: str
    status: Literal["inactive", "active", "locked", "canceled"]
    spendingLimit: float
    spendingInterval: Literal["daily", "weekly", "monthly", "yearly", "all-time"]


class CardTransactionTransaction(TypedDict):
    id: str
    amount: float
    merchantName: str
    createdAt: str
    type: Literal["purchase", "refund"]
    status: Literal["pending", "settled", "declined", "reversed"]
    currency: str
    description: str | None
    merchantCategory: str | None
    merchantCountry: str | None
    localAmount: str | None
    localCurrency: str | None
    authorizedAt: str | None
    settledAt: str | None
    declineReason: str | None


class CardTransactionCard(TypedDict):
    name: str
    nickname: str | None
    lastFourDigits: str


class CardTransaction(TypedDict):
    transaction: CardTransactionTransaction
    card: CardTransactionCard


class CardTransactionAuthorizedEventData(TypedDict):
    object: CardTransaction


class CardTransactionAuthorizedEvent(TypedDict):
    id: str
    type: Literal["card_transaction.authorized"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: CardTransactionAuthorizedEventData


class CardTransactionDeclinedEventData(TypedDict):
    object: CardTransaction
    previousStatus: NotRequired[str]


class CardTransactionDeclinedEvent(TypedDict):
    id: str
    type: Literal["card_transaction.declined"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: CardTransactionDeclinedEventData


class CardTransactionRefundedEventData(TypedDict):
    object: CardTransaction
    previousStatus: NotRequired[str]


class CardTransactionRefundedEvent(TypedDict):
    id: str
    type: Literal["card_transaction.refunded"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: CardTransactionRefundedEventData


class CardTransactionReversedEventData(TypedDict):
    object: CardTransaction
    previousStatus: NotRequired[str]


class CardTransactionReversedEvent(TypedDict):
    id: str
    type: Literal["card_transaction.reversed"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: CardTransactionReversedEventData


class CardTransactionSettledEventData(TypedDict):
    object: CardTransaction
    previousStatus: NotRequired[str]


class CardTransactionSettledEvent(TypedDict):
    id: str
    type: Literal["card_transaction.settled"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: CardTransactionSettledEventData


class CardTransactionsPage(TypedDict):
    userCardTransactions: list[CardTransaction]
    pagination: CardPagination
    message: NotRequired[str]


class CardUpdatedEventData(TypedDict):
    object: CardSnapshot
    previousStatus: NotRequired[str]


class CardUpdatedEvent(TypedDict):
    id: str
    type: Literal["card.updated"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: CardUpdatedEventData


class CardsBalancePage(TypedDict):
    cardIssuerUserCollateralMovement: list[CardBalanceMovement]
    pagination: CardPagination
    message: NotRequired[str]


class CardsSummaryPage(TypedDict):
    userCardsSnapshot: list[CardSnapshot]
    pagination: CardPagination
    message: NotRequired[str]


class ConsentDuration(TypedDict):
    type: Literal["one-time", "days", "until-revoked"]
    days: NotRequired[int]


class Consent(TypedDict):
    consent_id: str
    integration_id: str
    status: Literal["awaiting", "active", "rejected", "revoked", "expired"]
    purpose: str
    requested_scopes: list[Literal["profile", "email", "wallet", "kyc"]]
    optional_scopes: list[Literal["profile", "email", "wallet", "kyc"]]
    scopes: list[Literal["profile", "email", "wallet", "kyc"]] | None
    duration: ConsentDuration
    requested_at: str
    link_expires_at: str
    granted_at: str | None
    expires_at: str | None
    revoked_at: str | None
    revoked_by: str | None


class ConsentExpiredEventData(TypedDict):
    object: Consent
    previousStatus: NotRequired[str]


class ConsentExpiredEvent(TypedDict):
    id: str
    type: Literal["consent.expired"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: ConsentExpiredEventData


class ConsentGrantedEventData(TypedDict):
    object: Consent
    previousStatus: NotRequired[str]


class ConsentGrantedEvent(TypedDict):
    id: str
    type: Literal["consent.granted"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: ConsentGrantedEventData


class ConsentReducedEventData(TypedDict):
    object: Consent


class ConsentReducedEvent(TypedDict):
    id: str
    type: Literal["consent.reduced"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: ConsentReducedEventData


class ConsentRefusedEventData(TypedDict):
    object: Consent
    previousStatus: NotRequired[str]


class ConsentRefusedEvent(TypedDict):
    id: str
    type: Literal["consent.refused"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: ConsentRefusedEventData


class ConsentRevokedEventData(TypedDict):
    object: Consent
    previousStatus: NotRequired[str]


class ConsentRevokedEvent(TypedDict):
    id: str
    type: Literal["consent.revoked"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: ConsentRevokedEventData


class ConsentedDataUserProfile(TypedDict):
    name: str
    given_name: str
    family_name: str


class ConsentedDataUserEmail(TypedDict):
    address: str
    verified: bool


class ConsentedDataUserWalletAddressesItem(TypedDict):
    chain: Literal["base", "polygon"]
    address: str


class ConsentedDataUserWallet(TypedDict):
    addresses: list[ConsentedDataUserWalletAddressesItem]
    is_business: bool


class ConsentedDataUserKyc(TypedDict):
    email: str
    entity_type: Literal["individual", "business"]
    first_name: str
    last_name: str
    legal_name: str | None
    document_type: str
    document_number: str
    tax_id: str


class ConsentedDataUser(TypedDict):
    profile: NotRequired[ConsentedDataUserProfile]
    email: NotRequired[ConsentedDataUserEmail]
    wallet: NotRequired[ConsentedDataUserWallet]
    kyc: NotRequired[ConsentedDataUserKyc]


class ConsentedData(TypedDict):
    consent_id: str
    integration_id: str
    granted_at: str
    scopes: list[Literal["profile", "email", "wallet", "kyc"]]
    user: ConsentedDataUser


class CreateBulkAnswerData(TypedDict):
    bulkId: str
    count: int


class CreateBulkAnswer(TypedDict):
    message: str
    data: CreateBulkAnswerData


class CreateBulkRequestWithdrawalsItem(TypedDict):
    amount: str
    to: str
    currency: NotRequired[str]
    network: NotRequired[str]
    externalId: NotRequired[str | None]


class CreateBulkRequest(TypedDict):
    withdrawals: list[CreateBulkRequestWithdrawalsItem]


class CreateIntegrationWebhookEndpointRequest(TypedDict):
    url: str
    types: NotRequired[list[str] | None]
    ordered: NotRequired[bool]
    description: NotRequired[str | Literal[""]]


class CreateWebhookEndpointRequest(TypedDict):
    url: str
    types: NotRequired[list[str] | None]
    ordered: NotRequired[bool]
    description: NotRequired[str | Literal[""]]
    userId: NotRequired[str]
    allUsers: NotRequired[bool]


class CreateWithdrawalAnswerData(TypedDict):
    bulkId: str
    externalId: NotRequired[str]


class CreateWithdrawalAnswer(TypedDict):
    message: str
    data: CreateWithdrawalAnswerData


class CreateWithdrawalRequest(TypedDict):
    amount: str
    to: str
    currency: NotRequired[str]
    network: NotRequired[str]
    externalId: NotRequired[str | None]


class CreatedWebhookEndpoint(TypedDict):
    id: str
    url: str
    types: list[str] | None
    ordered: bool
    description: str | Literal[""]
    enabled: bool
    disabledAt: str | None
    disabledReason: Literal["owner", "operator", "gone", "failing", "key"] | None
    missedAfter: int | None
    failingSince: str | None
    publicKeys: list[str]
    partnerId: str | None
    integrationId: str | None
    userId: str | None
    allUsers: bool
    createdAt: str
    updatedAt: str
    secret: str


class DepositPostedEventData(TypedDict):
    object: LedgerNode


class DepositPostedEvent(TypedDict):
    id: str
    type: Literal["deposit.posted"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: DepositPostedEventData


class EndedConsent(TypedDict):
    error: str
    revoked_at: NotRequired[str]
    expired_at: NotRequired[str]
    code: str
    requestId: str


class ErrorDetailsItem(TypedDict):
    field: str
    message: str


class Error(TypedDict):
    error: str
    code: str
    requestId: str
    details: NotRequired[list[ErrorDetailsItem]]


class EventFeed(TypedDict):
    events: list[WithdrawalQueuedEvent | WithdrawalPendingEvent | WithdrawalApprovalRequestedEvent | WithdrawalProcessingEvent | WithdrawalCompletedEvent | WithdrawalFailedEvent | DepositPostedEvent | LedgerLinePostedEvent | CardCreatedEvent | CardUpdatedEvent | CardTransactionAuthorizedEvent | CardTransactionSettledEvent | CardTransactionDeclinedEvent | CardTransactionReversedEvent | CardTransactionRefundedEvent | CardRefillCompletedEvent | CardRefillFailedEvent | KeyRotatedEvent | KeyRevokedEvent | WebhookEndpointDisabledEvent | WebhookEndpointTestedEvent]
    next: int


HistoryPage = Union["AccountPage", "CardTransactionsPage", "CardsSummaryPage", "CardsBalancePage"]


class IntegrationEventFeed(TypedDict):
    events: list[ConsentGrantedEvent | ConsentRefusedEvent | ConsentReducedEvent | ConsentRevokedEvent | ConsentExpiredEvent | KeyRotatedEvent | KeyRevokedEvent | WebhookEndpointDisabledEvent | WebhookEndpointTestedEvent]
    next: int


class IssueKeyRequest(TypedDict):
    name: str
    userId: NotRequired[str]
    scopes: NotRequired[list[Literal["mcp", "mcp_card_reveal", "mcp:write", "withdrawals:create", "withdrawals:read", "history:read", "events:read", "webhooks:manage", "partner:admin", "api:none"]]]
    ipAllowlist: NotRequired[list[str]]
    expiresAt: NotRequired[str]


class IssuedApiKey(TypedDict):
    id: str
    name: str
    partnerId: str
    userId: str
    scopes: list[str]
    ipAllowlist: list[str]
    createdAt: str
    expiresAt: str | None
    revokedAt: str | None
    rotatedFrom: str | None
    rotatedAt: str | None
    suspendedAt: str | None
    issuedByKey: str | None
    token: str


class KeyEnd(TypedDict):
    id: str
    replacedBy: str | None
    expiresAt: str | None
    revokedAt: str | None


class KeyRevokedEventData(TypedDict):
    object: KeyEnd


class KeyRevokedEvent(TypedDict):
    id: str
    type: Literal["key.revoked"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: KeyRevokedEventData


class KeyRotatedEventData(TypedDict):
    object: KeyEnd


class KeyRotatedEvent(TypedDict):
    id: str
    type: Literal["key.rotated"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: KeyRotatedEventData


class LedgerLinePostedEventData(TypedDict):
    object: LedgerNode


class LedgerLinePostedEvent(TypedDict):
    id: str
    type: Literal["ledger.line_posted"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: LedgerLinePostedEventData


class LedgerNode(TypedDict):
    id: str
    uniqueHashId: str | None
    transactionDate: str
    transactionType: Literal["buy", "sell", "swap-bridge", "transfer-token"]
    description: str
    network: str
    asset: str
    amount: str
    assetSent: NotRequired[str]
    amountSent: NotRequired[str]
    assetReceived: NotRequired[str]
    amountReceived: NotRequired[str]
    executedAt: str | None
    transactionPurpose: str
    userDescription: str | None
    status: str
    runningBalance: str


class LedgerPage(TypedDict):
    nodes: list[LedgerNode]
    pageInfo: AccountPageInfo
    message: NotRequired[str]


class Limit(TypedDict):
    rule: str
    beyond: Literal["denied", "approval"]
    currency: str
    network: str | None
    per: str
    window: str
    limit: str
    used: str | None
    remaining: str | None
    growsAt: str | None
    destinations: list[str] | None


class ListAddressesAnswer(TypedDict):
    items: list[BookAddress]
    nextCursor: str | None


class ListAssetsAnswerData(TypedDict):
    assets: list[Asset]


class ListAssetsAnswer(TypedDict):
    message: str
    data: ListAssetsAnswerData


class ListIntegrationWebhookDeliveriesAnswer(TypedDict):
    items: list[WebhookDelivery]
    nextCursor: str | None


class ListIntegrationWebhookEndpointsAnswer(TypedDict):
    items: list[WebhookEndpoint]
    nextCursor: str | None


class ListKeysAnswer(TypedDict):
    items: list[ApiKey]
    nextCursor: str | None


class ListPartnerWithdrawalsAnswer(TypedDict):
    items: list[PartnerWithdrawal]
    nextCursor: str | None


class ListRequestsAnswer(TypedDict):
    items: list[LoggedRequest]
    nextCursor: str | None


class ListWebhookDeliveriesAnswer(TypedDict):
    items: list[WebhookDelivery]
    nextCursor: str | None


class ListWebhookEndpointsAnswer(TypedDict):
    items: list[WebhookEndpoint]
    nextCursor: str | None


class ListWebhookKeysAnswer(TypedDict):
    keys: list[str]


class ListWithdrawalsAnswerDataPageInfo(TypedDict):
    limit: int
    offset: int


class ListWithdrawalsAnswerData(TypedDict):
    withdraws: list[Withdrawal]
    pageInfo: ListWithdrawalsAnswerDataPageInfo


class ListWithdrawalsAnswer(TypedDict):
    message: str
    data: ListWithdrawalsAnswerData


class LoggedRequest(TypedDict):
    requestId: str
    at: str
    partnerId: str
    by: Literal["key", "person"]
    keyId: str | None
    personId: str | None
    method: str
    route: str
    path: str
    status: int
    errorCode: str | None
    durationMs: int
    callerAddress: str


class PartnerWithdrawal(TypedDict):
    id: str
    bulkId: str
    status: Literal["queued", "pending", "processing", "completed", "failed"]
    amountToPayToken: str
    outCurrencyIsoCode: str
    toAddress: str
    externalId: str | None
    transactionHash: str | None
    transferTokenStatus: str | None
    errorMessage: str | None
    createdAt: str
    updatedAt: str
    userId: str
    network: str
    needsApproval: bool
    requestedBy: str


class ProposeAddressRequest(TypedDict):
    address: str
    name: str
    network: NotRequired[str]


class ReadLimitsAnswerData(TypedDict):
    hasRules: bool
    limits: list[Limit]


class ReadLimitsAnswer(TypedDict):
    message: str
    data: ReadLimitsAnswerData


class ReduceConsentRequest(TypedDict):
    scopes: list[Literal["profile", "email", "wallet", "kyc"]]


class ReplayIntegrationWebhookEventsRequest(TypedDict):
    eventId: NotRequired[str]
    startDate: NotRequired[str]
    endDate: NotRequired[str]
    missed: NotRequired[bool]
    after: NotRequired[int]


class ReplayWebhookEventsRequest(TypedDict):
    eventId: NotRequired[str]
    startDate: NotRequired[str]
    endDate: NotRequired[str]
    missed: NotRequired[bool]
    after: NotRequired[int]


class RequestConsentRequestDuration(TypedDict):
    type: Literal["one-time", "days", "until-revoked"]
    days: NotRequired[int]


class RequestConsentRequest(TypedDict):
    scopes: list[Literal["profile", "email", "wallet", "kyc"]]
    optional_scopes: NotRequired[list[Literal["profile", "email", "wallet", "kyc"]]]
    redirect_uri: str
    state: NotRequired[str]
    purpose: str
    duration: RequestConsentRequestDuration


class RequestedConsent(TypedDict):
    consent_id: str
    link: str
    link_expires_at: str
    status: Literal["awaiting", "active", "rejected", "revoked", "expired"]


class RotateKeyRequest(TypedDict):
    overlapHours: NotRequired[int]


class UnsettledNode(TypedDict):
    id: str
    uniqueHashId: str | None
    transactionDate: str
    transactionType: Literal["buy", "sell", "swap-bridge", "transfer-token"]
    description: str
    network: str
    asset: str
    amount: str
    assetSent: NotRequired[str]
    amountSent: NotRequired[str]
    assetReceived: NotRequired[str]
    amountReceived: NotRequired[str]
    executedAt: str | None
    transactionPurpose: str
    userDescription: str | None
    status: Literal["awaiting-payment", "pending", "in-analysis", "started", "rejected", "canceled"]
    statusReason: str | None
    runningBalance: None
    updatedAt: str


class UnsettledPage(TypedDict):
    nodes: list[UnsettledNode]
    pageInfo: AccountPageInfo
    message: NotRequired[str]


class UpdateIntegrationWebhookEndpointRequest(TypedDict):
    url: NotRequired[str]
    types: NotRequired[list[str] | None]
    ordered: NotRequired[bool]
    description: NotRequired[str | Literal[""]]
    enabled: NotRequired[bool]
    replayMissed: NotRequired[bool]


class UpdateWebhookEndpointRequest(TypedDict):
    url: NotRequired[str]
    types: NotRequired[list[str] | None]
    ordered: NotRequired[bool]
    description: NotRequired[str | Literal[""]]
    enabled: NotRequired[bool]
    replayMissed: NotRequired[bool]


class WebhookAttempt(TypedDict):
    number: int
    url: str
    startedAt: str
    durationMs: int
    status: int | None
    error: str | None
    answer: str


class WebhookDelivery(TypedDict):
    id: str
    endpointId: str
    eventId: str
    type: str
    sequence: int
    status: Literal["due", "delivered", "failed", "canceled"]
    attempts: int
    nextAttemptAt: str | None
    createdAt: str
    endedAt: str | None


class WebhookDeliveryDetails(TypedDict):
    id: str
    endpointId: str
    eventId: str
    type: str
    sequence: int
    status: Literal["due", "delivered", "failed", "canceled"]
    attempts: int
    nextAttemptAt: str | None
    createdAt: str
    endedAt: str | None
    body: str
    attemptList: list[WebhookAttempt]


class WebhookEndpoint(TypedDict):
    id: str
    url: str
    types: list[str] | None
    ordered: bool
    description: str | Literal[""]
    enabled: bool
    disabledAt: str | None
    disabledReason: Literal["owner", "operator", "gone", "failing", "key"] | None
    missedAfter: int | None
    failingSince: str | None
    publicKeys: list[str]
    partnerId: str | None
    integrationId: str | None
    userId: str | None
    allUsers: bool
    createdAt: str
    updatedAt: str


class WebhookEndpointDisabledEventData(TypedDict):
    object: WebhookEndpoint


class WebhookEndpointDisabledEvent(TypedDict):
    id: str
    type: Literal["webhook_endpoint.disabled"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: WebhookEndpointDisabledEventData


class WebhookEndpointTestedEventData(TypedDict):
    object: WebhookEndpoint


class WebhookEndpointTestedEvent(TypedDict):
    id: str
    type: Literal["webhook_endpoint.tested"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: WebhookEndpointTestedEventData


class WebhookReplay(TypedDict):
    queued: int
    nextAfter: int | None


class Withdrawal(TypedDict):
    id: str
    bulkId: str
    status: Literal["queued", "pending", "processing", "completed", "failed"]
    amountToPayToken: str
    outCurrencyIsoCode: str
    toAddress: str
    externalId: str | None
    transactionHash: str | None
    transferTokenStatus: str | None
    errorMessage: str | None
    createdAt: str
    updatedAt: str


class WithdrawalApprovalRequestedEventData(TypedDict):
    object: Withdrawal


class WithdrawalApprovalRequestedEvent(TypedDict):
    id: str
    type: Literal["withdrawal.approval_requested"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: WithdrawalApprovalRequestedEventData


class WithdrawalCompletedEventData(TypedDict):
    object: Withdrawal
    previousStatus: NotRequired[str]


class WithdrawalCompletedEvent(TypedDict):
    id: str
    type: Literal["withdrawal.completed"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: WithdrawalCompletedEventData


class WithdrawalFailedEventData(TypedDict):
    object: Withdrawal
    previousStatus: NotRequired[str]


class WithdrawalFailedEvent(TypedDict):
    id: str
    type: Literal["withdrawal.failed"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: WithdrawalFailedEventData


class WithdrawalPendingEventData(TypedDict):
    object: Withdrawal
    previousStatus: NotRequired[str]


class WithdrawalPendingEvent(TypedDict):
    id: str
    type: Literal["withdrawal.pending"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: WithdrawalPendingEventData


class WithdrawalProcessingEventData(TypedDict):
    object: Withdrawal
    previousStatus: NotRequired[str]


class WithdrawalProcessingEvent(TypedDict):
    id: str
    type: Literal["withdrawal.processing"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: WithdrawalProcessingEventData


class WithdrawalQueuedEventData(TypedDict):
    object: Withdrawal


class WithdrawalQueuedEvent(TypedDict):
    id: str
    type: Literal["withdrawal.queued"]
    timestamp: str
    sequence: int
    apiVersion: str
    data: WithdrawalQueuedEventData
