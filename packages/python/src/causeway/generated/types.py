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


class Asset(TypedDict):
    currency: str
    network: str
    contractAddress: str
    decimals: int
    minimum: str
    maximum: str | None
    finality: str


class CardBalanceMovement(TypedDict):
    amount: float
    runningBalance: float
    previousBalance: float
    description: str
    createdAt: str
    type: Literal["credit", "debit"]


class CardPagination(TypedDict):
    hasNextPage: bool
    currentPage: int
    pageSize: int
    numberOfPages: int
    totalCount: int


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


class CardTransactionsPage(TypedDict):
    userCardTransactions: list[CardTransaction]
    pagination: CardPagination
    message: NotRequired[str]


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


HistoryPage = Union["AccountPage", "CardTransactionsPage", "CardsSummaryPage", "CardsBalancePage"]


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


class ListAssetsAnswerData(TypedDict):
    assets: list[Asset]


class ListAssetsAnswer(TypedDict):
    message: str
    data: ListAssetsAnswerData


class ListWithdrawalsAnswerDataPageInfo(TypedDict):
    limit: int
    offset: int


class ListWithdrawalsAnswerData(TypedDict):
    withdraws: list[Withdrawal]
    pageInfo: ListWithdrawalsAnswerDataPageInfo


class ListWithdrawalsAnswer(TypedDict):
    message: str
    data: ListWithdrawalsAnswerData


class ReduceConsentRequest(TypedDict):
    scopes: list[Literal["profile", "email", "wallet", "kyc"]]


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
