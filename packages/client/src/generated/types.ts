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
         *
         *     How many a partner may create in 10 seconds is limited, for each user and in all: see the header
         *     `RateLimit`. Repeated requests do not count.
         *
         *     By session, it needs the role `finance` or `owner`, and the passkey within the last five minutes.
         */
        post: operations["createWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/crypto/{userId}/withdrawals/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create withdrawals in bulk
         * @description Stores up to 1,000 withdrawals of a user as `queued`, all or none, under one `bulkId`. List them with the
         *     filter `bulkId` of [List withdrawals](#tag/withdrawals/GET/api/crypto/{userId}/withdraws).
         *
         *     If some cannot be created, nothing is stored, and `details` names each of them by its place, such as
         *     `withdrawals.3.to`.
         *
         *     Send an `Idempotency-Key`, as for a single withdrawal. A key holds for both: it is refused for another
         *     request of either kind.
         *
         *     How many requests a partner may send in a minute is limited: see the header `RateLimit`.
         */
        post: operations["createBulk"];
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
         * @description Currencies and networks that can be withdrawn, with their limits and finality. By session, `remaining` is null: see /api/limits.
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
    "/api/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read limits
         * @description What the limits of your account leave to this key, and when more may be paid. A withdrawal beyond a limit is refused with 403, or waits for approval. By session, `userId` is required, and the limits are those of the person.
         */
        get: operations["readLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List withdrawals of all users
         * @description What the partner created for any user, newest first, by cursor. All filters must match. Users who are no longer on your list are included.
         */
        get: operations["listPartnerWithdrawals"];
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
         * @description The lines of the account as a file: the same set as in the history. `camt053` and `ofx` need `feature=account`. By session, with the role `finance` or `owner`.
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
    "/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys
         * @description Of the partner, with status and last use, in the order of their ids.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Issue a key
         * @description The answer has the token, once.
         *
         *     - A key gives what it has itself: its scopes, its user, its addresses, and no later expiry. It never
         *       gives `partner:admin`, `withdrawals:create` or `mcp_card_reveal`.
         *     - A developer gives every scope but `partner:admin` and `mcp_card_reveal`, an owner also
         *       `partner:admin`. Only the operator gives `mcp_card_reveal`.
         *     - A key that a key issued is revoked together with it.
         */
        post: operations["issueKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a key */
        get: operations["showKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a key
         * @description The new key has the terms of the old one, which you must be able to give. The old one works until the overlap ends.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{keyId}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a key
         * @description From the next request on, with the keys that it issued. A key may revoke itself. Repeating it has no effect.
         */
        post: operations["revokeKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/addresses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the address book
         * @description Entries of the partner with those that wait for a confirmation, oldest first.
         */
        get: operations["listAddresses"];
        put?: never;
        /**
         * Propose an address
         * @description Rules do not see it until another person confirms it. So neither a stolen key nor one person alone adds
         *     a recipient. People need the role `finance` or `owner`.
         */
        post: operations["proposeAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/addresses/{addressId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an address
         * @description From the book, or what waits. Payments that are not signed yet are judged without it.
         */
        delete: operations["removeAddress"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requests
         * @description What was asked with keys of the partner, and by its people by session, newest first. People need the role
         *     `developer` or `owner`.
         *
         *     - Refused requests are listed if the secret of their key was right, also if the key is expired or revoked.
         *     - Rows appear after about a second. They are kept for 7 days, and at most the newest 100,000.
         *     - It is for looking things up: under overload, or when a server crashes, rows can be missing.
         *     - Queries, headers and bodies are not kept.
         */
        get: operations["listRequests"];
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
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read events
         * @description All events, in order. Store `next` after you have processed an answer, and pass it as `after` in the next
         *     request: this way nothing is lost, whatever fails on the way. Numbers may skip, such as after a failover.
         *     Events are kept for 400 days.
         *
         *     With `wait`, a request that finds nothing new waits up to that many seconds for the next event.
         *
         *     - `withdrawal.queued`: A withdrawal was created.
         *     - `withdrawal.pending`: Its amount is held; or its transaction was proven void, and it is paid again.
         *     - `withdrawal.approval_requested`: It waits until people approve it.
         *     - `withdrawal.processing`: Its transaction is signed.
         *     - `withdrawal.completed`: It is paid, and final on chain.
         *     - `withdrawal.failed`: It is not paid; `errorMessage` says why.
         *     - `deposit.posted`: A deposit on chain was added to the ledger of a user.
         *     - `ledger.line_posted`: A line was added to the ledger of a user.
         *     - `card.created`: A user has a new card.
         *     - `card.updated`: Name, status or limit of a card changed; `previousStatus` is present if the status did.
         *     - `card_transaction.authorized`: A payment by card was authorized.
         *     - `card_transaction.settled`: A payment by card was booked.
         *     - `card_transaction.declined`: `declineReason` says why.
         *     - `card_transaction.reversed`: An authorized payment was released.
         *     - `card_transaction.refunded`: A refund was booked.
         *     - `card_refill.completed`: A refill of card collateral was paid.
         *     - `card_refill.failed`: `failureReason` says why.
         *     - `key.rotated`: A key was replaced; it works until `expiresAt`.
         *     - `key.revoked`: A key was revoked; it no longer works.
         *     - `webhook_endpoint.disabled`: An endpoint was disabled by the operator, because it answered 410 or failed for five days, or because the key that set it was stopped.
         *     - `webhook_endpoint.tested`: You asked for a test; it is sent to that endpoint only.
         *
         *     Events about an account or its cards are for keys of that user only; others are for every key of the
         *     partner. Numbers that a key may not see are skipped.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read events of an integration
         * @description All events, in order. Store `next` after you have processed an answer, and pass it as `after` in the next
         *     request: this way nothing is lost, whatever fails on the way. Numbers may skip, such as after a failover.
         *     Events are kept for 400 days.
         *
         *     With `wait`, a request that finds nothing new waits up to that many seconds for the next event.
         *
         *     - `consent.granted`: The user granted a request.
         *     - `consent.refused`: The user refused a request.
         *     - `consent.reduced`: Scopes were taken back; `scopes` has those that are left.
         *     - `consent.revoked`: It ended; reads are refused with 410.
         *     - `consent.expired`: Its time is over, or its only read was made.
         *     - `key.rotated`: A key was replaced; it works until `expiresAt`.
         *     - `key.revoked`: A key was revoked; it no longer works.
         *     - `webhook_endpoint.disabled`: An endpoint was disabled by the operator, because it answered 410 or failed for five days, or because the key that set it was stopped.
         *     - `webhook_endpoint.tested`: You asked for a test; it is sent to that endpoint only.
         */
        get: operations["listIntegrationEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhook endpoints */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description Events are sent there by POST as they happen, signed as Standard Webhooks says. Any status from 200 to
         *     299 within 15 seconds counts as received; anything else is retried for three days.
         *
         *     The answer has the secret, once. See the guide “Receive events”.
         *
         *     An endpoint of a key receives events of the partner and of its user. The key needs `webhooks:manage`, or
         *     `partner:admin` with `events:read`. A person with the role `developer` or `owner` chooses another user or
         *     all users. If the key is revoked or suspended, the endpoint is disabled.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/endpoints/{endpointId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a webhook endpoint */
        get: operations["showWebhookEndpoint"];
        put?: never;
        post?: never;
        /** Delete a webhook endpoint */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description What is left out stays as it is. With `enabled` and `replayMissed`, what was missed is sent first. To endpoints of other users, a key with `partner:admin` sends only `enabled: false`.
         */
        patch: operations["updateWebhookEndpoint"];
        trace?: never;
    };
    "/api/webhooks/endpoints/{endpointId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret
         * @description The old secret and the old private key sign as well for 24 hours.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/endpoints/{endpointId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description The event `webhook_endpoint.tested` is sent to this endpoint, and is in the feed.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/endpoints/{endpointId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send events again
         * @description One event, those of a period, or what was missed while the endpoint was disabled. Ids stay the same.
         */
        post: operations["replayWebhookEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/endpoints/{endpointId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description Of the last 30 days, newest first.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/endpoints/{endpointId}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a delivery
         * @description What was sent, and the answer to each attempt.
         */
        get: operations["showWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/webhook-keys/{endpointId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the public keys of an endpoint
         * @description For signatures `v1a` (Ed25519). Two keys during the 24 hours after a rotation. Needs no key.
         */
        get: operations["listWebhookKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhook endpoints */
        get: operations["listIntegrationWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description Events are sent there by POST as they happen, signed as Standard Webhooks says. Any status from 200 to
         *     299 within 15 seconds counts as received; anything else is retried for three days.
         *
         *     The answer has the secret, once. See the guide “Receive events”.
         */
        post: operations["createIntegrationWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/endpoints/{endpointId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a webhook endpoint */
        get: operations["showIntegrationWebhookEndpoint"];
        put?: never;
        post?: never;
        /** Delete a webhook endpoint */
        delete: operations["deleteIntegrationWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description What is left out stays as it is. With `enabled` and `replayMissed`, what was missed is sent first. To endpoints of other users, a key with `partner:admin` sends only `enabled: false`.
         */
        patch: operations["updateIntegrationWebhookEndpoint"];
        trace?: never;
    };
    "/api/v1/webhooks/endpoints/{endpointId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret
         * @description The old secret and the old private key sign as well for 24 hours.
         */
        post: operations["rotateIntegrationWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/endpoints/{endpointId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description The event `webhook_endpoint.tested` is sent to this endpoint, and is in the feed.
         */
        post: operations["testIntegrationWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/endpoints/{endpointId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send events again
         * @description One event, those of a period, or what was missed while the endpoint was disabled. Ids stay the same.
         */
        post: operations["replayIntegrationWebhookEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/endpoints/{endpointId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description Of the last 30 days, newest first.
         */
        get: operations["listIntegrationWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/endpoints/{endpointId}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a delivery
         * @description What was sent, and the answer to each attempt.
         */
        get: operations["showIntegrationWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "withdrawal.queued": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * withdrawal.queued
         * @description A withdrawal was created
         */
        post: operations["onWithdrawalQueuedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "withdrawal.pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * withdrawal.pending
         * @description Its amount is held; or its transaction was proven void, and it is paid again
         */
        post: operations["onWithdrawalPendingEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "withdrawal.approval_requested": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * withdrawal.approval_requested
         * @description It waits until people approve it
         */
        post: operations["onWithdrawalApprovalRequestedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "withdrawal.processing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * withdrawal.processing
         * @description Its transaction is signed
         */
        post: operations["onWithdrawalProcessingEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "withdrawal.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * withdrawal.completed
         * @description It is paid, and final on chain
         */
        post: operations["onWithdrawalCompletedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "withdrawal.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * withdrawal.failed
         * @description It is not paid; `errorMessage` says why
         */
        post: operations["onWithdrawalFailedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deposit.posted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * deposit.posted
         * @description A deposit on chain was added to the ledger of a user
         */
        post: operations["onDepositPostedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "ledger.line_posted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * ledger.line_posted
         * @description A line was added to the ledger of a user
         */
        post: operations["onLedgerLinePostedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "card.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * card.created
         * @description A user has a new card
         */
        post: operations["onCardCreatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "card.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * card.updated
         * @description Name, status or limit of a card changed; `previousStatus` is present if the status did
         */
        post: operations["onCardUpdatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "card_transaction.authorized": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * card_transaction.authorized
         * @description A payment by card was authorized
         */
        post: operations["onCardTransactionAuthorizedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "card_transaction.settled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * card_transaction.settled
         * @description A payment by card was booked
         */
        post: operations["onCardTransactionSettledEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "card_transaction.declined": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * card_transaction.declined
         * @description `declineReason` says why
         */
        post: operations["onCardTransactionDeclinedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "card_transaction.reversed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * card_transaction.reversed
         * @description An authorized payment was released
         */
        post: operations["onCardTransactionReversedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "card_transaction.refunded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * card_transaction.refunded
         * @description A refund was booked
         */
        post: operations["onCardTransactionRefundedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "card_refill.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * card_refill.completed
         * @description A refill of card collateral was paid
         */
        post: operations["onCardRefillCompletedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "card_refill.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * card_refill.failed
         * @description `failureReason` says why
         */
        post: operations["onCardRefillFailedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "consent.granted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * consent.granted
         * @description The user granted a request
         */
        post: operations["onConsentGrantedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "consent.refused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * consent.refused
         * @description The user refused a request
         */
        post: operations["onConsentRefusedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "consent.reduced": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * consent.reduced
         * @description Scopes were taken back; `scopes` has those that are left
         */
        post: operations["onConsentReducedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "consent.revoked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * consent.revoked
         * @description It ended; reads are refused with 410
         */
        post: operations["onConsentRevokedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "consent.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * consent.expired
         * @description Its time is over, or its only read was made
         */
        post: operations["onConsentExpiredEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key.rotated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * key.rotated
         * @description A key was replaced; it works until `expiresAt`
         */
        post: operations["onKeyRotatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key.revoked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * key.revoked
         * @description A key was revoked; it no longer works
         */
        post: operations["onKeyRevokedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook_endpoint.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * webhook_endpoint.disabled
         * @description An endpoint was disabled by the operator, because it answered 410 or failed for five days, or because the key that set it was stopped
         */
        post: operations["onWebhookEndpointDisabledEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook_endpoint.tested": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * webhook_endpoint.tested
         * @description You asked for a test; it is sent to that endpoint only
         */
        post: operations["onWebhookEndpointTestedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
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
        ApiKey: {
            id: string;
            name: string;
            /** @description UUID, canonical form */
            partnerId: string;
            /** @description UUID, canonical form */
            userId: string;
            scopes: string[];
            ipAllowlist: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            rotatedFrom: string | null;
            /** Format: date-time */
            rotatedAt: string | null;
            /** Format: date-time */
            suspendedAt: string | null;
            /** @description The key that issued it; both end together */
            issuedByKey: string | null;
            /**
             * @description Active and rotated keys work; a rotated one ends at expiresAt
             * @enum {string}
             */
            status: "active" | "rotated" | "suspended" | "partner suspended" | "user suspended" | "user not allowed" | "expired" | "revoked";
            /**
             * Format: date-time
             * @description To the minute; null if it was never used
             */
            lastUsedAt: string | null;
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
            /** @description What the limits of your account leave now; null if no limit applies. See /api/limits */
            remaining: string | null;
            /**
             * Format: date-time
             * @description When it grows next; null if nothing was paid
             */
            remainingGrowsAt: string | null;
        };
        BookAddress: {
            /** @description UUID, canonical form */
            id: string;
            address: string;
            name: string;
            /** @description Null: on every network */
            network: string | null;
            /**
             * @description waiting: another person must confirm it first
             * @enum {string}
             */
            status: "usable" | "waiting";
            /** @description person: or key: and the id of who proposed it, then of who confirmed it; or operator */
            addedBy: string;
            /** Format: date-time */
            addedAt: string;
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
        /** @description A user has a new card */
        CardCreatedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "card.created";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["CardSnapshot"];
            };
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
        /** @description A refill of card collateral was paid */
        CardRefillCompletedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "card_refill.completed";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: {
                    id: string;
                    amount: string;
                    /** @enum {string} */
                    status: "queued" | "processing" | "completed" | "failed";
                    retries: number;
                    transactionHash: string | null;
                    /** Format: date-time */
                    executedAt: string | null;
                    cardIssuerUserId: string;
                    /** Format: date-time */
                    createdAt: string;
                    failureReason?: string;
                };
                /** @description Status before the change */
                previousStatus?: string;
            };
        };
        /** @description `failureReason` says why */
        CardRefillFailedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "card_refill.failed";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: {
                    id: string;
                    amount: string;
                    /** @enum {string} */
                    status: "queued" | "processing" | "completed" | "failed";
                    retries: number;
                    transactionHash: string | null;
                    /** Format: date-time */
                    executedAt: string | null;
                    cardIssuerUserId: string;
                    /** Format: date-time */
                    createdAt: string;
                    failureReason?: string;
                };
                /** @description Status before the change */
                previousStatus?: string;
            };
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
        /** @description A payment by card was authorized */
        CardTransactionAuthorizedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "card_transaction.authorized";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["CardTransaction"];
            };
        };
        /** @description `declineReason` says why */
        CardTransactionDeclinedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "card_transaction.declined";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["CardTransaction"];
                /** @description Status before the change */
                previousStatus?: string;
            };
        };
        /** @description A refund was booked */
        CardTransactionRefundedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "card_transaction.refunded";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["CardTransaction"];
                /** @description Status before the change */
                previousStatus?: string;
            };
        };
        /** @description An authorized payment was released */
        CardTransactionReversedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "card_transaction.reversed";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["CardTransaction"];
                /** @description Status before the change */
                previousStatus?: string;
            };
        };
        /** @description A payment by card was booked */
        CardTransactionSettledEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "card_transaction.settled";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["CardTransaction"];
                /** @description Status before the change */
                previousStatus?: string;
            };
        };
        CardTransactionsPage: {
            userCardTransactions: components["schemas"]["CardTransaction"][];
            pagination: components["schemas"]["CardPagination"];
            /** @description Names parameters that the feature ignored */
            message?: string;
        };
        /** @description Name, status or limit of a card changed; `previousStatus` is present if the status did */
        CardUpdatedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "card.updated";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["CardSnapshot"];
                /** @description Status before the change */
                previousStatus?: string;
            };
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
        /** @description Its time is over, or its only read was made */
        ConsentExpiredEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "consent.expired";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["Consent"];
                /** @description Status before the change */
                previousStatus?: string;
            };
        };
        /** @description The user granted a request */
        ConsentGrantedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "consent.granted";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["Consent"];
                /** @description Status before the change */
                previousStatus?: string;
            };
        };
        /** @description Scopes were taken back; `scopes` has those that are left */
        ConsentReducedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "consent.reduced";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["Consent"];
            };
        };
        /** @description The user refused a request */
        ConsentRefusedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "consent.refused";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["Consent"];
                /** @description Status before the change */
                previousStatus?: string;
            };
        };
        /** @description It ended; reads are refused with 410 */
        ConsentRevokedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "consent.revoked";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["Consent"];
                /** @description Status before the change */
                previousStatus?: string;
            };
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
        CreateBulkAnswer: {
            message: string;
            data: {
                /** @description UUID, canonical form */
                bulkId: string;
                /** @description How many withdrawals have this bulk id */
                count: number;
            };
        };
        CreateBulkRequest: {
            /** @description Each as in “Create a withdrawal” */
            withdrawals: {
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
            }[];
        };
        CreateIntegrationWebhookEndpointRequest: {
            /** @description Where events are sent: https, a public address, port 443 or 8443 */
            url: string;
            /** @description Only these types of events; null: all types */
            types?: string[] | null;
            /** @description true: events of one resource are sent one after another. false: as fast as you accept them */
            ordered?: boolean;
            /** @description Your note */
            description?: string | "";
        };
        CreateWebhookEndpointRequest: {
            /** @description Where events are sent: https, a public address, port 443 or 8443 */
            url: string;
            /** @description Only these types of events; null: all types */
            types?: string[] | null;
            /** @description true: events of one resource are sent one after another. false: as fast as you accept them */
            ordered?: boolean;
            /** @description Your note */
            description?: string | "";
            /** @description Also send events about the account of this user. By key: only its own user, the default */
            userId?: string;
            /** @description Also send events about the accounts of all your users. Not by key */
            allUsers?: boolean;
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
        CreatedWebhookEndpoint: {
            /** @description UUID, canonical form */
            id: string;
            /** @description Where events are sent: https, a public address, port 443 or 8443 */
            url: string;
            /** @description Only these types of events; null: all types */
            types: string[] | null;
            /** @description true: events of one resource are sent one after another. false: as fast as you accept them */
            ordered: boolean;
            /** @description Your note */
            description: string | "";
            enabled: boolean;
            /** Format: date-time */
            disabledAt: string | null;
            /**
             * @description gone: it answered 410. failing: every attempt of five days failed. key: the key that set it was revoked or suspended
             * @enum {string|null}
             */
            disabledReason: "owner" | "operator" | "gone" | "failing" | "key" | null;
            /** @description The sequence after which events were not sent, because it was disabled; null: none is missing */
            missedAfter: number | null;
            /**
             * Format: date-time
             * @description When attempts began to fail; null after a success
             */
            failingSince: string | null;
            /** @description For signatures `v1a`; two during a rotation */
            publicKeys: string[];
            /** @description UUID, canonical form */
            partnerId: string | null;
            /** @description UUID, canonical form */
            integrationId: string | null;
            /** @description It also receives events about the account of this user */
            userId: string | null;
            /** @description It receives events about the accounts of all users */
            allUsers: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description Verifies signatures `v1`. Shown only in this answer */
            secret: string;
        };
        /** @description A deposit on chain was added to the ledger of a user */
        DepositPostedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "deposit.posted";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["LedgerNode"];
            };
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
        EventFeed: {
            events: (components["schemas"]["WithdrawalQueuedEvent"] | components["schemas"]["WithdrawalPendingEvent"] | components["schemas"]["WithdrawalApprovalRequestedEvent"] | components["schemas"]["WithdrawalProcessingEvent"] | components["schemas"]["WithdrawalCompletedEvent"] | components["schemas"]["WithdrawalFailedEvent"] | components["schemas"]["DepositPostedEvent"] | components["schemas"]["LedgerLinePostedEvent"] | components["schemas"]["CardCreatedEvent"] | components["schemas"]["CardUpdatedEvent"] | components["schemas"]["CardTransactionAuthorizedEvent"] | components["schemas"]["CardTransactionSettledEvent"] | components["schemas"]["CardTransactionDeclinedEvent"] | components["schemas"]["CardTransactionReversedEvent"] | components["schemas"]["CardTransactionRefundedEvent"] | components["schemas"]["CardRefillCompletedEvent"] | components["schemas"]["CardRefillFailedEvent"] | components["schemas"]["KeyRotatedEvent"] | components["schemas"]["KeyRevokedEvent"] | components["schemas"]["WebhookEndpointDisabledEvent"] | components["schemas"]["WebhookEndpointTestedEvent"])[];
            /** @description Pass it as `after` next time */
            next: number;
        };
        HistoryPage: components["schemas"]["AccountPage"] | components["schemas"]["CardTransactionsPage"] | components["schemas"]["CardsSummaryPage"] | components["schemas"]["CardsBalancePage"];
        IntegrationEventFeed: {
            events: (components["schemas"]["ConsentGrantedEvent"] | components["schemas"]["ConsentRefusedEvent"] | components["schemas"]["ConsentReducedEvent"] | components["schemas"]["ConsentRevokedEvent"] | components["schemas"]["ConsentExpiredEvent"] | components["schemas"]["KeyRotatedEvent"] | components["schemas"]["KeyRevokedEvent"] | components["schemas"]["WebhookEndpointDisabledEvent"] | components["schemas"]["WebhookEndpointTestedEvent"])[];
            /** @description Pass it as `after` next time */
            next: number;
        };
        IssueKeyRequest: {
            name: string;
            /** @description Whose data the key reads. A session must name a user; a key its own */
            userId?: string;
            /** @description What the key may do. If it lists no scope of the API, the usual ones that you may give are added; `api:none` prevents that */
            scopes?: ("mcp" | "mcp_card_reveal" | "mcp:write" | "withdrawals:create" | "withdrawals:read" | "history:read" | "events:read" | "webhooks:manage" | "partner:admin" | "api:none")[];
            /** @description Addresses or CIDR blocks. By default any address, or those of the key that calls */
            ipAllowlist?: string[];
            /**
             * Format: date-time
             * @description By default never, or when the key that calls expires
             */
            expiresAt?: string;
        };
        IssuedApiKey: {
            id: string;
            name: string;
            /** @description UUID, canonical form */
            partnerId: string;
            /** @description UUID, canonical form */
            userId: string;
            scopes: string[];
            ipAllowlist: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            rotatedFrom: string | null;
            /** Format: date-time */
            rotatedAt: string | null;
            /** Format: date-time */
            suspendedAt: string | null;
            /** @description The key that issued it; both end together */
            issuedByKey: string | null;
            /** @description Shown only once; we store only its hash */
            token: string;
        };
        KeyEnd: {
            /** @description The part of the key between `cwk_` or `cwi_` and its secret */
            id: string;
            /** @description Id of the new key */
            replacedBy: string | null;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
        };
        /** @description A key was revoked; it no longer works */
        KeyRevokedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "key.revoked";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["KeyEnd"];
            };
        };
        /** @description A key was replaced; it works until `expiresAt` */
        KeyRotatedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "key.rotated";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["KeyEnd"];
            };
        };
        /** @description A line was added to the ledger of a user */
        LedgerLinePostedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "ledger.line_posted";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["LedgerNode"];
            };
        };
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
        Limit: {
            /** @description The name of the rule */
            rule: string;
            /**
             * @description What happens to a payment that exceeds what remains
             * @enum {string}
             */
            beyond: "denied" | "approval";
            currency: string;
            /** @description Null: on all networks together */
            network: string | null;
            /** @description Whose payments are summed: partner, user, key, network, everything */
            per: string;
            /** @description The time that ends with a payment: hour, day or 30 days */
            window: string;
            limit: string;
            /** @description Paid or to be paid in the window, without failed withdrawals; null if other partners share the limit */
            used: string | null;
            /** @description Null if other partners share the limit */
            remaining: string | null;
            /**
             * Format: date-time
             * @description When the oldest payment leaves the window
             */
            growsAt: string | null;
            /** @description Only payments to these: book, user, paid-before, first-time; null: to all */
            destinations: string[] | null;
        };
        ListAddressesAnswer: {
            items: components["schemas"]["BookAddress"][];
            nextCursor: string | null;
        };
        ListAssetsAnswer: {
            message: string;
            data: {
                assets: components["schemas"]["Asset"][];
            };
        };
        ListIntegrationWebhookDeliveriesAnswer: {
            items: components["schemas"]["WebhookDelivery"][];
            nextCursor: string | null;
        };
        ListIntegrationWebhookEndpointsAnswer: {
            items: components["schemas"]["WebhookEndpoint"][];
            nextCursor: string | null;
        };
        ListKeysAnswer: {
            items: components["schemas"]["ApiKey"][];
            nextCursor: string | null;
        };
        ListPartnerWithdrawalsAnswer: {
            items: components["schemas"]["PartnerWithdrawal"][];
            nextCursor: string | null;
        };
        ListRequestsAnswer: {
            items: components["schemas"]["LoggedRequest"][];
            nextCursor: string | null;
        };
        ListWebhookDeliveriesAnswer: {
            items: components["schemas"]["WebhookDelivery"][];
            nextCursor: string | null;
        };
        ListWebhookEndpointsAnswer: {
            items: components["schemas"]["WebhookEndpoint"][];
            nextCursor: string | null;
        };
        ListWebhookKeysAnswer: {
            keys: string[];
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
        LoggedRequest: {
            /** @description As in the header `x-request-id` of the answer, and in errors */
            requestId: string;
            /** Format: date-time */
            at: string;
            /** @description UUID, canonical form */
            partnerId: string;
            /**
             * @description person: by session, on a page or with its cookie
             * @enum {string}
             */
            by: "key" | "person";
            keyId: string | null;
            /** @description UUID, canonical form */
            personId: string | null;
            method: string;
            /** @description The pattern of the path */
            route: string;
            /** @description With its ids; never the query */
            path: string;
            status: number;
            /** @description `code` of the error that was answered */
            errorCode: string | null;
            durationMs: number;
            callerAddress: string;
        };
        PartnerWithdrawal: {
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
            /** @description UUID, canonical form */
            userId: string;
            network: string;
            /** @description It waits until somebody approves it */
            needsApproval: boolean;
            /** @description The id of a key, or `person:` and the id of a person */
            requestedBy: string;
        };
        ProposeAddressRequest: {
            /** @description 0x and 40 hex digits */
            address: string;
            name: string;
            /** @description Only on this network; default: on all */
            network?: string;
        };
        ReadLimitsAnswer: {
            message: string;
            data: {
                /** @description Without rules, only balances limit what is paid */
                hasRules: boolean;
                limits: components["schemas"]["Limit"][];
            };
        };
        ReduceConsentRequest: {
            scopes: ("profile" | "email" | "wallet" | "kyc")[];
        };
        ReplayIntegrationWebhookEventsRequest: {
            /** @description One event */
            eventId?: string;
            /**
             * Format: date-time
             * @description Events from this instant on
             */
            startDate?: string;
            /**
             * Format: date-time
             * @description Events before this instant
             */
            endDate?: string;
            /** @description Events that were not sent because the endpoint was disabled */
            missed?: boolean;
            /** @description `nextAfter` of the last call, to send the rest of a period */
            after?: number;
        };
        ReplayWebhookEventsRequest: {
            /** @description One event */
            eventId?: string;
            /**
             * Format: date-time
             * @description Events from this instant on
             */
            startDate?: string;
            /**
             * Format: date-time
             * @description Events before this instant
             */
            endDate?: string;
            /** @description Events that were not sent because the endpoint was disabled */
            missed?: boolean;
            /** @description `nextAfter` of the last call, to send the rest of a period */
            after?: number;
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
        RotateKeyRequest: {
            /** @description How long the old key keeps working (default 24) */
            overlapHours?: number;
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
        UpdateIntegrationWebhookEndpointRequest: {
            /** @description Where events are sent: https, a public address, port 443 or 8443 */
            url?: string;
            /** @description Only these types of events; null: all types */
            types?: string[] | null;
            /** @description true: events of one resource are sent one after another. false: as fast as you accept them */
            ordered?: boolean;
            /** @description Your note */
            description?: string | "";
            /** @description Whether events are sent */
            enabled?: boolean;
            /** @description With enabled: also send what was missed, first and in order */
            replayMissed?: boolean;
        };
        UpdateWebhookEndpointRequest: {
            /** @description Where events are sent: https, a public address, port 443 or 8443 */
            url?: string;
            /** @description Only these types of events; null: all types */
            types?: string[] | null;
            /** @description true: events of one resource are sent one after another. false: as fast as you accept them */
            ordered?: boolean;
            /** @description Your note */
            description?: string | "";
            /** @description Whether events are sent */
            enabled?: boolean;
            /** @description With enabled: also send what was missed, first and in order */
            replayMissed?: boolean;
        };
        WebhookAttempt: {
            number: number;
            url: string;
            /** Format: date-time */
            startedAt: string;
            durationMs: number;
            /** @description HTTP status of the answer */
            status: number | null;
            /** @description Why it failed */
            error: string | null;
            /** @description The first 4 kB of the answer */
            answer: string;
        };
        WebhookDelivery: {
            id: string;
            /** @description UUID, canonical form */
            endpointId: string;
            /** @description The same for each delivery of the event: the header `webhook-id` */
            eventId: string;
            type: string;
            sequence: number;
            /**
             * @description due: waits or is being sent. failed: the last attempt failed. canceled: the endpoint was disabled or deleted, or may not receive it
             * @enum {string}
             */
            status: "due" | "delivered" | "failed" | "canceled";
            attempts: number;
            /** Format: date-time */
            nextAttemptAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt: string | null;
        };
        WebhookDeliveryDetails: {
            id: string;
            /** @description UUID, canonical form */
            endpointId: string;
            /** @description The same for each delivery of the event: the header `webhook-id` */
            eventId: string;
            type: string;
            sequence: number;
            /**
             * @description due: waits or is being sent. failed: the last attempt failed. canceled: the endpoint was disabled or deleted, or may not receive it
             * @enum {string}
             */
            status: "due" | "delivered" | "failed" | "canceled";
            attempts: number;
            /** Format: date-time */
            nextAttemptAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt: string | null;
            /** @description What was sent, byte for byte */
            body: string;
            attemptList: components["schemas"]["WebhookAttempt"][];
        };
        WebhookEndpoint: {
            /** @description UUID, canonical form */
            id: string;
            /** @description Where events are sent: https, a public address, port 443 or 8443 */
            url: string;
            /** @description Only these types of events; null: all types */
            types: string[] | null;
            /** @description true: events of one resource are sent one after another. false: as fast as you accept them */
            ordered: boolean;
            /** @description Your note */
            description: string | "";
            enabled: boolean;
            /** Format: date-time */
            disabledAt: string | null;
            /**
             * @description gone: it answered 410. failing: every attempt of five days failed. key: the key that set it was revoked or suspended
             * @enum {string|null}
             */
            disabledReason: "owner" | "operator" | "gone" | "failing" | "key" | null;
            /** @description The sequence after which events were not sent, because it was disabled; null: none is missing */
            missedAfter: number | null;
            /**
             * Format: date-time
             * @description When attempts began to fail; null after a success
             */
            failingSince: string | null;
            /** @description For signatures `v1a`; two during a rotation */
            publicKeys: string[];
            /** @description UUID, canonical form */
            partnerId: string | null;
            /** @description UUID, canonical form */
            integrationId: string | null;
            /** @description It also receives events about the account of this user */
            userId: string | null;
            /** @description It receives events about the accounts of all users */
            allUsers: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** @description An endpoint was disabled by the operator, because it answered 410 or failed for five days, or because the key that set it was stopped */
        WebhookEndpointDisabledEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "webhook_endpoint.disabled";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["WebhookEndpoint"];
            };
        };
        /** @description You asked for a test; it is sent to that endpoint only */
        WebhookEndpointTestedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "webhook_endpoint.tested";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["WebhookEndpoint"];
            };
        };
        WebhookReplay: {
            /** @description How many events are sent again */
            queued: number;
            /** @description Call again with it as `after` for the rest, even if nothing was queued; null when everything is queued */
            nextAfter: number | null;
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
        /** @description It waits until people approve it */
        WithdrawalApprovalRequestedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "withdrawal.approval_requested";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["Withdrawal"];
            };
        };
        /** @description It is paid, and final on chain */
        WithdrawalCompletedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "withdrawal.completed";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["Withdrawal"];
                /** @description Status before the change */
                previousStatus?: string;
            };
        };
        /** @description It is not paid; `errorMessage` says why */
        WithdrawalFailedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "withdrawal.failed";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["Withdrawal"];
                /** @description Status before the change */
                previousStatus?: string;
            };
        };
        /** @description Its amount is held; or its transaction was proven void, and it is paid again */
        WithdrawalPendingEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "withdrawal.pending";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["Withdrawal"];
                /** @description Status before the change */
                previousStatus?: string;
            };
        };
        /** @description Its transaction is signed */
        WithdrawalProcessingEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "withdrawal.processing";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["Withdrawal"];
                /** @description Status before the change */
                previousStatus?: string;
            };
        };
        /** @description A withdrawal was created */
        WithdrawalQueuedEvent: {
            /** @description The same in the feed and in each delivery: deduplicate by it */
            id: string;
            /** @constant */
            type: "withdrawal.queued";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Its number in your feed. Numbers increase, and may skip, such as after a failover */
            sequence: number;
            /** @description The version of the interface that `object` has */
            apiVersion: string;
            data: {
                object: components["schemas"]["Withdrawal"];
            };
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
    createBulk: {
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
                "application/json": components["schemas"]["CreateBulkRequest"];
            };
        };
        responses: {
            /** @description All withdrawals are stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateBulkAnswer"];
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
                /** @description Only withdrawals with this id, from the answer to their creation */
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
    readLimits: {
        parameters: {
            query?: {
                /** @description UUID, canonical form */
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each limit, in each currency that it applies to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadLimitsAnswer"];
                };
            };
        };
    };
    listPartnerWithdrawals: {
        parameters: {
            query?: {
                /** @description Only withdrawals of this user */
                userId?: string;
                /** @description Only withdrawals in this status */
                status?: "queued" | "pending" | "processing" | "completed" | "failed";
                /** @description Only withdrawals of this request */
                bulkId?: string;
                /** @description An id, bulk id, address, transaction hash or external id */
                text?: string;
                /**
                 * @description Created at or after this: ISO 8601, such as 2026-01 or 2026-01-31
                 * @example 2026-07-01
                 */
                startDate?: string;
                /**
                 * @description Created at or before this; a year, a month or a day is all of it
                 * @example 2026-07-31
                 */
                endDate?: string;
                /** @description Page size (default 50). */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of withdrawals. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPartnerWithdrawalsAnswer"];
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
                /** @description By session, and only then: a user on the list of the partner */
                userId?: string;
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
    listKeys: {
        parameters: {
            query?: {
                /** @description Only keys of this user */
                userId?: string;
                /** @description Page size (default 50). */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListKeysAnswer"];
                };
            };
        };
    };
    issueKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssueKeyRequest"];
            };
        };
        responses: {
            /** @description The key, with its token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
        };
    };
    showKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The 16 characters after `cwk_`
                 * @example k3y7abcdefgh2345
                 */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The 16 characters after `cwk_`
                 * @example k3y7abcdefgh2345
                 */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateKeyRequest"];
            };
        };
        responses: {
            /** @description The new key, with its token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The 16 characters after `cwk_`
                 * @example k3y7abcdefgh2345
                 */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    listAddresses: {
        parameters: {
            query?: {
                /** @description Page size (default 50). */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAddressesAnswer"];
                };
            };
        };
    };
    proposeAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProposeAddressRequest"];
            };
        };
        responses: {
            /** @description The entry, which waits. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BookAddress"];
                };
            };
        };
    };
    removeAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                addressId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entry as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BookAddress"];
                };
            };
        };
    };
    listRequests: {
        parameters: {
            query?: {
                /** @description Only of this key: the 16 characters after `cwk_` */
                keyId?: string;
                /** @description Only this request */
                requestId?: string;
                /** @description Only answers of this kind */
                status?: "2xx" | "4xx" | "5xx";
                /** @description Only this pattern, such as `/api/crypto/:userId/withdraw` */
                route?: string;
                /** @description Only by keys, or only by people */
                by?: "key" | "person";
                /** @description At or after this: ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00Z */
                startDate?: string;
                /** @description At or before this; a day is all of it */
                endDate?: string;
                /** @description Page size (default 50). */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRequestsAnswer"];
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
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description `next` of the last answer; 0 reads from the oldest event that is kept
                 * @example 41
                 */
                after?: number;
                /** @description Events in an answer */
                limit?: number;
                /** @description Only these types, separated by commas */
                types?: string;
                /** @description Seconds to wait for an event if there is nothing new */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events after `after`, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventFeed"];
                };
            };
        };
    };
    listIntegrationEvents: {
        parameters: {
            query?: {
                /**
                 * @description `next` of the last answer; 0 reads from the oldest event that is kept
                 * @example 41
                 */
                after?: number;
                /** @description Events in an answer */
                limit?: number;
                /** @description Only these types, separated by commas */
                types?: string;
                /** @description Seconds to wait for an event if there is nothing new */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events after `after`, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationEventFeed"];
                };
            };
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description Page size (default 50). */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Endpoints, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhookEndpointsAnswer"];
                };
            };
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint, with its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhookEndpoint"];
                };
            };
        };
    };
    showWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint, with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhookEndpoint"];
                };
            };
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    replayWebhookEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReplayWebhookEventsRequest"];
            };
        };
        responses: {
            /** @description How many events are sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Only those in this status */
                status?: "due" | "delivered" | "failed" | "canceled";
                /** @description Page size (default 50). */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave out for the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhookDeliveriesAnswer"];
                };
            };
        };
    };
    showWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
                /**
                 * @description From the list of deliveries
                 * @example 17
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryDetails"];
                };
            };
        };
    };
    listWebhookKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhookKeysAnswer"];
                };
            };
        };
    };
    listIntegrationWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description Page size (default 50). */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Endpoints, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListIntegrationWebhookEndpointsAnswer"];
                };
            };
        };
    };
    createIntegrationWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateIntegrationWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint, with its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhookEndpoint"];
                };
            };
        };
    };
    showIntegrationWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    deleteIntegrationWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    updateIntegrationWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateIntegrationWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    rotateIntegrationWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint, with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhookEndpoint"];
                };
            };
        };
    };
    testIntegrationWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    replayIntegrationWebhookEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReplayIntegrationWebhookEventsRequest"];
            };
        };
        responses: {
            /** @description How many events are sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    listIntegrationWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Only those in this status */
                status?: "due" | "delivered" | "failed" | "canceled";
                /** @description Page size (default 50). */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave out for the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListIntegrationWebhookDeliveriesAnswer"];
                };
            };
        };
    };
    showIntegrationWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description UUID
                 * @example 0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46
                 */
                endpointId: string;
                /**
                 * @description From the list of deliveries
                 * @example 17
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryDetails"];
                };
            };
        };
    };
    onWithdrawalQueuedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawalQueuedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWithdrawalPendingEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawalPendingEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWithdrawalApprovalRequestedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawalApprovalRequestedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWithdrawalProcessingEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawalProcessingEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWithdrawalCompletedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawalCompletedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWithdrawalFailedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawalFailedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDepositPostedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DepositPostedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onLedgerLinePostedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LedgerLinePostedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCardCreatedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardCreatedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCardUpdatedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardUpdatedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCardTransactionAuthorizedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardTransactionAuthorizedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCardTransactionSettledEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardTransactionSettledEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCardTransactionDeclinedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardTransactionDeclinedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCardTransactionReversedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardTransactionReversedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCardTransactionRefundedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardTransactionRefundedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCardRefillCompletedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardRefillCompletedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCardRefillFailedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardRefillFailedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onConsentGrantedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsentGrantedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onConsentRefusedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsentRefusedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onConsentReducedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsentReducedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onConsentRevokedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsentRevokedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onConsentExpiredEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsentExpiredEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onKeyRotatedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRotatedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onKeyRevokedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRevokedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookEndpointDisabledEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointDisabledEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookEndpointTestedEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointTestedEvent"];
            };
        };
        responses: {
            /** @description Received. Any other answer is retried */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
