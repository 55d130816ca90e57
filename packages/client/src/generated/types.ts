// Written by `npm run client` from the API reference. Do not edit.

export interface paths {
    "/api/crypto/{userId}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a withdrawal
         * @description Stores a withdrawal as `queued` and pays it asynchronously. Follow it with
         *     [List withdrawals](#tag/withdrawals/GET/api/crypto/{userId}/withdraws).
         *
         *     `to` decides who is paid:
         *
         *     - An email address (with `@`) or a user id (UUID): the verified smart wallet of that user.
         *     - A wallet address (`0x` and 40 hex digits): that address.
         *
         *     Send an `Idempotency-Key` to be able to repeat a request safely: the repeated request gets the first
         *     answer, with the header `idempotency-replayed: true`, and nobody is paid twice.
         */
        post: operations["createWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/crypto/{userId}/withdraws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List withdrawals
         * @description Withdrawals of a user that the partner created, newest first. All filters must match.
         */
        get: operations["listWithdrawals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/crypto/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List assets
         * @description Currencies and networks that can be withdrawn, with their limits and finality.
         */
        get: operations["listAssets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read history
         * @description Account and card history of the user that owns the key, newest first. The shape of the answer depends
         *     on `feature`; choose an example to see it.
         *
         *     With `resource=account`:
         *
         *     - `account`: the settled ledger, all types.
         *     - `account-onramp`: deposits.
         *     - `account-offramp`: withdrawals.
         *     - `account-swap`: conversions: swaps and bridges.
         *     - `account-crypto`: transfers and sends.
         *     - `account-portifolio`: portfolio activity: transfers, conversions and bridges (the spelling is the contract’s).
         *     - `account-unsettled`: everything that is not settled yet, rejected or canceled.
         *
         *     With `resource=cards`:
         *
         *     - `cards-transactions`: payments by card and refunds; `filterByText` searches merchant and description.
         *     - `cards-summary`: the cards as they were at `asOf`; without `status`, canceled cards are hidden.
         *     - `cards-balance`: movements of the collateral behind the cards.
         *
         *     At most 2 requests of a user in 2 seconds.
         */
        get: operations["getHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/history/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a statement
         * @description The lines of the account as a file: the same set as in the history. `camt053` and `ofx` need `feature=account`.
         */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/consent/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request data of a user
         * @description Redirect the user to `link`. The user signs in, reads who asks for what, and decides. Then the user
         *     returns to `redirect_uri` with `consent_id`, the decision and your `state`. The link works once, for one
         *     user, for 15 minutes.
         */
        post: operations["requestConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/consent/{consentId}/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read consented data
         * @description The data that the user shares. Scopes that the user did not grant are absent from `user`.
         */
        get: operations["readConsentedData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/consent/{consentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a consent
         * @description The state of a consent, without data of the user.
         */
        get: operations["showConsent"];
        put?: never;
        post?: never;
        /**
         * Revoke a consent
         * @description Ends a consent at once. Repeating the call has no effect.
         */
        delete: operations["revokeConsent"];
        options?: never;
        head?: never;
        /**
         * Reduce a consent
         * @description Keeps some of the granted scopes. Scopes cannot be added: request a new consent for them.
         */
        patch: operations["reduceConsent"];
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccountPage: components["schemas"]["LedgerPage"] | components["schemas"]["UnsettledPage"];
        AccountPageInfo: {
            hasNextPage: boolean;
            /** @description From 0 */
            currentPage: number;
            pageSize: number;
            numberOfPages: number;
            /** @description Exact number of items on all pages */
            totalCount: number;
            /**
             * @description Always false
             * @constant
             */
            totalCountIsEstimate: false;
        };
        Asset: {
            currency: string;
            network: string;
            /** @description Address of the token contract */
            contractAddress: string;
            /** @description How many decimals an amount may have */
            decimals: number;
            /** @description Smallest amount of a withdrawal */
            minimum: string;
            /** @description Largest amount; null if there is no limit */
            maximum: string | null;
            /** @description When a payment counts as final */
            finality: string;
        };
        CardBalanceMovement: {
            /** @description US dollars, above zero; `type` says the direction */
            amount: number;
            /** @description US dollars */
            runningBalance: number;
            /** @description US dollars */
            previousBalance: number;
            description: string;
            /** Format: date-time */
            createdAt: string;
            /** @enum {string} */
            type: "credit" | "debit";
        };
        CardPagination: {
            hasNextPage: boolean;
            /** @description From 0 */
            currentPage: number;
            pageSize: number;
            numberOfPages: number;
            /** @description Exact number of items on all pages */
            totalCount: number;
        };
        CardSnapshot: {
            id: string;
            nickname: string | null;
            lastFourDigits: string;
            /** @enum {string} */
            status: "inactive" | "active" | "locked" | "canceled";
            /** @description US dollars */
            spendingLimit: number;
            /** @enum {string} */
            spendingInterval: "daily" | "weekly" | "monthly" | "yearly" | "all-time";
        };
        CardTransaction: {
            transaction: {
                id: string;
                /** @description US dollars, above zero; `type` says the direction */
                amount: number;
                merchantName: string;
                /** Format: date-time */
                createdAt: string;
                /** @enum {string} */
                type: "purchase" | "refund";
                /** @enum {string} */
                status: "pending" | "settled" | "declined" | "reversed";
                currency: string;
                description: string | null;
                merchantCategory: string | null;
                merchantCountry: string | null;
                /** @description Decimal amount in the currency of the merchant */
                localAmount: string | null;
                localCurrency: string | null;
                /** Format: date-time */
                authorizedAt: string | null;
                /** Format: date-time */
                settledAt: string | null;
                declineReason: string | null;
            };
            card: {
                name: string;
                nickname: string | null;
                lastFourDigits: string;
            };
        };
        CardTransactionsPage: {
            userCardTransactions: components["schemas"]["CardTransaction"][];
            pagination: components["schemas"]["CardPagination"];
            /** @description Names parameters that the feature ignored */
            message?: string;
        };
        CardsBalancePage: {
            cardIssuerUserCollateralMovement: components["schemas"]["CardBalanceMovement"][];
            pagination: components["schemas"]["CardPagination"];
            /** @description Names parameters that the feature ignored */
            message?: string;
        };
        CardsSummaryPage: {
            userCardsSnapshot: components["schemas"]["CardSnapshot"][];
            pagination: components["schemas"]["CardPagination"];
            /** @description Names parameters that the feature ignored */
            message?: string;
        };
        Consent: {
            /** @description UUID, canonical form */
            consent_id: string;
            /** @description UUID, canonical form */
            integration_id: string;
            /** @enum {string} */
            status: "awaiting" | "active" | "rejected" | "revoked" | "expired";
            purpose: string;
            requested_scopes: ("profile" | "email" | "wallet" | "kyc")[];
            optional_scopes: ("profile" | "email" | "wallet" | "kyc")[];
            /** @description Granted scopes; null until the user grants them */
            scopes: ("profile" | "email" | "wallet" | "kyc")[] | null;
            duration: {
                /** @enum {string} */
                type: "one-time" | "days" | "until-revoked";
                days?: number;
            };
            /** Format: date-time */
            requested_at: string;
            /** Format: date-time */
            link_expires_at: string;
            /** Format: date-time */
            granted_at: string | null;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            revoked_at: string | null;
            /** @description user, integration or operator */
            revoked_by: string | null;
        };
        ConsentedData: {
            /** @description UUID, canonical form */
            consent_id: string;
            /** @description UUID, canonical form */
            integration_id: string;
            /** Format: date-time */
            granted_at: string;
            scopes: ("profile" | "email" | "wallet" | "kyc")[];
            user: {
                profile?: {
                    name: string;
                    given_name: string;
                    family_name: string;
                };
                email?: {
                    /** Format: email */
                    address: string;
                    verified: boolean;
                };
                wallet?: {
                    addresses: {
                        /** @enum {string} */
                        chain: "base" | "polygon";
                        address: string;
                    }[];
                    is_business: boolean;
                };
                kyc?: {
                    email: string;
                    /** @enum {string} */
                    entity_type: "individual" | "business";
                    first_name: string;
                    last_name: string;
                    legal_name: string | null;
                    /** @description Empty if unknown, like the two fields below */
                    document_type: string;
                    document_number: string;
                    tax_id: string;
                };
            };
        };
        CreateWithdrawalAnswer: {
            message: string;
            data: {
                /** @description UUID, canonical form */
                bulkId: string;
                externalId?: string;
            };
        };
        CreateWithdrawalRequest: {
            /** @description Decimal amount, digits with an optional fraction */
            amount: string;
            /** @description An email address, a user id (UUID), or a wallet address (`0x` and 40 hex digits) */
            to: string;
            /**
             * @description Such as `USDT`, `USDC` or `EURC`; see `GET /api/crypto/assets`
             * @default USDT
             */
            currency?: string;
            /**
             * @description Such as `polygon`, `ethereum` or `base`; see `GET /api/crypto/assets`
             * @default polygon
             */
            network?: string;
            /** @description Your identifier for the withdrawal */
            externalId?: string | null;
        };
        EndedConsent: {
            /** @description What is wrong, for people */
            error: string;
            /** Format: date-time */
            revoked_at?: string;
            /** Format: date-time */
            expired_at?: string;
            /** @description Stable, for programs */
            code: string;
            /** @description Also in the log and in the header x-request-id */
            requestId: string;
        };
        Error: {
            /** @description What is wrong, for people */
            error: string;
            /** @description Stable, for programs */
            code: string;
            /** @description Also in the log and in the header x-request-id */
            requestId: string;
            /** @description The invalid fields of the request */
            details?: {
                field: string;
                message: string;
            }[];
        };
        HistoryPage: components["schemas"]["AccountPage"] | components["schemas"]["CardTransactionsPage"] | components["schemas"]["CardsSummaryPage"] | components["schemas"]["CardsBalancePage"];
        LedgerNode: {
            /** @description Operation of the line. The legs of a conversion between networks share it */
            id: string;
            /** @description `{transactionHash}:{logIndex}`, or an opaque unique value */
            uniqueHashId: string | null;
            /** Format: date-time */
            transactionDate: string;
            /**
             * @description buy: deposit. sell: withdrawal. swap-bridge: conversion. transfer-token: transfer
             * @enum {string}
             */
            transactionType: "buy" | "sell" | "swap-bridge" | "transfer-token";
            description: string;
            network: string;
            /** @description Asset of `amount` and `runningBalance` */
            asset: string;
            /** @description Exact decimal */
            amount: string;
            assetSent?: string;
            /** @description Exact decimal */
            amountSent?: string;
            assetReceived?: string;
            /** @description Exact decimal */
            amountReceived?: string;
            /** Format: date-time */
            executedAt: string | null;
            transactionPurpose: string;
            /** @description Text of the user */
            userDescription: string | null;
            status: string;
            /** @description Balance of `asset` after the transaction */
            runningBalance: string;
        };
        LedgerPage: {
            nodes: components["schemas"]["LedgerNode"][];
            pageInfo: components["schemas"]["AccountPageInfo"];
            /** @description Names parameters that the feature ignored */
            message?: string;
        };
        ListAssetsAnswer: {
            message: string;
            data: {
                assets: components["schemas"]["Asset"][];
            };
        };
        ListWithdrawalsAnswer: {
            message: string;
            data: {
                withdraws: components["schemas"]["Withdrawal"][];
                pageInfo: {
                    limit: number;
                    offset: number;
                };
            };
        };
        ReduceConsentRequest: {
            scopes: ("profile" | "email" | "wallet" | "kyc")[];
        };
        RequestConsentRequest: {
            /** @description Data that you ask for */
            scopes: ("profile" | "email" | "wallet" | "kyc")[];
            /** @description Those of `scopes` that the user may leave out */
            optional_scopes?: ("profile" | "email" | "wallet" | "kyc")[];
            /** @description One of the registered URIs, exactly; the user returns there */
            redirect_uri: string;
            /** @description Returned in the redirect as it is */
            state?: string;
            /** @description One of the registered purposes; the user reads it */
            purpose: string;
            duration: {
                /** @enum {string} */
                type: "one-time" | "days" | "until-revoked";
                /** @description With `days` only */
                days?: number;
            };
        };
        RequestedConsent: {
            /** @description UUID, canonical form */
            consent_id: string;
            /** @description Redirect the user to it; it works once, for one user, until it expires */
            link: string;
            /** Format: date-time */
            link_expires_at: string;
            /** @enum {string} */
            status: "awaiting" | "active" | "rejected" | "revoked" | "expired";
        };
        UnsettledNode: {
            /** @description Operation of the line. The legs of a conversion between networks share it */
            id: string;
            /** @description `{transactionHash}:{logIndex}`, or an opaque unique value */
            uniqueHashId: string | null;
            /** Format: date-time */
            transactionDate: string;
            /**
             * @description buy: deposit. sell: withdrawal. swap-bridge: conversion. transfer-token: transfer
             * @enum {string}
             */
            transactionType: "buy" | "sell" | "swap-bridge" | "transfer-token";
            description: string;
            network: string;
            /** @description Asset of `amount` and `runningBalance` */
            asset: string;
            /** @description Exact decimal */
            amount: string;
            assetSent?: string;
            /** @description Exact decimal */
            amountSent?: string;
            assetReceived?: string;
            /** @description Exact decimal */
            amountReceived?: string;
            /** Format: date-time */
            executedAt: string | null;
            transactionPurpose: string;
            /** @description Text of the user */
            userDescription: string | null;
            /** @enum {string} */
            status: "awaiting-payment" | "pending" | "in-analysis" | "started" | "rejected" | "canceled";
            statusReason: string | null;
            /** @description Not settled, so not in a balance */
            runningBalance: null;
            /** Format: date-time */
            updatedAt: string;
        };
        UnsettledPage: {
            nodes: components["schemas"]["UnsettledNode"][];
            pageInfo: components["schemas"]["AccountPageInfo"];
            /** @description Names parameters that the feature ignored */
            message?: string;
        };
        Withdrawal: {
            /** @description Id of the entry */
            id: string;
            /** @description Id from the answer to the creation */
            bulkId: string;
            /**
             * @description queued: waits. pending: prepared. processing: executed on chain. completed: paid. failed: see errorMessage
             * @enum {string}
             */
            status: "queued" | "pending" | "processing" | "completed" | "failed";
            /** @description Decimal amount */
            amountToPayToken: string;
            /** @description Symbol of the token */
            outCurrencyIsoCode: string;
            /** @description Wallet address of the recipient */
            toAddress: string;
            /** @description Your identifier */
            externalId: string | null;
            /** @description Hash of the transaction on chain */
            transactionHash: string | null;
            /** @description Transfer on chain: signed, broadcast, mined, confirmed, reverted or replaced; null before */
            transferTokenStatus: string | null;
            /** @description Why the withdrawal failed */
            errorMessage: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createWithdrawal: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Idempotency key: repeating a request with it returns the first answer
                 * @example payout-2026-07-31-0042
                 */
                "idempotency-key"?: string;
            };
            path: {
                /**
                 * @description UUID
                 * @example 0198a6a0-0000-7000-8000-000000000001
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWithdrawalRequest"];
            };
        };
        responses: {
            /** @description The withdrawal is stored. `externalId` is present if the request has one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateWithdrawalAnswer"];
                };
            };
        };
    };
    listWithdrawals: {
        parameters: {
            query?: {
                /**
                 * @description Page number, from 1
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Withdrawals in a page
                 * @example 20
                 */
                perPage?: number;
                /** @description Only the withdrawal with this id, from the answer to its creation */
                bulkId?: string;
                /** @description Only the withdrawal that this transaction paid; upper or lower case */
                transactionHash?: string;
                /** @description Only withdrawals in this status */
                status?: "queued" | "pending" | "processing" | "completed" | "failed";
                /** @description Only withdrawals that were created with this identifier */
                externalId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6a0-0000-7000-8000-000000000001
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of withdrawals. It is empty after the last one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWithdrawalsAnswer"];
                };
            };
        };
    };
    listAssets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All assets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAssetsAnswer"];
                };
            };
        };
    };
    getHistory: {
        parameters: {
            query: {
                /**
                 * @description What to read
                 * @example account
                 */
                resource: "account" | "cards";
                /**
                 * @description Which part of it; must belong to `resource`
                 * @example account
                 */
                feature: "account" | "account-onramp" | "account-offramp" | "account-swap" | "account-crypto" | "account-portifolio" | "account-unsettled" | "cards-transactions" | "cards-summary" | "cards-balance";
                /** @description Page number, from 0 */
                currentPage?: number;
                /** @description Items in a page */
                pageSize?: number;
                /**
                 * @description ISO 8601; a year, a month or a day, such as 2026-01, is all of it in UTC
                 * @example 2026-07-01
                 */
                startDate?: string;
                /**
                 * @description ISO 8601; a year, a month or a day, such as 2026-01, is all of it in UTC
                 * @example 2026-07-31T23:59:59Z
                 */
                endDate?: string;
                /** @description Only `cards-transactions`: text in the merchant’s name or the description */
                filterByText?: string;
                /** @description Only what is dated up to this instant; for `cards-summary`, the cards as they were */
                asOf?: string;
                /** @description Only `cards-summary`. Without it, canceled cards are hidden; `all` shows every card */
                status?: "all" | "active" | "inactive" | "locked" | "canceled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. Pages run through the whole history; only the last one may be shorter. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryPage"];
                };
            };
        };
    };
    getStatement: {
        parameters: {
            query?: {
                /** @description Type of the file */
                format?: "csv" | "pdf" | "xlsx" | "camt053" | "ofx";
                /**
                 * @description Which lines
                 * @example account
                 */
                feature?: "account" | "account-onramp" | "account-offramp" | "account-swap" | "account-crypto" | "account-portifolio";
                /**
                 * @description ISO 8601; a year, a month or a day, such as 2026-01, is all of it in UTC
                 * @example 2026-07-01
                 */
                startDate?: string;
                /**
                 * @description ISO 8601; a year, a month or a day, such as 2026-01, is all of it in UTC
                 * @example 2026-07-31T23:59:59Z
                 */
                endDate?: string;
                /** @description Language of the file */
                lang?: "en" | "pt";
                /** @description Which lines come first. Default: `oldest` for camt053 and ofx, else `newest` */
                order?: "newest" | "oldest";
                /** @description Begin a CSV with a byte order mark, for spreadsheets */
                bom?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, streamed. If it fails on the way, it is cut off. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id,uniqueHashId,transactionDate,transactionType,description,status,network,asset,amount,assetSent,amountSent,assetReceived,amountReceived,runningBalance,executedAt,transactionPurpose,userDescription,signedAmount
                     *     deposit-1,deposit-1:0,2026-07-31T12:00:00.000Z,buy,Deposit,completed,base,USDC,300,,,USDC,300,300,2026-07-31T12:00:00.000Z,deposit,,300
                     */
                    "text/csv": string;
                    /** @example %PDF-1.7 … */
                    "application/pdf": string;
                    /** @example PK… */
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    /** @example <?xml version="1.0" encoding="UTF-8"?>… */
                    "application/xml": string;
                    /** @example <?xml version="1.0" encoding="UTF-8"?><?OFX … */
                    "application/x-ofx": string;
                };
            };
        };
    };
    requestConsent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestConsentRequest"];
            };
        };
        responses: {
            /** @description The request is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedConsent"];
                };
            };
        };
    };
    readConsentedData: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The UUID from the answer to the request and from the redirect
                 * @example 0198a6d2-7e11-7a40-b1c5-9f3e2d4c6a80
                 */
                consentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The data as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsentedData"];
                };
            };
        };
    };
    showConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The UUID from the answer to the request and from the redirect
                 * @example 0198a6d2-7e11-7a40-b1c5-9f3e2d4c6a80
                 */
                consentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The consent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consent"];
                };
            };
        };
    };
    revokeConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The UUID from the answer to the request and from the redirect
                 * @example 0198a6d2-7e11-7a40-b1c5-9f3e2d4c6a80
                 */
                consentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revoked consent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consent"];
                };
            };
        };
    };
    reduceConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The UUID from the answer to the request and from the redirect
                 * @example 0198a6d2-7e11-7a40-b1c5-9f3e2d4c6a80
                 */
                consentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReduceConsentRequest"];
            };
        };
        responses: {
            /** @description The consent with its remaining scopes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consent"];
                };
            };
        };
    };
}
