-- The schema after all migrations. Written by `npm run schema`; not read by any code.

create type card_interval as enum ('daily', 'weekly', 'monthly', 'yearly', 'all-time');

create type card_list_kind as enum ('transactions', 'movements');

create type card_refill_status as enum ('queued', 'processing', 'completed', 'failed');

create type card_status as enum ('inactive', 'active', 'locked', 'canceled');

create type card_transaction_status as enum ('pending', 'settled', 'declined', 'reversed');

create type consent_status as enum ('awaiting', 'active', 'rejected', 'revoked', 'expired');

create type ledger_line_type as enum ('buy', 'sell', 'swap-bridge', 'transfer-token');

create table api_keys (
  id text not null,
  secret_sha256 bytea not null,
  name text not null,
  partner_id uuid not null,
  user_id uuid not null,
  scopes text[] not null,
  ip_allowlist text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  rotated_from text,
  rotated_at timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint api_keys_rotated_from_fkey FOREIGN KEY (rotated_from) REFERENCES api_keys(id),
  constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint api_keys_id_check CHECK ((id ~ '^[a-z2-7]{16}$'::text)),
  constraint api_keys_secret_sha256_check CHECK ((length(secret_sha256) = 32))
);

create table audit_head_before_0018 (
  singleton boolean default true not null,
  id bigint not null,
  hash bytea not null,
  constraint audit_head_pkey PRIMARY KEY (singleton),
  constraint audit_head_singleton_check CHECK (singleton)
);

create table audit_heads (
  id bigint not null,
  hash bytea not null,
  constraint audit_heads_pkey PRIMARY KEY (id)
);

create table audit_log (
  id bigint not null,
  at timestamp with time zone not null,
  actor_kind text not null,
  actor_id text not null,
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb,
  hash bytea not null,
  constraint audit_log_pkey PRIMARY KEY (id)
);

create table blocked_addresses (
  address text not null,
  reason text not null,
  blocked_at timestamp with time zone not null,
  constraint blocked_addresses_pkey PRIMARY KEY (address),
  constraint blocked_addresses_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text))
);

create table card_event_cursor (
  is_only boolean default true not null,
  last_sequence bigint default 0 not null,
  read_at timestamp with time zone,
  skipped bigint default 0 not null,
  missing_sequence bigint,
  missing_since timestamp with time zone,
  is_unreadable boolean default false not null,
  constraint card_event_cursor_pkey PRIMARY KEY (is_only),
  constraint card_event_cursor_is_only_check CHECK (is_only),
  constraint card_event_cursor_missing CHECK ((((missing_sequence IS NULL) = (missing_since IS NULL)) AND ((missing_sequence IS NOT NULL) OR (NOT is_unreadable)))),
  constraint card_event_cursor_next CHECK ((missing_sequence = (last_sequence + 1)))
);

create table card_issuer_users (
  id text not null,
  user_id uuid not null,
  collateral_address text not null,
  created_at timestamp with time zone not null,
  collateral bigint default 0 not null,
  last_sequence integer default 0 not null,
  number integer not null,
  constraint card_issuer_users_owner_key UNIQUE (id, user_id),
  constraint card_issuer_users_pkey PRIMARY KEY (id),
  constraint card_issuer_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint card_issuer_users_collateral_address_check CHECK ((collateral_address ~ '^0x[0-9a-f]{40}$'::text)),
  constraint card_issuer_users_id_check CHECK (((length(id) >= 1) AND (length(id) <= 100)))
);

create table card_lists (
  id bigint not null,
  user_id uuid not null,
  kind card_list_kind not null,
  card_issuer_user_id text,
  size bigint default 0 not null,
  constraint card_lists_key UNIQUE NULLS NOT DISTINCT (user_id, kind, card_issuer_user_id),
  constraint card_lists_pkey PRIMARY KEY (id),
  constraint card_lists_card_issuer_user_id_fkey FOREIGN KEY (card_issuer_user_id) REFERENCES card_issuer_users(id),
  constraint card_lists_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
) with (fillfactor=50);

create table card_movements (
  id text not null,
  card_issuer_user_id text not null,
  user_id uuid not null,
  number bigint not null,
  sequence integer not null,
  action text not null,
  type text not null,
  status text not null,
  amount bigint not null,
  previous_balance bigint not null,
  running_balance bigint not null,
  description text not null,
  transaction_id text,
  reference text,
  created_at timestamp with time zone not null,
  constraint card_movements_sequence_key UNIQUE (card_issuer_user_id, sequence),
  constraint card_movements_pkey PRIMARY KEY (id),
  constraint card_movements_account_fkey FOREIGN KEY (card_issuer_user_id, user_id) REFERENCES card_issuer_users(id, user_id),
  constraint card_movements_action_check CHECK ((action = ANY (ARRAY['deposit'::text, 'purchase'::text, 'refund'::text, 'adjustment'::text]))),
  constraint card_movements_amount_check CHECK ((amount > 0)),
  constraint card_movements_check CHECK ((running_balance = (previous_balance +
CASE type
    WHEN 'credit'::text THEN amount
    ELSE (- amount)
END))),
  constraint card_movements_created_at_check CHECK (isfinite(created_at)),
  constraint card_movements_id_check CHECK (((length(id) >= 1) AND (length(id) <= 100))),
  constraint card_movements_sequence_check CHECK ((sequence > 0)),
  constraint card_movements_type_check CHECK ((type = ANY (ARRAY['credit'::text, 'debit'::text])))
);

create table card_nodes (
  list_id bigint not null,
  level smallint not null,
  first_at timestamp with time zone not null,
  first_number bigint not null,
  upto_at timestamp with time zone not null,
  upto_number bigint not null,
  size integer not null,
  members bigint not null,
  constraint card_nodes_pkey PRIMARY KEY (list_id, level, first_at, first_number)
) with (fillfactor=80);

create table card_refill_rules (
  card_issuer_user_id text not null,
  threshold bigint not null,
  amount bigint not null,
  network text not null,
  currency text not null,
  is_enabled boolean not null,
  is_short boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint card_refill_rules_pkey PRIMARY KEY (card_issuer_user_id),
  constraint card_refill_rules_card_issuer_user_id_fkey FOREIGN KEY (card_issuer_user_id) REFERENCES card_issuer_users(id),
  constraint card_refill_rules_amount_check CHECK ((amount > 0)),
  constraint card_refill_rules_currency_check CHECK ((currency = ANY (ARRAY['USDC'::text, 'USDT'::text]))),
  constraint card_refill_rules_threshold_check CHECK ((threshold > 0))
);

create table card_refills (
  id uuid default uuidv7() not null,
  card_issuer_user_id text not null,
  user_id uuid not null,
  number integer not null,
  amount bigint not null,
  network text not null,
  currency text not null,
  status card_refill_status default 'queued'::card_refill_status not null,
  retries integer default 0 not null,
  due_at timestamp with time zone not null,
  withdrawal_id uuid,
  transaction_hash text,
  log_index integer,
  executed_at timestamp with time zone,
  error text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint card_refills_number_key UNIQUE (card_issuer_user_id, number),
  constraint card_refills_withdrawal_key UNIQUE (withdrawal_id),
  constraint card_refills_pkey PRIMARY KEY (id),
  constraint card_refills_account_fkey FOREIGN KEY (card_issuer_user_id, user_id) REFERENCES card_issuer_users(id, user_id),
  constraint card_refills_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals(id),
  constraint card_refills_amount_check CHECK ((amount > 0)),
  constraint card_refills_check CHECK ((num_nonnulls(transaction_hash, log_index, executed_at) =
CASE
    WHEN (status = 'completed'::card_refill_status) THEN 3
    ELSE 0
END)),
  constraint card_refills_check1 CHECK (((status <> 'failed'::card_refill_status) OR (error IS NOT NULL))),
  constraint card_refills_number_check CHECK ((number > 0)),
  constraint card_refills_transaction_hash_check CHECK (((transaction_hash ~ '^0x[0-9a-f]*$'::text) AND (length(transaction_hash) = 66)))
);

create table card_requests (
  user_id uuid not null,
  idempotency_key text not null,
  fingerprint bytea not null,
  asked json not null,
  card_ids text[],
  created_at timestamp with time zone not null,
  constraint card_requests_pkey PRIMARY KEY (user_id, idempotency_key),
  constraint card_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint card_requests_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 300)))
);

create table card_reveals (
  id bigint not null,
  user_id uuid not null,
  card_id text not null,
  key_id text not null,
  revealed_at timestamp with time zone not null,
  constraint card_reveals_pkey PRIMARY KEY (id),
  constraint card_reveals_card_id_fkey FOREIGN KEY (card_id) REFERENCES cards(id),
  constraint card_reveals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table card_transactions (
  id text not null,
  card_id text not null,
  user_id uuid not null,
  list_id bigint not null,
  number bigint not null,
  version integer not null,
  type text not null,
  status card_transaction_status not null,
  amount bigint not null,
  currency text not null,
  merchant_name text not null,
  description text,
  merchant_category text,
  merchant_country text,
  local_amount text,
  local_currency text,
  created_at timestamp with time zone not null,
  authorized_at timestamp with time zone,
  settled_at timestamp with time zone,
  decline_reason text,
  updated_at timestamp with time zone not null,
  folded text default card_fold(((merchant_name || chr(31)) || COALESCE(description, ''::text))) not null,
  constraint card_transactions_pkey PRIMARY KEY (id),
  constraint card_transactions_card_fkey FOREIGN KEY (card_id, user_id) REFERENCES cards(id, user_id),
  constraint card_transactions_amount_check CHECK ((amount > 0)),
  constraint card_transactions_created_at_check CHECK (isfinite(created_at)),
  constraint card_transactions_id_check CHECK (((length(id) >= 1) AND (length(id) <= 100))),
  constraint card_transactions_type_check CHECK ((type = ANY (ARRAY['purchase'::text, 'refund'::text]))),
  constraint card_transactions_version_check CHECK ((version > 0))
);

create table card_versions (
  card_id text not null,
  version integer not null,
  nickname text,
  status card_status not null,
  spending_limit bigint not null,
  spending_interval card_interval not null,
  valid_at timestamp with time zone not null,
  constraint card_versions_pkey PRIMARY KEY (card_id, version),
  constraint card_versions_card_id_fkey FOREIGN KEY (card_id) REFERENCES cards(id),
  constraint card_versions_spending_limit_check CHECK ((spending_limit >= 0)),
  constraint card_versions_version_check CHECK ((version > 0))
);

create table cards (
  id text not null,
  card_issuer_user_id text not null,
  user_id uuid not null,
  version integer not null,
  name text not null,
  nickname text,
  last_four_digits text not null,
  status card_status not null,
  spending_limit bigint not null,
  spending_interval card_interval not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint cards_owner_key UNIQUE (id, user_id),
  constraint cards_pkey PRIMARY KEY (id),
  constraint cards_account_fkey FOREIGN KEY (card_issuer_user_id, user_id) REFERENCES card_issuer_users(id, user_id),
  constraint cards_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint cards_id_check CHECK (((length(id) >= 1) AND (length(id) <= 100))),
  constraint cards_last_four_digits_check CHECK ((last_four_digits ~ '^[0-9]{4}$'::text)),
  constraint cards_spending_limit_check CHECK ((spending_limit >= 0))
);

create table consent_reads (
  id bigint not null,
  consent_id uuid not null,
  key_id text not null,
  read_at timestamp with time zone not null,
  fields text[] not null,
  address text not null,
  constraint consent_reads_pkey PRIMARY KEY (id),
  constraint consent_reads_consent_id_fkey FOREIGN KEY (consent_id) REFERENCES consents(id),
  constraint consent_reads_key_id_fkey FOREIGN KEY (key_id) REFERENCES integration_keys(id)
);

create table consents (
  id uuid default uuidv7() not null,
  integration_id uuid not null,
  status consent_status default 'awaiting'::consent_status not null,
  purpose text not null,
  requested_scopes text[] not null,
  optional_scopes text[] not null,
  scopes text[],
  duration text not null,
  duration_days integer,
  redirect_uri text not null,
  state text,
  link_sha256 bytea not null,
  link_expires_at timestamp with time zone not null,
  requested_at timestamp with time zone not null,
  user_id uuid,
  decided_at timestamp with time zone,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revoked_by text,
  last_read_at timestamp with time zone,
  read_count bigint default 0 not null,
  constraint consents_link_sha256_key UNIQUE (link_sha256),
  constraint consents_pkey PRIMARY KEY (id),
  constraint consents_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id),
  constraint consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint consents_check CHECK (((optional_scopes <@ requested_scopes) AND (cardinality(optional_scopes) < cardinality(requested_scopes)))),
  constraint consents_check1 CHECK (((scopes <@ requested_scopes) AND (cardinality(scopes) > 0))),
  constraint consents_check2 CHECK ((((duration = 'days'::text) = (duration_days IS NOT NULL)) AND ((duration_days >= 1) AND (duration_days <= 3650)))),
  constraint consents_decided CHECK (((status = 'awaiting'::consent_status) = (decided_at IS NULL))),
  constraint consents_duration_check CHECK ((duration = ANY (ARRAY['one-time'::text, 'days'::text, 'until-revoked'::text]))),
  constraint consents_expired CHECK (((status <> 'expired'::consent_status) OR (expires_at IS NOT NULL))),
  constraint consents_granted CHECK (
CASE
    WHEN (status = ANY (ARRAY['awaiting'::consent_status, 'rejected'::consent_status])) THEN ((scopes IS NULL) AND (expires_at IS NULL) AND (read_count = 0))
    ELSE ((user_id IS NOT NULL) AND (scopes IS NOT NULL))
END),
  constraint consents_lasting CHECK (((duration <> 'days'::text) OR (status = ANY (ARRAY['awaiting'::consent_status, 'rejected'::consent_status])) OR (expires_at IS NOT NULL))),
  constraint consents_link_sha256_check CHECK ((length(link_sha256) = 32)),
  constraint consents_read CHECK (((read_count >= 0) AND ((read_count = 0) = (last_read_at IS NULL)))),
  constraint consents_requested_scopes_check CHECK ((cardinality(requested_scopes) > 0)),
  constraint consents_revoked CHECK ((((status = 'revoked'::consent_status) = (revoked_at IS NOT NULL)) AND ((revoked_at IS NULL) = (revoked_by IS NULL)))),
  constraint consents_revoked_by_check CHECK ((revoked_by = ANY (ARRAY['user'::text, 'integration'::text, 'operator'::text]))),
  constraint consents_revoked_last CHECK (((revoked_at >= decided_at) AND ((last_read_at IS NULL) OR (revoked_at >= last_read_at)))),
  constraint consents_state_check CHECK ((length(state) <= 500))
);

create table deployment (
  is_only boolean default true not null,
  id text not null,
  bound_at timestamp with time zone not null,
  constraint deployment_pkey PRIMARY KEY (is_only),
  constraint deployment_id_check CHECK (((length(id) >= 1) AND (length(id) <= 200))),
  constraint deployment_is_only_check CHECK (is_only)
);

create table deposit_cursors (
  network text not null,
  next_block bigint not null,
  last_hash text,
  last_block_at timestamp with time zone,
  posted bigint default 0 not null,
  claimed_at timestamp with time zone,
  halted_at timestamp with time zone,
  halted_reason text,
  updated_at timestamp with time zone not null,
  ignored bigint default 0 not null,
  constraint deposit_cursors_pkey PRIMARY KEY (network),
  constraint deposit_cursors_check CHECK (((halted_at IS NULL) = (halted_reason IS NULL))),
  constraint deposit_cursors_last_hash_check CHECK (((last_hash ~ '^0x[0-9a-f]*$'::text) AND (length(last_hash) = 66))),
  constraint deposit_cursors_network_check CHECK ((network ~ '^[a-z0-9-]{1,40}$'::text)),
  constraint deposit_cursors_next_block_check CHECK ((next_block >= 0))
) with (fillfactor=50);

create table deposits (
  network text not null,
  transaction_hash text not null,
  log_index integer not null,
  block_number bigint not null,
  user_id uuid not null,
  wallet text not null,
  currency text not null,
  amount numeric(78,0) not null,
  constraint deposits_pkey PRIMARY KEY (network, transaction_hash, log_index),
  constraint deposits_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint deposits_amount_check CHECK (((amount > (0)::numeric) AND (amount <> 'NaN'::numeric))),
  constraint deposits_transaction_hash_check CHECK (((transaction_hash ~ '^0x[0-9a-f]*$'::text) AND (length(transaction_hash) = 66))),
  constraint deposits_wallet_check CHECK (((wallet ~ '^0x[0-9a-f]*$'::text) AND (length(wallet) = 42)))
);

create table found_payments (
  hash text not null,
  network text not null,
  address text not null,
  nonce bigint not null,
  raw bytea not null,
  max_fee_per_gas numeric(78,0) not null,
  max_priority_fee_per_gas numeric(78,0) not null,
  withdrawal_id uuid,
  key_mark bytea,
  token_address text not null,
  to_address text not null,
  amount numeric(78,0) not null,
  found_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  constraint found_payments_nonce_key UNIQUE (network, address, nonce),
  constraint found_payments_pkey PRIMARY KEY (hash),
  constraint found_payments_network_address_fkey FOREIGN KEY (network, address) REFERENCES payout_signers(network, address),
  constraint found_payments_hash_check CHECK ((hash ~ '^0x[0-9a-f]{64}$'::text))
);

create table integration_keys (
  id text not null,
  integration_id uuid not null,
  secret_sha256 bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  rotated_from text,
  rotated_at timestamp with time zone,
  constraint integration_keys_pkey PRIMARY KEY (id),
  constraint integration_keys_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id),
  constraint integration_keys_rotated_from_fkey FOREIGN KEY (rotated_from) REFERENCES integration_keys(id),
  constraint integration_keys_id_check CHECK ((id ~ '^[a-z2-7]{16}$'::text)),
  constraint integration_keys_secret_sha256_check CHECK ((length(secret_sha256) = 32))
);

create table integrations (
  id uuid default uuidv7() not null,
  name text not null,
  logo_color text not null,
  purposes text[] not null,
  scopes text[] not null,
  redirect_uris text[] not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  constraint integrations_pkey PRIMARY KEY (id),
  constraint integrations_logo_color_check CHECK ((logo_color ~ '^#[0-9a-f]{6}$'::text)),
  constraint integrations_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint integrations_purposes_check CHECK (((cardinality(purposes) >= 1) AND (cardinality(purposes) <= 20))),
  constraint integrations_redirect_uris_check CHECK (((cardinality(redirect_uris) >= 1) AND (cardinality(redirect_uris) <= 20))),
  constraint integrations_scopes_check CHECK ((((cardinality(scopes) >= 1) AND (cardinality(scopes) <= 4)) AND (scopes <@ ARRAY['profile'::text, 'email'::text, 'wallet'::text, 'kyc'::text])))
);

create table job_leases (
  job text not null,
  turn bigint not null,
  expires_at timestamp with time zone not null,
  constraint job_leases_pkey PRIMARY KEY (job)
) with (fillfactor=50);

create table ledger_accounts (
  id bigint not null,
  user_id uuid,
  house text,
  network text not null,
  currency text not null,
  balance numeric(78,0),
  held numeric(78,0),
  constraint ledger_accounts_house_key UNIQUE (house, network, currency),
  constraint ledger_accounts_user_key UNIQUE (user_id, network, currency),
  constraint ledger_accounts_pkey PRIMARY KEY (id),
  constraint ledger_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint ledger_accounts_funds CHECK (
CASE
    WHEN (user_id IS NULL) THEN (num_nonnulls(balance, held) = 0)
    ELSE COALESCE(((held >= (0)::numeric) AND (held <= balance) AND (balance < 'Infinity'::numeric)), false)
END)
) with (fillfactor=70);

create table ledger_credits (
  network text not null,
  key text not null,
  constraint ledger_credits_pkey PRIMARY KEY (network, key)
);

create table ledger_house (
  network text not null,
  currency text not null,
  balance numeric not null,
  constraint ledger_house_pkey PRIMARY KEY (network, currency),
  constraint ledger_house_balance_check CHECK ((balance < 'Infinity'::numeric))
);

create table ledger_house_changes (
  account_id bigint not null,
  amount numeric not null
);

create table ledger_lines (
  list_id bigint not null,
  number bigint not null,
  type ledger_line_type not null,
  transaction_at timestamp with time zone not null,
  posting_id bigint not null,
  operation_id text not null,
  unique_hash_id text not null,
  sent_account_id bigint,
  sent_amount numeric(78,0),
  received_account_id bigint,
  received_amount numeric(78,0),
  status text not null,
  description text not null,
  purpose text not null,
  user_description text,
  executed_at timestamp with time zone,
  hash bytea not null,
  constraint ledger_lines_unique_hash_id_key UNIQUE (list_id, unique_hash_id),
  constraint ledger_lines_pkey PRIMARY KEY (list_id, number)
);

create table ledger_lists (
  id bigint not null,
  user_id uuid not null,
  is_settled boolean not null,
  last_number bigint default 0 not null,
  last_hash bytea,
  buys bigint default 0 not null,
  sells bigint default 0 not null,
  swaps bigint default 0 not null,
  transfers bigint default 0 not null,
  tail_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  tail_number bigint default 0 not null,
  tail_size integer default 0 not null,
  constraint ledger_lists_key UNIQUE (user_id, is_settled),
  constraint ledger_lists_pkey PRIMARY KEY (id),
  constraint ledger_lists_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
) with (fillfactor=50);

create table ledger_movements (
  account_id bigint not null,
  transaction_at timestamp with time zone not null,
  number bigint not null,
  amount numeric(78,0) not null,
  constraint ledger_movements_pkey PRIMARY KEY (account_id, transaction_at, number)
);

create table ledger_nodes (
  list_id bigint not null,
  level smallint not null,
  first_at timestamp with time zone not null,
  first_number bigint not null,
  upto_at timestamp with time zone not null,
  upto_number bigint not null,
  size integer not null,
  buys bigint not null,
  sells bigint not null,
  swaps bigint not null,
  transfers bigint not null,
  constraint ledger_nodes_pkey PRIMARY KEY (list_id, level, first_at, first_number)
) with (fillfactor=80);

create table ledger_postings (
  id bigint not null,
  kind text not null,
  operation_id text not null,
  description text not null,
  transaction_hash text,
  log_index integer,
  posted_at timestamp with time zone not null,
  fingerprint bytea,
  list_id bigint,
  line_number bigint,
  line_count integer,
  constraint ledger_postings_operation_key UNIQUE (kind, operation_id),
  constraint ledger_postings_pkey PRIMARY KEY (id)
);

create table ledger_sums (
  account_id bigint not null,
  level smallint not null,
  first_at timestamp with time zone not null,
  first_number bigint not null,
  amount numeric(78,0) not null,
  constraint ledger_sums_pkey PRIMARY KEY (account_id, level, first_at, first_number)
) with (fillfactor=80);

create table ledger_unsettled (
  list_id bigint not null,
  number bigint not null,
  transaction_at timestamp with time zone not null,
  type ledger_line_type not null,
  operation_id text not null,
  leg smallint default 1 not null,
  unique_hash_id text default (uuidv7())::text not null,
  withdrawal_id uuid,
  status text,
  status_reason text,
  network text,
  sent_currency text,
  sent_amount numeric(78,0),
  received_currency text,
  received_amount numeric(78,0),
  description text,
  purpose text,
  user_description text,
  executed_at timestamp with time zone,
  updated_at timestamp with time zone,
  constraint ledger_unsettled_operation_key UNIQUE (list_id, operation_id, leg),
  constraint ledger_unsettled_withdrawal_key UNIQUE (withdrawal_id),
  constraint ledger_unsettled_pkey PRIMARY KEY (list_id, transaction_at, number),
  constraint ledger_unsettled_list_id_fkey FOREIGN KEY (list_id) REFERENCES ledger_lists(id),
  constraint ledger_unsettled_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals(id),
  constraint ledger_unsettled_check CHECK (((withdrawal_id IS NULL) = (num_nonnulls(status, network, description, purpose, updated_at) = 5))),
  constraint ledger_unsettled_operation_id_check CHECK (((length(operation_id) >= 1) AND (length(operation_id) <= 200))),
  constraint ledger_unsettled_received_amount_check CHECK (((received_amount > (0)::numeric) AND (received_amount <> 'NaN'::numeric))),
  constraint ledger_unsettled_sent_amount_check CHECK (((sent_amount > (0)::numeric) AND (sent_amount <> 'NaN'::numeric))),
  constraint ledger_unsettled_status_check CHECK ((status = ANY (ARRAY['awaiting-payment'::text, 'pending'::text, 'in-analysis'::text, 'started'::text, 'rejected'::text, 'canceled'::text]))),
  constraint ledger_unsettled_transaction_at_check CHECK (isfinite(transaction_at))
);

create table partner_users (
  partner_id uuid not null,
  user_id uuid not null,
  allowed_at timestamp with time zone not null,
  constraint partner_users_pkey PRIMARY KEY (partner_id, user_id),
  constraint partner_users_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint partner_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table partners (
  id uuid default uuidv7() not null,
  name text not null,
  created_at timestamp with time zone not null,
  is_house boolean default false not null,
  constraint partners_pkey PRIMARY KEY (id),
  constraint partners_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

create table payout_attempts (
  hash text not null,
  network text not null,
  address text not null,
  nonce bigint not null,
  raw bytea not null,
  max_fee_per_gas numeric(78,0) not null,
  max_priority_fee_per_gas numeric(78,0) not null,
  signed_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  sends integer default 0 not null,
  last_answer text,
  is_void boolean default false not null,
  constraint payout_attempts_pkey PRIMARY KEY (hash),
  constraint payout_attempts_network_address_nonce_fkey FOREIGN KEY (network, address, nonce) REFERENCES payout_slots(network, address, nonce),
  constraint payout_attempts_hash_check CHECK (((hash ~ '^0x[0-9a-f]*$'::text) AND (length(hash) = 66)))
);

create table payout_fillers (
  hash text not null,
  network text not null,
  address text not null,
  nonce bigint not null,
  raw bytea not null,
  max_fee_per_gas numeric(78,0) not null,
  max_priority_fee_per_gas numeric(78,0) not null,
  signed_at timestamp with time zone not null,
  constraint payout_fillers_pkey PRIMARY KEY (hash),
  constraint payout_fillers_network_address_fkey FOREIGN KEY (network, address) REFERENCES payout_signers(network, address),
  constraint payout_fillers_hash_check CHECK (((hash ~ '^0x[0-9a-f]*$'::text) AND (length(hash) = 66))),
  constraint payout_fillers_max_fee_per_gas_check CHECK ((max_fee_per_gas > (0)::numeric)),
  constraint payout_fillers_max_priority_fee_per_gas_check CHECK ((max_priority_fee_per_gas >= (0)::numeric)),
  constraint payout_fillers_nonce_check CHECK ((nonce >= 0))
);

create table payout_signers (
  network text not null,
  address text not null,
  next_nonce bigint not null,
  halted_at timestamp with time zone,
  halted_reason text,
  created_at timestamp with time zone not null,
  server text,
  gone_since timestamp with time zone,
  fill_below bigint,
  fill_server text,
  constraint payout_signers_pkey PRIMARY KEY (network, address),
  constraint payout_signers_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
  constraint payout_signers_check CHECK (((halted_at IS NULL) = (halted_reason IS NULL))),
  constraint payout_signers_next_nonce_check CHECK ((next_nonce >= 0))
);

create table payout_slots (
  network text not null,
  address text not null,
  nonce bigint not null,
  withdrawal_id uuid,
  state text default 'open'::text not null,
  mined_hash text,
  missing_since timestamp with time zone,
  reported_at timestamp with time zone,
  opened_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  void_of uuid,
  constraint payout_slots_withdrawal_key UNIQUE (withdrawal_id),
  constraint payout_slots_pkey PRIMARY KEY (network, address, nonce),
  constraint payout_slots_network_address_fkey FOREIGN KEY (network, address) REFERENCES payout_signers(network, address),
  constraint payout_slots_void_of_fkey FOREIGN KEY (void_of) REFERENCES withdrawals(id),
  constraint payout_slots_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals(id),
  constraint payout_slots_check CHECK (
CASE state
    WHEN 'final'::text THEN ((mined_hash IS NOT NULL) AND (settled_at IS NOT NULL))
    WHEN 'open'::text THEN ((mined_hash IS NULL) AND (settled_at IS NULL))
    ELSE (settled_at IS NOT NULL)
END),
  constraint payout_slots_state_check CHECK ((state = ANY (ARRAY['open'::text, 'final'::text, 'void'::text]))),
  constraint payout_slots_void_check CHECK ((((state = 'void'::text) = (withdrawal_id IS NULL)) AND ((state <> 'void'::text) OR (void_of IS NOT NULL))))
);

create table position_snapshots (
  user_id uuid not null,
  as_of timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  constraint position_snapshots_pkey PRIMARY KEY (user_id),
  constraint position_snapshots_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table positions (
  user_id uuid not null,
  kind text not null,
  token text not null,
  network text not null,
  amount numeric(36,18) not null,
  cost_usd numeric(20,2),
  price_usd numeric(36,18),
  constraint positions_pkey PRIMARY KEY (user_id, kind, token, network),
  constraint positions_user_id_fkey FOREIGN KEY (user_id) REFERENCES position_snapshots(user_id),
  constraint positions_amount_check CHECK ((amount > (0)::numeric)),
  constraint positions_check CHECK (((kind = 'tokenized'::text) OR (cost_usd IS NULL))),
  constraint positions_cost_usd_check CHECK ((cost_usd >= (0)::numeric)),
  constraint positions_kind_check CHECK ((kind = ANY (ARRAY['staked'::text, 'tokenized'::text]))),
  constraint positions_network_check CHECK ((network ~ '^[a-z0-9][a-z0-9-]{0,39}$'::text)),
  constraint positions_price_usd_check CHECK ((price_usd > (0)::numeric)),
  constraint positions_token_check CHECK ((token ~ '^[A-Z0-9][A-Za-z0-9.-]{0,19}$'::text))
);

create table prices (
  token text not null,
  price numeric(36,18) not null,
  quoted_at timestamp with time zone not null,
  refreshed_at timestamp with time zone not null,
  constraint prices_pkey PRIMARY KEY (token),
  constraint prices_price_check CHECK ((price > (0)::numeric)),
  constraint prices_token_check CHECK ((token ~ '^[A-Z0-9][A-Za-z0-9.-]{0,19}$'::text))
);

create unlogged table rate_windows (
  policy text not null,
  subject text not null,
  hits timestamp with time zone[] not null,
  admitted boolean not null,
  expires_at timestamp with time zone not null,
  constraint rate_windows_pkey PRIMARY KEY (policy, subject)
) with (fillfactor=50);

create table sign_in_links (
  secret_sha256 bytea not null,
  user_id uuid not null,
  return_to text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint sign_in_links_pkey PRIMARY KEY (secret_sha256),
  constraint sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint sign_in_links_secret_sha256_check CHECK ((length(secret_sha256) = 32))
);

create table treasury_assets (
  network text not null,
  currency text not null,
  chain numeric(78,0) not null,
  owed numeric(78,0) not null,
  shortfall numeric(78,0) not null,
  constraint treasury_assets_pkey PRIMARY KEY (network, currency)
) with (fillfactor=50);

create table treasury_balances (
  network text not null,
  address text not null,
  currency text not null,
  balance numeric(78,0) not null,
  constraint treasury_balances_pkey PRIMARY KEY (network, address, currency)
) with (fillfactor=70);

create table treasury_items (
  network text not null,
  currency text not null,
  key text not null,
  chain numeric(78,0) not null,
  ledger numeric(78,0) not null,
  place text,
  block_number bigint,
  kind text,
  operation_id text,
  name text,
  seen_at timestamp with time zone not null,
  constraint treasury_items_pkey PRIMARY KEY (network, currency, key)
) with (fillfactor=70);

create table treasury_missing_postings (
  network text not null,
  posting bigint not null,
  since timestamp with time zone not null,
  constraint treasury_missing_postings_pkey PRIMARY KEY (network, posting)
);

create table treasury_networks (
  network text not null,
  opening_block bigint not null,
  opening_posting bigint not null,
  opening_gas numeric(78,0) not null,
  opening_sent bigint not null,
  block_number bigint not null,
  block_hash text not null,
  posting bigint not null,
  is_counting boolean not null,
  gas numeric(78,0) not null,
  sent bigint not null,
  reconciled_at timestamp with time zone not null,
  constraint treasury_networks_pkey PRIMARY KEY (network),
  constraint treasury_networks_network_check CHECK ((network ~ '^[a-z0-9-]{1,40}$'::text))
) with (fillfactor=50);

create table treasury_totals (
  network text not null,
  currency text not null,
  name text not null,
  amount numeric(78,0) not null,
  count bigint not null,
  constraint treasury_totals_pkey PRIMARY KEY (network, currency, name)
) with (fillfactor=50);

create table treasury_wallets (
  network text not null,
  address text not null,
  from_block bigint not null,
  is_counted boolean not null,
  checked_at timestamp with time zone not null,
  constraint treasury_wallets_pkey PRIMARY KEY (network, address)
) with (fillfactor=70);

create table user_sessions (
  secret_sha256 bytea not null,
  user_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint user_sessions_pkey PRIMARY KEY (secret_sha256),
  constraint user_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint user_sessions_secret_sha256_check CHECK ((length(secret_sha256) = 32))
);

create table user_wallets (
  user_id uuid not null,
  network text not null,
  address text not null,
  verified_at timestamp with time zone not null,
  custody text default 'platform'::text not null,
  constraint user_wallets_address_key UNIQUE (network, address),
  constraint user_wallets_pkey PRIMARY KEY (user_id, network),
  constraint user_wallets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint user_wallets_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
  constraint user_wallets_custody_check CHECK ((custody = ANY (ARRAY['platform'::text, 'self'::text]))),
  constraint user_wallets_network_check CHECK ((network ~ '^[a-z0-9-]{1,40}$'::text))
);

create table users (
  id uuid default uuidv7() not null,
  email text not null,
  email_verified boolean not null,
  given_name text not null,
  family_name text not null,
  entity_type text not null,
  legal_name text,
  document_type text,
  document_number_sealed bytea,
  tax_id_sealed bytea,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint users_email_key UNIQUE (email),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_lower CHECK (((email = lower(email)) AND (length(email) <= 254))),
  constraint users_entity_type_check CHECK ((entity_type = ANY (ARRAY['individual'::text, 'business'::text])))
);

create table withdrawal_count_changes (
  list_id bigint not null,
  status text not null,
  block bigint not null,
  change bigint not null
);

create table withdrawal_counts (
  list_id bigint not null,
  status text not null,
  block bigint not null,
  count bigint not null,
  constraint withdrawal_counts_pkey PRIMARY KEY (list_id, status, block)
);

create table withdrawal_lists (
  id bigint not null,
  partner_id uuid not null,
  user_id uuid not null,
  last_position bigint not null,
  constraint withdrawal_lists_key UNIQUE (partner_id, user_id),
  constraint withdrawal_lists_pkey PRIMARY KEY (id),
  constraint withdrawal_lists_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint withdrawal_lists_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
) with (fillfactor=50);

create table withdrawal_moves (
  withdrawal_id uuid not null,
  status text not null,
  at timestamp with time zone not null,
  constraint withdrawal_moves_pkey PRIMARY KEY (withdrawal_id, status),
  constraint withdrawal_moves_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals(id)
);

create table withdrawal_totals (
  status text not null,
  count bigint not null,
  constraint withdrawal_totals_pkey PRIMARY KEY (status)
) with (fillfactor=50);

create table withdrawals (
  id uuid default uuidv7() not null,
  bulk_id uuid default uuidv7() not null,
  list_id bigint not null,
  position bigint not null,
  partner_id uuid not null,
  user_id uuid not null,
  key_id text not null,
  network text not null,
  currency text not null,
  token_address text not null,
  decimals smallint not null,
  amount numeric(78,0) not null,
  to_address text not null,
  recipient_user_id uuid,
  external_id text,
  idempotency_key text,
  fingerprint bytea,
  status text default 'queued'::text not null,
  transfer_status text,
  transaction_hash text,
  error_message text,
  waiting_for text,
  checked_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  description text,
  constraint withdrawals_bulk_key UNIQUE (bulk_id),
  constraint withdrawals_position_key UNIQUE (list_id, "position"),
  constraint withdrawals_pkey PRIMARY KEY (id),
  constraint withdrawals_list_id_fkey FOREIGN KEY (list_id) REFERENCES withdrawal_lists(id),
  constraint withdrawals_recipient_user_id_fkey FOREIGN KEY (recipient_user_id) REFERENCES users(id),
  constraint withdrawals_amount_check CHECK (((amount > (0)::numeric) AND (amount <> 'NaN'::numeric))),
  constraint withdrawals_check CHECK (((idempotency_key IS NULL) = (fingerprint IS NULL))),
  constraint withdrawals_check1 CHECK (((status = 'failed'::text) = (error_message IS NOT NULL))),
  constraint withdrawals_description_check CHECK (((length(description) >= 1) AND (length(description) <= 200))),
  constraint withdrawals_external_id_check CHECK ((length(external_id) <= 255)),
  constraint withdrawals_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'pending'::text, 'processing'::text, 'completed'::text, 'failed'::text]))),
  constraint withdrawals_to_address_check CHECK (((to_address ~ '^0x[0-9a-f]*$'::text) AND (length(to_address) = 42))),
  constraint withdrawals_token_address_check CHECK (((token_address ~ '^0x[0-9a-f]*$'::text) AND (length(token_address) = 42))),
  constraint withdrawals_transaction_hash_check CHECK (((transaction_hash ~ '^0x[0-9a-f]*$'::text) AND (length(transaction_hash) = 66))),
  constraint withdrawals_transfer_status_check CHECK ((transfer_status = ANY (ARRAY['signed'::text, 'broadcast'::text, 'mined'::text, 'confirmed'::text, 'reverted'::text, 'replaced'::text])))
);

CREATE INDEX api_keys_partner ON public.api_keys USING btree (partner_id, id);

CREATE INDEX api_keys_user ON public.api_keys USING btree (user_id, id);

create view audit_head as
 SELECT true AS singleton,
    id,
    hash
   FROM audit_lock_head() h(id, hash);

CREATE INDEX audit_log_action ON public.audit_log USING btree (action, id);

CREATE INDEX audit_log_subject ON public.audit_log USING btree (subject, id);

CREATE INDEX card_issuer_users_collateral_address ON public.card_issuer_users USING btree (collateral_address);

CREATE INDEX card_issuer_users_user ON public.card_issuer_users USING btree (user_id);

CREATE INDEX card_movements_of_account ON public.card_movements USING btree (card_issuer_user_id, created_at, number);

CREATE INDEX card_movements_of_user ON public.card_movements USING btree (user_id, created_at, number);

CREATE INDEX card_movements_reference ON public.card_movements USING btree (card_issuer_user_id, reference) WHERE (reference IS NOT NULL);

CREATE INDEX card_refill_rules_short ON public.card_refill_rules USING btree (card_issuer_user_id) WHERE (is_enabled AND is_short);

CREATE INDEX card_refills_due ON public.card_refills USING btree (status, due_at) WHERE (status = ANY (ARRAY['queued'::card_refill_status, 'processing'::card_refill_status]));

CREATE INDEX card_refills_of_user ON public.card_refills USING btree (user_id, created_at, id);

CREATE UNIQUE INDEX card_refills_one_open ON public.card_refills USING btree (card_issuer_user_id) WHERE (status = ANY (ARRAY['queued'::card_refill_status, 'processing'::card_refill_status]));

CREATE INDEX card_reveals_user ON public.card_reveals USING btree (user_id, revealed_at DESC);

CREATE INDEX card_transactions_in_order ON public.card_transactions USING btree (list_id, created_at, number);

CREATE INDEX card_transactions_of_card ON public.card_transactions USING btree (card_id, status, created_at, number) INCLUDE (type, amount);

CREATE INDEX card_transactions_text ON public.card_transactions USING gin (user_id, folded gin_trgm_ops) WITH (fastupdate=off);

CREATE INDEX card_versions_at ON public.card_versions USING btree (card_id, valid_at DESC, version DESC);

CREATE INDEX cards_user ON public.cards USING btree (user_id, created_at DESC, id DESC);

CREATE INDEX consent_reads_consent ON public.consent_reads USING btree (consent_id, id);

CREATE INDEX consents_active ON public.consents USING btree (integration_id) WHERE (status = 'active'::consent_status);

CREATE INDEX consents_ending ON public.consents USING btree (expires_at) WHERE ((status = 'active'::consent_status) AND (expires_at IS NOT NULL));

CREATE INDEX consents_integration ON public.consents USING btree (integration_id, id);

CREATE INDEX consents_user ON public.consents USING btree (user_id, id) WHERE (user_id IS NOT NULL);

CREATE INDEX deposits_by_block ON public.deposits USING btree (network, block_number);

CREATE INDEX found_payments_key_mark ON public.found_payments USING btree (key_mark) WHERE (key_mark IS NOT NULL);

CREATE INDEX found_payments_withdrawal ON public.found_payments USING btree (withdrawal_id) WHERE (withdrawal_id IS NOT NULL);

CREATE INDEX integration_keys_integration ON public.integration_keys USING btree (integration_id, id);

create view ledger_entries as
 WITH moved AS (
         SELECT l.posting_id,
            m.account_id,
            a.network,
            a.currency,
            sum(m.amount) AS amount
           FROM ((ledger_lines l
             CROSS JOIN LATERAL ( VALUES (l.received_account_id,l.received_amount), (l.sent_account_id,(- l.sent_amount))) m(account_id, amount))
             LEFT JOIN ledger_accounts a ON ((a.id = m.account_id)))
          WHERE (m.account_id IS NOT NULL)
          GROUP BY l.posting_id, m.account_id, a.network, a.currency, (m.amount > (0)::numeric)
        )
 SELECT m.posting_id,
    m.account_id,
    m.amount
   FROM moved m
UNION ALL
 SELECT m.posting_id,
    c.id AS account_id,
    (- sum(m.amount)) AS amount
   FROM (moved m
     JOIN ledger_accounts c ON (((c.house = 'custody'::text) AND (c.network = m.network) AND (c.currency = m.currency))))
  GROUP BY m.posting_id, c.id
 HAVING (sum(m.amount) <> (0)::numeric);

create view ledger_house_balances as
 SELECT network,
    currency,
    sum(balance) AS balance
   FROM ( SELECT ledger_house.network,
            ledger_house.currency,
            ledger_house.balance
           FROM ledger_house
        UNION ALL
         SELECT a.network,
            a.currency,
            c.amount
           FROM (ledger_house_changes c
             LEFT JOIN ledger_accounts a ON ((a.id = c.account_id)))) h
  GROUP BY network, currency;

CREATE INDEX ledger_lines_by_operation ON public.ledger_lines USING btree (list_id, operation_id);

CREATE INDEX ledger_lines_by_posting ON public.ledger_lines USING brin (posting_id) WITH (autosummarize='on');

CREATE INDEX ledger_lines_in_order ON public.ledger_lines USING btree (list_id, type, transaction_at, number);

CREATE INDEX partner_users_user ON public.partner_users USING btree (user_id);

CREATE UNIQUE INDEX partners_house ON public.partners USING btree (is_house) WHERE is_house;

CREATE INDEX payout_attempts_slot ON public.payout_attempts USING btree (network, address, nonce);

CREATE INDEX payout_fillers_nonce ON public.payout_fillers USING btree (network, address, nonce);

CREATE INDEX payout_slots_free ON public.payout_slots USING btree (network, address, nonce) WHERE (state = 'void'::text);

CREATE INDEX payout_slots_open ON public.payout_slots USING btree (network, address, nonce) WHERE (state = 'open'::text);

CREATE INDEX payout_slots_void ON public.payout_slots USING btree (void_of) WHERE (void_of IS NOT NULL);

CREATE INDEX sign_in_links_ending ON public.sign_in_links USING btree (expires_at);

CREATE INDEX treasury_wallets_to_check ON public.treasury_wallets USING btree (network, is_counted, checked_at);

CREATE INDEX user_sessions_ending ON public.user_sessions USING btree (expires_at);

CREATE INDEX withdrawal_count_changes_list ON public.withdrawal_count_changes USING btree (list_id, status);

CREATE INDEX withdrawals_by_external_id ON public.withdrawals USING btree (list_id, external_id, "position") WHERE (external_id IS NOT NULL);

CREATE INDEX withdrawals_by_status ON public.withdrawals USING btree (list_id, status, "position");

CREATE UNIQUE INDEX withdrawals_idempotency_key ON public.withdrawals USING btree (partner_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);

CREATE INDEX withdrawals_open ON public.withdrawals USING btree (status, network, id) WHERE (status = ANY (ARRAY['queued'::text, 'pending'::text, 'processing'::text]));

CREATE OR REPLACE FUNCTION public.admit_hit(past timestamp with time zone[], quota integer, span interval, OUT hits timestamp with time zone[], OUT admitted boolean, OUT expires_at timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  at timestamptz := clock_timestamp();
  kept timestamptz[] := array(select least(h, at) from unnest(past) h where h > at - span order by h);
begin
  admitted := cardinality(kept) < quota;
  hits := case when admitted then kept || at else kept end;
  expires_at := hits[cardinality(hits)] + span;
end $function$;

CREATE OR REPLACE FUNCTION public.api_keys_refuse_house()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from partners p where p.id = new.partner_id and p.is_house) then
    raise exception 'nobody acts as the house by a key' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_append(changes json, subjects text[])
 RETURNS bigint
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  head audit_heads := audit_lock_head();
begin
  with added as (
    insert into audit_log (id, at, actor_kind, actor_id, action, subject, before, after, hash)
      select r.id, r.at, r.actor_kind, r.actor_id, r.action, r.subject, r.before, r.after,
        hash_chain(head.hash, jsonb_build_array(r.id, extract(epoch from r.at), r.actor_kind, r.actor_id, r.action, r.subject, r.before,
          r.after)::text) over (order by r.id rows unbounded preceding)
      from (
        select head.id + c.place as id, c.at, c.actor_kind, c.actor_id, c.action, subjects[c.place] as subject, c.before, c.after
        from rows from (json_to_recordset(changes) as (at timestamptz, "actorKind" text, "actorId" text, action text, before jsonb,
          after jsonb)) with ordinality as c (at, actor_kind, actor_id, action, before, after, place)
      ) r
      returning id, hash
  ), replaced as (
    delete from audit_heads h where h.id = head.id
  )
  insert into audit_heads as h select * from added order by id desc limit 1 returning h.id into head.id;
  return head.id;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_head_replace()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from audit_heads h where h.id = old.id;
  insert into audit_heads values (new.id, new.hash);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_lock_head()
 RETURNS audit_heads
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  head audit_heads;
begin
  perform pg_advisory_xact_lock(4711204019);
  select * into strict head from audit_heads order by id desc limit 1;
  return head;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_log_chain()
 RETURNS trigger
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  head audit_heads := audit_lock_head();
begin
  new.id := head.id + 1;
  new.hash := audit_row_hash(head.hash, new);
  delete from audit_heads h where h.id = head.id;
  insert into audit_heads values (new.id, new.hash);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_row_hash(previous bytea, r audit_log)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(previous || convert_to(
    jsonb_build_array(r.id, extract(epoch from r.at), r.actor_kind, r.actor_id, r.action, r.subject, r.before, r.after)::text,
    'UTF8'))
$function$;

CREATE OR REPLACE FUNCTION public.card_count(in_list bigint, ats timestamp with time zone[], numbers bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  list card_lists;
  large record;
begin
  update card_lists l set size = l.size + cardinality(ats) where l.id = in_list returning * into list;
  if list.size <= 128 then return; end if;
  if list.size - cardinality(ats) <= 128 then
    perform card_cut(list, '-infinity', 0, 'infinity', 0);
    return;
  end if;
  for large in
    with counted as (
      update card_nodes n set size = n.size + case when n.level = 0 then c.members else 0 end, members = n.members + c.members
      from (
        select d.level, f.first_at, f.first_number, count(*) as members
        from unnest(ats, numbers) as k (at, number), generate_series(0, 2) as d (level), lateral (
          select n.first_at, n.first_number from card_nodes n
          where n.list_id = in_list and n.level = d.level and (n.first_at, n.first_number) <= (k.at, k.number)
          order by n.first_at desc, n.first_number desc limit 1) f
        group by d.level, f.first_at, f.first_number
      ) c
      where n.list_id = in_list and n.level = c.level and (n.first_at, n.first_number) = (c.first_at, c.first_number)
      returning n.*
    )
    select c.* from counted c where c.level = 0 and c.size > 128
  loop
    perform card_cut(list, large.first_at, large.first_number, large.upto_at, large.upto_number);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.card_cut(list card_lists, lo_at timestamp with time zone, lo_number bigint, hi_at timestamp with time zone, hi_number bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  above card_nodes;
  below integer;
begin
  delete from card_nodes n where n.list_id = list.id and n.level = 0
    and (n.first_at, n.first_number) >= (lo_at, lo_number) and (n.first_at, n.first_number) < (hi_at, hi_number);
  insert into card_nodes (list_id, level, first_at, first_number, upto_at, upto_number, size, members)
    with keys as materialized (
      select * from card_keys(list, lo_at, lo_number, hi_at, hi_number)
    ), placed as (
      select k.*, ntile((select greatest(1, count(*) / 64) from keys)::integer) over (order by k.created_at, k.number) as piece
      from keys k
    ), pieces as (
      select piece, min(created_at) as at, (array_agg(number order by created_at, number))[1] as number, count(*) as size
      from placed group by piece
    )
    select list.id, 0, case when piece = 1 then lo_at else at end, case when piece = 1 then lo_number else number end,
      lead(at, 1, hi_at) over w, lead(number, 1, hi_number) over w, size, size
    from pieces window w as (order by piece);

  for upper in 1..2 loop
    select * into above from card_nodes n
      where n.list_id = list.id and n.level = upper and (n.first_at, n.first_number) <= (lo_at, lo_number)
      order by n.first_at desc, n.first_number desc limit 1;
    select count(*) into below from card_nodes n where n.list_id = list.id and n.level = upper - 1
      and (n.first_at, n.first_number) >= (coalesce(above.first_at, '-infinity'), coalesce(above.first_number, 0))
      and (n.first_at, n.first_number) < (coalesce(above.upto_at, 'infinity'), coalesce(above.upto_number, 0));
    if below <= 64 then
      update card_nodes n set size = below
        where n.list_id = list.id and n.level = upper and (n.first_at, n.first_number) = (above.first_at, above.first_number);
      exit;
    end if;
    delete from card_nodes n
      where n.list_id = list.id and n.level = upper and (n.first_at, n.first_number) = (above.first_at, above.first_number);
    insert into card_nodes (list_id, level, first_at, first_number, upto_at, upto_number, size, members)
      with placed as (
        select n.*, row_number() over w as place, ntile(below / 32) over w as piece
        from card_nodes n where n.list_id = list.id and n.level = upper - 1
          and (n.first_at, n.first_number) >= (coalesce(above.first_at, '-infinity'), coalesce(above.first_number, 0))
          and (n.first_at, n.first_number) < (coalesce(above.upto_at, 'infinity'), coalesce(above.upto_number, 0))
        window w as (order by n.first_at, n.first_number)
      )
      select list.id, upper, (array_agg(first_at order by place))[1], (array_agg(first_number order by place))[1],
        (array_agg(upto_at order by place desc))[1], (array_agg(upto_number order by place desc))[1], count(*), sum(members)
      from placed group by piece;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.card_fold(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN NORMALIZE(replace(replace(translate(casefold((regexp_replace(NORMALIZE($1, NFKD), '[̀-ͯ᪰-᫿᷀-᷿⃐-⃿︠-︯]'::text, ''::text, 'g'::text) COLLATE pg_unicode_fast)), 'łøđħŧıð'::text, 'lodhtid'::text), 'æ'::text, 'ae'::text), 'œ'::text, 'oe'::text), NFC);

CREATE OR REPLACE FUNCTION public.card_issuer_users_compare()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update card_refill_rules r set is_short = new.collateral < r.threshold
    where r.card_issuer_user_id = new.id and r.is_short <> (new.collateral < r.threshold);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.card_keys(list card_lists, lo_at timestamp with time zone, lo_number bigint, hi_at timestamp with time zone, hi_number bigint)
 RETURNS TABLE(created_at timestamp with time zone, number bigint)
 LANGUAGE plpgsql
 STABLE ROWS 500
AS $function$
begin
  if list.kind = 'transactions' then
    return query select t.created_at, t.number from card_transactions t where t.list_id = list.id
      and (t.created_at, t.number) >= (lo_at, lo_number) and (t.created_at, t.number) < (hi_at, hi_number);
  elsif list.card_issuer_user_id is null then
    return query select m.created_at, m.number from card_movements m where m.user_id = list.user_id
      and (m.created_at, m.number) >= (lo_at, lo_number) and (m.created_at, m.number) < (hi_at, hi_number);
  else
    return query select m.created_at, m.number from card_movements m where m.card_issuer_user_id = list.card_issuer_user_id
      and (m.created_at, m.number) >= (lo_at, lo_number) and (m.created_at, m.number) < (hi_at, hi_number);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.card_lists_open()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into card_lists (user_id, kind, card_issuer_user_id)
    values (new.user_id, 'transactions', null), (new.user_id, 'movements', null), (new.user_id, 'movements', new.id)
    on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.card_locate(of_user uuid, of_kind card_list_kind, of_account text, start_at timestamp with time zone, end_at timestamp with time zone, skip bigint, OUT list_id bigint, OUT total bigint, OUT upto_at timestamp with time zone, OUT upto_number bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  list card_lists;
  older bigint := 0;
  newest bigint;
  -- The row that the page begins with is the one with this many up to and including it.
  wanted bigint;
  -- How many to leave out before `hi`.
  rest bigint := skip;
  before bigint := 0;
  lo_at timestamptz := '-infinity';
  lo_number bigint := 0;
  hi_at timestamptz := coalesce(end_at, 'infinity');
  hi_number bigint := 9223372036854775807;
  node record;
begin
  select * into list from card_lists l where l.user_id = of_user and l.kind = of_kind
    and (l.card_issuer_user_id = of_account or of_account is null and l.card_issuer_user_id is null);
  list_id := list.id;
  total := 0;
  if list.id is null then return; end if;
  if start_at is not null then older := card_rank(list, start_at, 0); end if;
  newest := case when end_at is null then list.size else card_rank(list, end_at, 9223372036854775807) end;
  wanted := newest - skip;
  total := newest - older;
  if wanted <= older then return; end if;
  -- Near the end of the window there is nothing to find.
  if skip > 128 then
    hi_at := 'infinity';
    for depth in reverse 2..0 loop
      -- The node with the wanted row, by how many there are through each. The upper levels may not be there yet.
      select * into node from (
        select n.first_at, n.first_number, n.upto_at, n.upto_number, n.members,
          sum(n.members) over (order by n.first_at, n.first_number) as through
        from card_nodes n where n.list_id = list.id and n.level = depth
          and (n.first_at, n.first_number) >= (lo_at, lo_number) and (n.first_at, n.first_number) < (hi_at, hi_number)
      ) w where w.through >= wanted - before order by w.first_at, w.first_number limit 1;
      continue when not found;
      rest := before + node.through - wanted;
      before := before + node.through - node.members;
      lo_at := node.first_at;
      lo_number := node.first_number;
      hi_at := node.upto_at;
      hi_number := node.upto_number;
    end loop;
  end if;
  -- The rest is counted off in the index.
  if rest = 0 then
    upto_at := hi_at;
    upto_number := hi_number;
  elsif list.kind = 'transactions' then
    select t.created_at, t.number into strict upto_at, upto_number from card_transactions t
      where t.list_id = list.id and (t.created_at, t.number) < (hi_at, hi_number)
      order by t.created_at desc, t.number desc offset rest - 1 limit 1;
  elsif of_account is null then
    select m.created_at, m.number into strict upto_at, upto_number from card_movements m
      where m.user_id = of_user and (m.created_at, m.number) < (hi_at, hi_number)
      order by m.created_at desc, m.number desc offset rest - 1 limit 1;
  else
    select m.created_at, m.number into strict upto_at, upto_number from card_movements m
      where m.card_issuer_user_id = of_account and (m.created_at, m.number) < (hi_at, hi_number)
      order by m.created_at desc, m.number desc offset rest - 1 limit 1;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.card_movements_count()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  news record;
begin
  for news in
    select l.id, array_agg(a.created_at) as ats, array_agg(a.number) as numbers
    from added a join card_lists l on l.user_id = a.user_id and l.kind = 'movements'
      and coalesce(l.card_issuer_user_id, a.card_issuer_user_id) = a.card_issuer_user_id
    group by l.id order by 1
  loop
    perform card_count(news.id, news.ats, news.numbers);
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.card_movements_place()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select new.sequence::bigint << 32 | a.number into new.number from card_issuer_users a where a.id = new.card_issuer_user_id;
  new.created_at := date_trunc('milliseconds', new.created_at);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.card_pattern(words text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  frequent text[] := array(
    select e.gram from pg_stats_ext_exprs s, unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as e (gram, share)
    where s.statistics_name = 'card_transactions_grams' and s.tablename = 'card_transactions' and e.gram is not null and e.share > 0.02);
  gram text;
  -- Up to where the text is in the parts.
  kept integer := 0;
  first integer;
  parts text[] := '{}';
begin
  for place in 1..length(words) - 2 loop
    -- Anything between words is a space to the index. Of letters beyond ASCII it depends on the server whether it knows them.
    gram := regexp_replace(substr(words, place, 3), '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]', ' ', 'g');
    continue when gram !~ '^([a-z0-9]{2}[a-z0-9 ]| [a-z0-9]{2})$' or gram = any (frequent);
    first := greatest(place, kept + 1);
    if kept = 0 or first > kept + 1 then
      parts := parts || substr(words, first, place + 3 - first);
    else
      parts[cardinality(parts)] := parts[cardinality(parts)] || substr(words, first, place + 3 - first);
    end if;
    kept := place + 2;
  end loop;
  if kept = 0 then parts := array[words]; end if;
  return '%' || (select string_agg(regexp_replace(part, '([\\%_])', '\\\1', 'g'), '%' order by place)
    from unnest(parts) with ordinality as p (part, place)) || '%';
end $function$;

CREATE OR REPLACE FUNCTION public.card_rank(list card_lists, at timestamp with time zone, at_number bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  passed bigint := 0;
  rest bigint;
  lo_at timestamptz := '-infinity';
  lo_number bigint := 0;
begin
  if list.size > 128 then
    select coalesce((select sum(n.members) from card_nodes n where n.list_id = list.id and n.level = 2
          and (n.first_at, n.first_number) < (c.at, c.number)), 0)
        + coalesce((select sum(n.members) from card_nodes n where n.list_id = list.id and n.level = 1
          and (n.first_at, n.first_number) >= (coalesce(c.at, '-infinity'), coalesce(c.number, 0))
          and (n.first_at, n.first_number) < (b.at, b.number)), 0)
        + coalesce((select sum(n.members) from card_nodes n where n.list_id = list.id and n.level = 0
          and (n.first_at, n.first_number) >= (coalesce(b.at, '-infinity'), coalesce(b.number, 0))
          and (n.first_at, n.first_number) < (a.at, a.number)), 0),
        a.at, a.number
      into passed, lo_at, lo_number
      from (
        select n.first_at as at, n.first_number as number from card_nodes n
        where n.list_id = list.id and n.level = 0 and (n.first_at, n.first_number) <= (card_rank.at, at_number)
        order by n.first_at desc, n.first_number desc limit 1
      ) a left join lateral (
        select n.first_at as at, n.first_number as number from card_nodes n
        where n.list_id = list.id and n.level = 1 and (n.first_at, n.first_number) <= (a.at, a.number)
        order by n.first_at desc, n.first_number desc limit 1
      ) b on true left join lateral (
        select n.first_at as at, n.first_number as number from card_nodes n
        where n.list_id = list.id and n.level = 2 and (n.first_at, n.first_number) <= (a.at, a.number)
        order by n.first_at desc, n.first_number desc limit 1
      ) c on true;
  end if;
  if list.kind = 'transactions' then
    select count(*) into rest from card_transactions t where t.list_id = list.id
      and (t.created_at, t.number) >= (lo_at, lo_number) and (t.created_at, t.number) < (at, at_number);
  elsif list.card_issuer_user_id is null then
    select count(*) into rest from card_movements m where m.user_id = list.user_id
      and (m.created_at, m.number) >= (lo_at, lo_number) and (m.created_at, m.number) < (at, at_number);
  else
    select count(*) into rest from card_movements m where m.card_issuer_user_id = list.card_issuer_user_id
      and (m.created_at, m.number) >= (lo_at, lo_number) and (m.created_at, m.number) < (at, at_number);
  end if;
  return passed + rest;
end $function$;

CREATE OR REPLACE FUNCTION public.card_refill_rules_compare()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select a.collateral < new.threshold into strict new.is_short from card_issuer_users a where a.id = new.card_issuer_user_id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.card_refills_guard_first()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.status <> 'queued' or new.retries <> 0 or new.withdrawal_id is not null then
    raise exception 'a refill begins as queued' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.card_refills_guard_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  payment withdrawals;
begin
  if (new.id, new.card_issuer_user_id, new.user_id, new.number, new.amount, new.network, new.currency, new.created_at)
    is distinct from
     (old.id, old.card_issuer_user_id, old.user_id, old.number, old.amount, old.network, old.currency, old.created_at) then
    raise exception 'what a refill pays, and to whom, does not change' using errcode = 'restrict_violation';
  end if;
  if old.status in ('completed', 'failed') then
    raise exception 'a % refill is final', old.status using errcode = 'restrict_violation';
  end if;
  if new.status <> old.status and (old.status, new.status) not in (('queued', 'processing'), ('queued', 'failed'),
      ('processing', 'queued'), ('processing', 'completed'), ('processing', 'failed')) then
    raise exception 'a refill does not move from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if new.retries <> old.retries + (old.status = 'processing' and new.status = 'queued')::integer then
    raise exception 'a retry is counted when a payment has failed' using errcode = 'restrict_violation';
  end if;
  if new.withdrawal_id is distinct from old.withdrawal_id and not (old.status = 'queued' and new.status = 'processing') then
    raise exception 'a refill keeps its payment' using errcode = 'restrict_violation';
  end if;
  if new.status = old.status or old.status = 'queued' and new.status = 'failed' then return new; end if;
  select * into payment from withdrawals w where w.id = new.withdrawal_id;
  if new.status = 'processing' then
    if not exists (
        select from partners p, card_issuer_users a where p.is_house and p.id = payment.partner_id and a.id = new.card_issuer_user_id
          and payment.idempotency_key = 'refill:' || new.id || ':' || new.retries
          and (payment.user_id, payment.network, payment.currency, payment.to_address)
            = (new.user_id, new.network, new.currency, a.collateral_address)
          and payment.amount * 100 = new.amount * 10::numeric ^ payment.decimals) then
      raise exception 'a refill is paid by a withdrawal of its own' using errcode = 'restrict_violation';
    end if;
  elsif new.status = 'completed' then
    if payment.status is distinct from 'completed' or payment.transaction_hash is distinct from new.transaction_hash then
      raise exception 'a refill is completed by a completed payment' using errcode = 'restrict_violation';
    end if;
  elsif payment.status is distinct from 'failed' then
    raise exception 'a refill is tried again, or fails, when its payment has failed' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.card_refuse_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'rows of % keep their owner and their place', tg_table_name using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.card_search(of_user uuid, words text, start_at timestamp with time zone, end_at timestamp with time zone, skip bigint, size bigint)
 RETURNS TABLE(total bigint, id text)
 LANGUAGE plpgsql
 STABLE ROWS 10
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  list card_lists;
  folded_words text := card_fold(words);
  pattern text := card_pattern(folded_words);
  from_at timestamptz := coalesce(start_at, '-infinity');
  upto_at timestamptz := coalesce(end_at, 'infinity');
  way text;
begin
  select * into list from card_lists l where l.user_id = of_user and l.kind = 'transactions' and l.card_issuer_user_id is null;
  way := case
    when show_trgm(regexp_replace(folded_words, '\y\w{1,2}\y', ' ', 'g')) = '{}' then 'list'
    when list.size > (select nullif(c.reltuples, -1) / 10 from pg_class c where c.oid = 'card_transactions'::regclass) then 'look'
    else 'key' end;
  return query
    with found as materialized (
      select t.created_at, t.number, t.id from card_transactions t
      where way = 'key' and t.user_id = of_user and t.folded like pattern and strpos(t.folded, folded_words) > 0
      union all
      select t.created_at, t.number, t.id from card_transactions t
      where way = 'look' and t.user_id is not distinct from of_user and t.folded like pattern and strpos(t.folded, folded_words) > 0
      union all
      select t.created_at, t.number, t.id from card_transactions t
      where way = 'list' and t.list_id = list.id and t.created_at between from_at and upto_at and strpos(t.folded, folded_words) > 0
    )
    select c.total, p.id
    from (select count(*) as total from found f where f.created_at between from_at and upto_at) c left join (
      select f.id from found f where f.created_at between from_at and upto_at
      order by f.created_at desc, f.number desc offset skip limit size) p on true;
end $function$;

CREATE OR REPLACE FUNCTION public.card_transactions_count()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  news record;
begin
  for news in
    select a.list_id, array_agg(a.created_at) as ats, array_agg(a.number) as numbers from added a group by a.list_id order by 1
  loop
    perform card_count(news.list_id, news.ats, news.numbers);
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.card_transactions_place()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select l.id into new.list_id from card_lists l
    where l.user_id = new.user_id and l.kind = 'transactions' and l.card_issuer_user_id is null;
  new.created_at := date_trunc('milliseconds', new.created_at);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.consent_reads_guard()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from consents c join integration_keys k on k.integration_id = c.integration_id
      where c.id = new.consent_id and c.status = 'active' and k.id = new.key_id) then
    raise exception 'only an active consent is read, by a key of its integration' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.consents_begin()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.status <> 'awaiting' or new.user_id is not null then
    raise exception 'a consent begins as a request that nobody has opened' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.consents_guard()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.id, new.integration_id, new.purpose, new.requested_scopes, new.optional_scopes, new.duration, new.duration_days,
      new.redirect_uri, new.state, new.link_sha256, new.link_expires_at, new.requested_at)
    is distinct from
     (old.id, old.integration_id, old.purpose, old.requested_scopes, old.optional_scopes, old.duration, old.duration_days,
      old.redirect_uri, old.state, old.link_sha256, old.link_expires_at, old.requested_at) then
    raise exception 'what was asked for does not change' using errcode = 'restrict_violation';
  end if;
  if old.user_id is not null and new.user_id is distinct from old.user_id then
    raise exception 'a consent stays with whoever opened it' using errcode = 'restrict_violation';
  end if;
  if new.status <> old.status and (old.status, new.status) not in (('awaiting', 'active'), ('awaiting', 'rejected'),
      ('active', 'revoked'), ('active', 'expired')) then
    raise exception 'a consent does not move from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if old.status in ('rejected', 'revoked', 'expired') and new is distinct from old then
    raise exception 'a % consent is final', old.status using errcode = 'restrict_violation';
  end if;
  if old.scopes is not null and not (new.scopes <@ old.scopes) then
    raise exception 'scopes are reduced, never widened' using errcode = 'restrict_violation';
  end if;
  if old.decided_at is not null and new.decided_at is distinct from old.decided_at then
    raise exception 'a consent is decided once' using errcode = 'restrict_violation';
  end if;
  -- Only a consent for one time gets its end later: when it was read.
  if old.status = 'active' and new.expires_at is distinct from old.expires_at
    and (new.status <> 'expired' or old.duration <> 'one-time') then
    raise exception 'a consent ends when it was granted to end' using errcode = 'restrict_violation';
  end if;
  if (new.read_count, new.last_read_at) is distinct from (old.read_count, old.last_read_at)
    and (old.status <> 'active' or new.read_count <= old.read_count or new.last_read_at is null or new.last_read_at < old.last_read_at) then
    raise exception 'reads of an active consent are counted, one after another' using errcode = 'restrict_violation';
  end if;
  if new.status = 'active' and old.status = 'awaiting' and old.user_id is null then
    raise exception 'nobody grants what they have not opened' using errcode = 'restrict_violation';
  end if;
  -- In hours: a day of a time zone can have 23 of them.
  if new.status = 'active' and old.status = 'awaiting' and new.expires_at is distinct from
    (case when new.duration = 'days' then new.decided_at + make_interval(hours => 24 * new.duration_days) end) then
    raise exception 'a consent lasts as long as was asked for' using errcode = 'restrict_violation';
  end if;
  if new.status = 'active' and old.status = 'awaiting'
    and not ((select array_agg(s) from unnest(new.requested_scopes) s where s <> all (new.optional_scopes)) <@ new.scopes) then
    raise exception 'what is not optional is granted or nothing is' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.database_server()
 RETURNS text
 LANGUAGE sql
AS $function$
  select (select system_identifier from pg_control_system())::text || '/' ||
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
$function$;

CREATE OR REPLACE FUNCTION public.deposits_need_custody()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from user_wallets w where w.network = new.network and w.address = new.wallet and w.custody = 'self') then
    raise exception 'a deposit to a wallet in self custody is not credited' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.gin_btree_consistent(internal, smallint, anyelement, integer, internal, internal)
 RETURNS boolean
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_btree_consistent$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_anyenum(anyenum, anyenum, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_anyenum$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_bit(bit, bit, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_bit$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_bool(boolean, boolean, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_bool$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_bpchar(character, character, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_bpchar$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_bytea(bytea, bytea, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_bytea$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_char("char", "char", smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_char$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_cidr(cidr, cidr, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_cidr$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_date(date, date, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_date$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_float4(real, real, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_float4$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_float8(double precision, double precision, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_float8$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_inet(inet, inet, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_inet$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_int2(smallint, smallint, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_int2$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_int4(integer, integer, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_int4$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_int8(bigint, bigint, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_int8$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_interval(interval, interval, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_interval$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_macaddr(macaddr, macaddr, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_macaddr$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_macaddr8(macaddr8, macaddr8, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_macaddr8$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_money(money, money, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_money$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_name(name, name, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_name$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_numeric(numeric, numeric, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_numeric$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_oid(oid, oid, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_oid$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_text(text, text, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_text$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_time(time without time zone, time without time zone, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_time$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_timestamp(timestamp without time zone, timestamp without time zone, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_timestamp$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_timestamptz(timestamp with time zone, timestamp with time zone, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_timestamptz$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_timetz(time with time zone, time with time zone, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_timetz$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_uuid(uuid, uuid, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_uuid$function$;

CREATE OR REPLACE FUNCTION public.gin_compare_prefix_varbit(bit varying, bit varying, smallint, internal)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_compare_prefix_varbit$function$;

CREATE OR REPLACE FUNCTION public.gin_enum_cmp(anyenum, anyenum)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_enum_cmp$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_anyenum(anyenum, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_anyenum$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_bit(bit, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_bit$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_bool(boolean, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_bool$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_bpchar(character, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_bpchar$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_bytea(bytea, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_bytea$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_char("char", internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_char$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_cidr(cidr, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_cidr$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_date(date, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_date$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_float4(real, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_float4$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_float8(double precision, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_float8$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_inet(inet, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_inet$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_int2(smallint, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_int2$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_int4(integer, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_int4$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_int8(bigint, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_int8$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_interval(interval, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_interval$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_macaddr(macaddr, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_macaddr$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_macaddr8(macaddr8, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_macaddr8$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_money(money, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_money$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_name(name, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_name$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_numeric(numeric, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_numeric$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_oid(oid, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_oid$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_text(text, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_text$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_time(time without time zone, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_time$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_timestamp(timestamp without time zone, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_timestamp$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_timestamptz(timestamp with time zone, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_timestamptz$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_timetz(time with time zone, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_timetz$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_trgm(text, internal, smallint, internal, internal, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gin_extract_query_trgm$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_uuid(uuid, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_uuid$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_varbit(bit varying, internal, smallint, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_query_varbit$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_anyenum(anyenum, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_anyenum$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_bit(bit, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_bit$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_bool(boolean, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_bool$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_bpchar(character, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_bpchar$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_bytea(bytea, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_bytea$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_char("char", internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_char$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_cidr(cidr, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_cidr$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_date(date, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_date$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_float4(real, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_float4$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_float8(double precision, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_float8$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_inet(inet, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_inet$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_int2(smallint, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_int2$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_int4(integer, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_int4$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_int8(bigint, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_int8$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_interval(interval, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_interval$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_macaddr(macaddr, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_macaddr$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_macaddr8(macaddr8, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_macaddr8$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_money(money, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_money$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_name(name, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_name$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_numeric(numeric, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_numeric$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_oid(oid, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_oid$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_text(text, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_text$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_time(time without time zone, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_time$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_timestamp(timestamp without time zone, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_timestamp$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_timestamptz(timestamp with time zone, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_timestamptz$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_timetz(time with time zone, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_timetz$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_trgm(text, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gin_extract_value_trgm$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_uuid(uuid, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_uuid$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_varbit(bit varying, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_extract_value_varbit$function$;

CREATE OR REPLACE FUNCTION public.gin_numeric_cmp(numeric, numeric)
 RETURNS integer
 LANGUAGE c
 IMMUTABLE STRICT
AS '$libdir/btree_gin', $function$gin_numeric_cmp$function$;

CREATE OR REPLACE FUNCTION public.gin_trgm_consistent(internal, smallint, text, integer, internal, internal, internal, internal)
 RETURNS boolean
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gin_trgm_consistent$function$;

CREATE OR REPLACE FUNCTION public.gin_trgm_triconsistent(internal, smallint, text, integer, internal, internal, internal)
 RETURNS "char"
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gin_trgm_triconsistent$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_compress(internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_compress$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_consistent(internal, text, smallint, oid, internal)
 RETURNS boolean
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_consistent$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_decompress(internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_decompress$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_distance(internal, text, smallint, oid, internal)
 RETURNS double precision
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_distance$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_in(cstring)
 RETURNS gtrgm
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_in$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_options(internal)
 RETURNS void
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS '$libdir/pg_trgm', $function$gtrgm_options$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_out(gtrgm)
 RETURNS cstring
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_out$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_penalty(internal, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_penalty$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_picksplit(internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_picksplit$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_same(gtrgm, gtrgm, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_same$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_union(internal, internal)
 RETURNS gtrgm
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_union$function$;

create aggregate hash_chain(head bytea, content text) (sfunc = next_hash, stype = bytea);

CREATE OR REPLACE FUNCTION public.is_found_paid(w withdrawals)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (select from found_payments f where f.withdrawal_id = w.id and f.network = w.network
    and f.token_address = w.token_address and f.to_address = w.to_address and f.amount = w.amount)
$function$;

CREATE OR REPLACE FUNCTION public.ledger_accounts_check_new()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'an account is a user''s or the house''s' using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_accounts_guard()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'an account keeps its owner and its asset' using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_balances_after(accounts bigint[], line_at timestamp with time zone, line_number bigint, ats timestamp with time zone[], numbers bigint[])
 RETURNS TABLE(account_id bigint, balance numeric, place bigint)
 LANGUAGE sql
 STABLE
AS $function$
  select u.id, case when ats is null then (select a.balance from ledger_accounts a where a.id = u.id) else (
      select coalesce(sum(s.amount), 0) from ledger_sums s
      where s.account_id = u.id and s.level = 2 and (s.first_at, s.first_number) < (ats[3], numbers[3])
    ) + (
      select coalesce(sum(s.amount), 0) from ledger_sums s where s.account_id = u.id and s.level = 1
        and (s.first_at, s.first_number) >= (ats[3], numbers[3]) and (s.first_at, s.first_number) < (ats[2], numbers[2])
    ) + (
      select coalesce(sum(s.amount), 0) from ledger_sums s where s.account_id = u.id and s.level = 0
        and (s.first_at, s.first_number) >= (ats[2], numbers[2]) and (s.first_at, s.first_number) < (ats[1], numbers[1])
    ) end - (
      select coalesce(sum(m.amount), 0) from ledger_movements m where m.account_id = u.id
        and (m.transaction_at, m.number) > (line_at, line_number)
        and (m.transaction_at, m.number) < (coalesce(ats[1], 'infinity'), coalesce(numbers[1], 0))
    ), u.place
  from unnest(accounts) with ordinality as u (id, place)
$function$;

CREATE OR REPLACE FUNCTION public.ledger_balances_before(in_list bigint, accounts bigint[], at timestamp with time zone, at_number bigint)
 RETURNS TABLE(account_id bigint, balance numeric)
 LANGUAGE plpgsql
 STABLE ROWS 5
AS $function$
declare
  node ledger_nodes;
  -- Up to where each level counts.
  ats timestamptz[] := array_fill('-infinity'::timestamptz, array[3]);
  numbers bigint[] := array_fill(0::bigint, array[3]);
begin
  for depth in 0..2 loop
    select * into node from ledger_nodes n
      where n.list_id = in_list and n.level = depth and (n.first_at, n.first_number) <= (at, at_number)
      order by n.first_at desc, n.first_number desc limit 1;
    exit when not found;
    if (node.upto_at, node.upto_number) > (at, at_number) then
      ats[depth + 1] := node.first_at;
      numbers[depth + 1] := node.first_number;
    else
      ats[depth + 1] := node.upto_at;
      numbers[depth + 1] := node.upto_number;
    end if;
  end loop;
  return query
    select a.id, (
      select coalesce(sum(s.amount), 0) from ledger_sums s
      where s.account_id = a.id and s.level = 2 and (s.first_at, s.first_number) < (ats[3], numbers[3])
    ) + (
      select coalesce(sum(s.amount), 0) from ledger_sums s where s.account_id = a.id and s.level = 1
        and (s.first_at, s.first_number) >= (ats[3], numbers[3]) and (s.first_at, s.first_number) < (ats[2], numbers[2])
    ) + (
      select coalesce(sum(s.amount), 0) from ledger_sums s where s.account_id = a.id and s.level = 0
        and (s.first_at, s.first_number) >= (ats[2], numbers[2]) and (s.first_at, s.first_number) < (ats[1], numbers[1])
    ) + (
      select coalesce(sum(m.amount), 0) from ledger_movements m where m.account_id = a.id
        and (m.transaction_at, m.number) >= (ats[1], numbers[1]) and (m.transaction_at, m.number) < (at, at_number)
    ) from unnest(accounts) as a (id);
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_balances_far_apart(list ledger_lists, lines ledger_lines[])
 RETURNS TABLE(line ledger_lines, balance numeric)
 LANGUAGE plpgsql
 STABLE ROWS 10
AS $function$
begin
  return query
    with placed as (
      select l, l.transaction_at, l.number, coalesce(l.received_account_id, l.sent_account_id) as account_id, n.upto_at, n.upto_number
      from unnest(lines) l left join lateral (
        select n.upto_at, n.upto_number from ledger_nodes n
        where (l.transaction_at, l.number) < (list.tail_at, list.tail_number) and n.list_id = list.id and n.level = 0
          and (n.first_at, n.first_number) <= (l.transaction_at, l.number)
        order by n.first_at desc, n.first_number desc limit 1) n on true
    ), bases as materialized (
      select e.upto_at, e.upto_number, b.*
      from (select p.upto_at, p.upto_number, array_agg(distinct p.account_id) as accounts
          from placed p where p.upto_at is not null group by p.upto_at, p.upto_number) e,
        lateral ledger_balances_before(list.id, e.accounts, e.upto_at, e.upto_number) b
    )
    select p.l, case when p.upto_at is null then a.balance else b.balance end - coalesce((
      select sum(m.amount) from ledger_movements m
      where m.account_id = p.account_id and (m.transaction_at, m.number) > (p.transaction_at, p.number)
        and (m.transaction_at, m.number) < (coalesce(p.upto_at, 'infinity'), coalesce(p.upto_number, 0))), 0)
    from placed p join ledger_accounts a on a.id = p.account_id
    left join bases b on b.account_id = p.account_id and b.upto_at = p.upto_at and b.upto_number = p.upto_number;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_count(in_list bigint, types ledger_line_type[], ats timestamp with time zone[], numbers bigint[], sign integer, cuts_max integer DEFAULT ledger_cuts_max())
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  large record;
  cuts integer := 0;
begin
  update ledger_nodes n set
    size = n.size + case when n.level = 0 then sign * c.buys + sign * c.sells + sign * c.swaps + sign * c.transfers else 0 end,
    buys = n.buys + sign * c.buys, sells = n.sells + sign * c.sells, swaps = n.swaps + sign * c.swaps,
    transfers = n.transfers + sign * c.transfers
  from (
    select f.level, f.first_at, f.first_number, count(*) filter (where k.type = 'buy') as buys,
      count(*) filter (where k.type = 'sell') as sells, count(*) filter (where k.type = 'swap-bridge') as swaps,
      count(*) filter (where k.type = 'transfer-token') as transfers
    from unnest(types, ats, numbers) as k (type, at, number), generate_series(0, 2) as level,
      lateral ledger_node_at(in_list, level, k.at, k.number) f
    where (f.upto_at, f.upto_number) > (k.at, k.number)
    group by f.level, f.first_at, f.first_number
  ) c
  where n.list_id = in_list and n.level = c.level and (n.first_at, n.first_number) = (c.first_at, c.first_number);
  if sign < 0 or cuts_max = 0 then return 0; end if;
  for large in
    select distinct f.first_at, f.first_number from unnest(ats, numbers) as k (at, number), lateral ledger_node_at(in_list, 0, k.at, k.number) f
    where f.size > 128 limit cuts_max
  loop
    perform ledger_cut_node(in_list, large.first_at, large.first_number);
    cuts := cuts + 1;
  end loop;
  return cuts;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_count_between(list ledger_lists, types ledger_line_type[], lo_at timestamp with time zone, lo_number bigint, hi_at timestamp with time zone, hi_number bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if list.is_settled then
    return (select coalesce(sum(l.count), 0) from unnest(types) as t (type), lateral (
      select count(*) from ledger_lines s where s.list_id = list.id and s.type = t.type
        and (s.transaction_at, s.number) >= (lo_at, lo_number) and (s.transaction_at, s.number) < (hi_at, hi_number)) l);
  end if;
  return (select count(*) from ledger_unsettled u where u.list_id = list.id and u.type = any (types)
    and (u.transaction_at, u.number) >= (lo_at, lo_number) and (u.transaction_at, u.number) < (hi_at, hi_number));
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_count_late(late ledger_lines[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  of_list record;
  cuts integer := ledger_cuts_max();
begin
  for of_list in
    select r.list_id, array_agg(r.type) as types, array_agg(r.transaction_at) as ats, array_agg(r.number) as numbers,
      array_agg(r) as lines
    from unnest(late) r group by r.list_id order by r.list_id
  loop
    perform ledger_sum_late(of_list.list_id, array_agg(m.account_id), array_agg(r.transaction_at), array_agg(r.number),
        array_agg(m.amount))
      from unnest(of_list.lines) r,
        lateral (values (r.received_account_id, r.received_amount), (r.sent_account_id, -r.sent_amount)) as m (account_id, amount)
      where m.account_id is not null;
    cuts := cuts - ledger_count(of_list.list_id, of_list.types, of_list.ats, of_list.numbers, 1, cuts);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_count_unsettled(in_list bigint, types ledger_line_type[], ats timestamp with time zone[], numbers bigint[], sign integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  list ledger_lists;
begin
  update ledger_lists l set buys = l.buys + sign * k.buys, sells = l.sells + sign * k.sells, swaps = l.swaps + sign * k.swaps,
    transfers = l.transfers + sign * k.transfers, tail_size = l.tail_size + sign * k.in_tail
  from (
    select count(*) filter (where n.type = 'buy') as buys, count(*) filter (where n.type = 'sell') as sells,
      count(*) filter (where n.type = 'swap-bridge') as swaps, count(*) filter (where n.type = 'transfer-token') as transfers,
      count(*) filter (where (n.at, n.number) >= (h.tail_at, h.tail_number)) as in_tail
    from ledger_lists h, unnest(types, ats, numbers) as n (type, at, number) where h.id = in_list
  ) k
  where l.id = in_list
  returning l.* into list;
  if exists (select from unnest(ats, numbers) as n (at, number) where (n.at, n.number) < (list.tail_at, list.tail_number)) then
    perform ledger_count(in_list, types, ats, numbers, sign);
  end if;
  if list.tail_size >= 128 then
    perform ledger_cut_tail(in_list);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_custody(networks text[], currencies text[])
 RETURNS bigint[]
 LANGUAGE plpgsql
AS $function$
declare
  custody bigint[];
begin
  for attempt in 1..2 loop
    select array_agg(a.id order by o.place) into custody
      from unnest(networks, currencies) with ordinality as o (network, currency, place)
      join ledger_accounts a on a.house = 'custody' and a.network = o.network and a.currency = o.currency;
    exit when coalesce(cardinality(custody), 0) = cardinality(networks);
    insert into ledger_accounts (house, network, currency)
      select 'custody', o.network, o.currency from unnest(networks, currencies) as o (network, currency)
      order by 2, 3 on conflict do nothing;
  end loop;
  return custody;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_cut_lines(list ledger_lists, lo_at timestamp with time zone, lo_number bigint, hi_at timestamp with time zone, hi_number bigint, is_tail boolean, OUT made integer, OUT counted integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  delete from ledger_nodes n where n.list_id = list.id and n.level = 0
    and (n.first_at, n.first_number) >= (lo_at, lo_number) and (n.first_at, n.first_number) < (hi_at, hi_number);
  with placed as (
    select k.*, row_number() over (order by k.transaction_at, k.number) - 1 as place, count(*) over () as total
    from ledger_keys(list, lo_at, lo_number, hi_at, hi_number) k
  ), pieces as (
    select place / 64 as piece, min(total) as total,
      min(transaction_at) filter (where place % 64 = 0) as at, min(number) filter (where place % 64 = 0) as number,
      count(*) as size, count(*) filter (where type = 'buy') as buys, count(*) filter (where type = 'sell') as sells,
      count(*) filter (where type = 'swap-bridge') as swaps, count(*) filter (where type = 'transfer-token') as transfers
    from placed group by place / 64
  ), bounded as (
    select *, lead(at, 1, hi_at) over w as next_at, lead(number, 1, hi_number) over w as next_number
    from pieces window w as (order by piece)
  ), cut as (
    insert into ledger_nodes (list_id, level, first_at, first_number, upto_at, upto_number, size, buys, sells, swaps, transfers)
    select list.id, 0, case when piece = 0 then lo_at else at end, case when piece = 0 then lo_number else number end,
      next_at, next_number, size, buys, sells, swaps, transfers
    from bounded where not is_tail or piece < total / 64 - 1
    returning size
  )
  select count(*), sum(size) into made, counted from cut;
  perform ledger_sum_nodes(list, 0, lo_at, lo_number, hi_at, hi_number);
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_cut_node(in_list bigint, at timestamp with time zone, at_number bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  list ledger_lists;
  node ledger_nodes := ledger_node_at(in_list, 0, at, at_number);
  added integer;
begin
  select * into strict list from ledger_lists l where l.id = in_list;
  added := (ledger_cut_lines(list, node.first_at, node.first_number, node.upto_at, node.upto_number, false)).made - 1;
  for upper in 1..2 loop
    node := ledger_node_at(in_list, upper, at, at_number);
    if node.list_id is null or (node.upto_at, node.upto_number) <= (at, at_number) then
      perform ledger_group_waiting(list);
      exit;
    end if;
    if node.size + added <= 64 then
      update ledger_nodes n set size = n.size + added
        where n.list_id = in_list and n.level = upper and (n.first_at, n.first_number) = (node.first_at, node.first_number);
      exit;
    end if;
    added := ledger_group_nodes(list, upper, node.first_at, node.first_number, node.upto_at, node.upto_number, false) - 1;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_cut_tail(in_list bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  list ledger_lists;
  cut record;
  last ledger_nodes;
begin
  select * into strict list from ledger_lists l where l.id = in_list;
  cut := ledger_cut_lines(list, list.tail_at, list.tail_number, 'infinity', 0, true);
  last := ledger_node_at(in_list, 0, 'infinity', 0);
  update ledger_lists l set tail_at = last.upto_at, tail_number = last.upto_number, tail_size = l.tail_size - cut.counted
    where l.id = in_list;
  perform ledger_group_waiting(list);
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_cuts_max()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$ select 256 $function$;

CREATE OR REPLACE FUNCTION public.ledger_first_hash(user_id uuid)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select sha256(convert_to('causeway ledger ' || user_id, 'UTF8'))
$function$;

CREATE OR REPLACE FUNCTION public.ledger_group_nodes(list ledger_lists, to_level integer, lo_at timestamp with time zone, lo_number bigint, hi_at timestamp with time zone, hi_number bigint, is_tail boolean)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  made integer;
begin
  delete from ledger_nodes n where n.list_id = list.id and n.level = to_level
    and (n.first_at, n.first_number) >= (lo_at, lo_number) and (n.first_at, n.first_number) < (hi_at, hi_number);
  with placed as (
    select n.*, row_number() over (order by n.first_at, n.first_number) - 1 as place, count(*) over () as total
    from ledger_nodes n
    where n.list_id = list.id and n.level = to_level - 1
      and (n.first_at, n.first_number) >= (lo_at, lo_number) and (n.first_at, n.first_number) < (hi_at, hi_number)
  ), grouped as (
    insert into ledger_nodes (list_id, level, first_at, first_number, upto_at, upto_number, size, buys, sells, swaps, transfers)
    select list.id, to_level,
      (array_agg(first_at order by place))[1], (array_agg(first_number order by place))[1],
      (array_agg(upto_at order by place desc))[1], (array_agg(upto_number order by place desc))[1],
      count(*), sum(buys), sum(sells), sum(swaps), sum(transfers)
    from placed group by place / 32, total having not is_tail or place / 32 < total / 32 - 1
    returning 1
  )
  select count(*) into made from grouped;
  perform ledger_sum_nodes(list, to_level, lo_at, lo_number, hi_at, hi_number);
  return made;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_group_waiting(list ledger_lists)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  last ledger_nodes;
  waiting integer;
begin
  for upper in 1..2 loop
    last := ledger_node_at(list.id, upper, 'infinity', 0);
    select count(*) into waiting from ledger_nodes n where n.list_id = list.id and n.level = upper - 1
      and (n.first_at, n.first_number) >= (coalesce(last.upto_at, '-infinity'), coalesce(last.upto_number, 0));
    exit when waiting < 64;
    perform ledger_group_nodes(list, upper, coalesce(last.upto_at, '-infinity'), coalesce(last.upto_number, 0), 'infinity', 0, true);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_is_hash(text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select length($1) = 66 and starts_with($1, '0x') and translate(substr($1, 3), '0123456789abcdef', '') = ''
$function$;

CREATE OR REPLACE FUNCTION public.ledger_keys(list ledger_lists, lo_at timestamp with time zone, lo_number bigint, hi_at timestamp with time zone, hi_number bigint)
 RETURNS TABLE(type ledger_line_type, transaction_at timestamp with time zone, number bigint)
 LANGUAGE plpgsql
 STABLE ROWS 500
AS $function$
begin
  if list.is_settled then
    return query
      select t.type, l.transaction_at, l.number
      from unnest(enum_range(null::ledger_line_type)) as t (type), lateral (
        select s.transaction_at, s.number from ledger_lines s
        where s.list_id = list.id and s.type = t.type
          and (s.transaction_at, s.number) >= (lo_at, lo_number) and (s.transaction_at, s.number) < (hi_at, hi_number)) l;
  else
    return query
      select u.type, u.transaction_at, u.number from ledger_unsettled u
      where u.list_id = list.id
        and (u.transaction_at, u.number) >= (lo_at, lo_number) and (u.transaction_at, u.number) < (hi_at, hi_number);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_line_hash(previous bytea, l ledger_lines)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(previous || convert_to(ledger_line_text(l.list_id, l.number, l.type, l.transaction_at, l.posting_id, l.operation_id,
    l.unique_hash_id, l.sent_account_id, l.sent_amount, l.received_account_id, l.received_amount, l.status, l.description, l.purpose,
    l.user_description, l.executed_at), 'UTF8'))
$function$;

CREATE OR REPLACE FUNCTION public.ledger_line_text(list_id bigint, number bigint, type ledger_line_type, transaction_at timestamp with time zone, posting_id bigint, operation_id text, unique_hash_id text, sent_account_id bigint, sent_amount numeric, received_account_id bigint, received_amount numeric, status text, description text, purpose text, user_description text, executed_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_array(list_id, number, type, extract(epoch from transaction_at), posting_id, operation_id, unique_hash_id,
    sent_account_id, sent_amount, received_account_id, received_amount, status, description, purpose, user_description,
    extract(epoch from executed_at))::text
$function$;

CREATE OR REPLACE FUNCTION public.ledger_lines_page(of_user uuid, start_at timestamp with time zone, end_at timestamp with time zone, skip bigint, size bigint, OUT total bigint, OUT lines ledger_lines[], OUT accounts text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  types ledger_line_type[] := '{buy,sell,swap-bridge,transfer-token}';
  list ledger_lists;
  spot record;
  moved bigint[];
begin
  select * into list from ledger_lists l where l.user_id = of_user and l.is_settled;
  if not found then return; end if;
  spot := ledger_locate(list, types, start_at, end_at, skip);
  total := spot.total;
  if spot.upto_at is null then return; end if;
  lines := array(select l from ledger_newest(list.id, types, coalesce(start_at, '-infinity'), spot.upto_at, spot.upto_number,
    list.last_number, spot.rest, size) l);
  if cardinality(lines) = 0 then return; end if;
  moved := array(select distinct m.id from unnest(lines) l, lateral (values (l.sent_account_id), (l.received_account_id)) as m (id)
    where m.id is not null);
  select string_agg(concat(a.id, ' ', a.network, ' ', a.currency, ' ', b.balance), ' ') into accounts
    from ledger_balances_after(moved, (lines[1]).transaction_at, (lines[1]).number, spot.ats, spot.numbers) b
    join ledger_accounts a on a.id = b.account_id;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_locate(list ledger_lists, types ledger_line_type[], start_at timestamp with time zone, end_at timestamp with time zone, skip bigint, OUT total bigint, OUT upto_at timestamp with time zone, OUT upto_number bigint, OUT rest bigint, OUT ats timestamp with time zone[], OUT numbers bigint[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  every bigint := ledger_tally(list.buys, list.sells, list.swaps, list.transfers, types);
  older bigint := case when start_at is null then 0 else ledger_rank(list, types, start_at, 0) end;
  newest bigint := case when end_at is null then every else ledger_rank(list, types, end_at, 9223372036854775807) end;
  -- The line that the page begins with is the one with this many up to and including it.
  wanted bigint := newest - skip;
  -- Cheaper for each node than to look a type up.
  weights integer[] := array['buy' = any (types), 'sell' = any (types), 'swap-bridge' = any (types), 'transfer-token' = any (types)]::integer[];
  before bigint := 0;
  from_at timestamptz := '-infinity';
  from_number bigint := 0;
  hi_at timestamptz := 'infinity';
  hi_number bigint := 0;
  node record;
begin
  total := newest - older;
  if wanted <= older then return; end if;
  upto_at := 'infinity';
  upto_number := 0;
  rest := every - wanted;
  -- Near the end of the list there is nothing to find.
  if rest < 128 then return; end if;
  for depth in reverse 2..0 loop
    -- The node with the wanted line, by how many there are through each; or the last one, where the line comes after it.
    select * into node from (
      select n.first_at, n.first_number, n.upto_at, n.upto_number, c.count, sum(c.count) over w as through,
        lead(n.first_number) over w is null as is_last
      from ledger_nodes n, lateral (select n.buys * weights[1] + n.sells * weights[2] + n.swaps * weights[3] + n.transfers * weights[4] as count) c
      where n.list_id = list.id and n.level = depth
        and (n.first_at, n.first_number) >= (from_at, from_number) and (n.first_at, n.first_number) < (hi_at, hi_number)
      window w as (order by n.first_at, n.first_number)
    ) w where w.through >= wanted - before or w.is_last order by w.first_at, w.first_number limit 1;
    if node.through >= wanted - before then
      before := before + node.through - node.count;
      from_at := node.first_at;
      from_number := node.first_number;
      hi_at := node.upto_at;
      hi_number := node.upto_number;
    elsif found then
      -- The next level has nodes that this one does not cover.
      before := before + node.through;
      from_at := node.upto_at;
      from_number := node.upto_number;
    end if;
    ats[depth + 1] := from_at;
    numbers[depth + 1] := from_number;
  end loop;
  -- Otherwise it begins after the last node.
  if hi_at < 'infinity' then
    upto_at := hi_at;
    upto_number := hi_number;
    rest := before + node.count - wanted;
    ats[1] := hi_at;
    numbers[1] := hi_number;
  else
    ats := null;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_lock_accounts(owners uuid[], assets integer[], networks text[], currencies text[])
 RETURNS bigint[]
 LANGUAGE plpgsql
AS $function$
declare
  accounts bigint[];
begin
  for attempt in 1..2 loop
    with locked as materialized (
      select o.place, a.id from unnest(owners, assets) with ordinality as o (user_id, asset, place)
      join ledger_accounts a on a.user_id = o.user_id and a.network = networks[o.asset] and a.currency = currencies[o.asset]
      order by a.id for update of a)
    select array_agg(l.id order by l.place) into accounts from locked l;
    exit when coalesce(cardinality(accounts), 0) = cardinality(owners);
    insert into ledger_accounts (user_id, network, currency, balance, held)
      select o.user_id, networks[o.asset], currencies[o.asset], 0, 0 from unnest(owners, assets) as o (user_id, asset)
      where not exists (select from ledger_accounts a
        where a.user_id = o.user_id and a.network = networks[o.asset] and a.currency = currencies[o.asset]);
  end loop;
  return accounts;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_lock_heads(users uuid[])
 RETURNS ledger_lists[]
 LANGUAGE plpgsql
AS $function$
declare
  head ledger_lists;
begin
  if cardinality(users) = 1 then
    select * into head from ledger_lists l where l.user_id = users[1] and l.is_settled for update;
    if found then return array[head]; end if;
  end if;
  -- In one order, and before anything is locked: whoever makes a list makes others who make it wait.
  if (select count(*) from ledger_lists l where l.user_id = any (users) and l.is_settled) < cardinality(users) then
    insert into ledger_lists (user_id, is_settled, last_hash)
      select u, true, ledger_first_hash(u) from unnest(users) u
      where not exists (select from ledger_lists l where l.user_id = u and l.is_settled)
      order by u on conflict do nothing;
  end if;
  return (
    with found as materialized (
      select u.place, l.id from unnest(users) with ordinality as u (id, place)
      cross join lateral (select l.id from ledger_lists l where l.user_id = u.id and l.is_settled offset 0) l order by l.id
    )
    select array_agg(k.l order by f.place) from found f
    cross join lateral (select l from ledger_lists l where l.id = f.id for update) k);
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_lock_lists(users uuid[], settled boolean)
 RETURNS bigint[]
 LANGUAGE plpgsql
AS $function$
declare
  lists bigint[];
  list bigint;
begin
  if cardinality(users) = 1 then
    select l.id into list from ledger_lists l where l.user_id = users[1] and l.is_settled = settled for update;
    if found then return array[list]; end if;
  end if;
  -- In one order, and before anything is locked: whoever makes a list makes others who make it wait.
  insert into ledger_lists (user_id, is_settled, last_hash)
    select u, settled, case when settled then ledger_first_hash(u) end from unnest(users) u
    where not exists (select from ledger_lists l where l.user_id = u and l.is_settled = settled)
    order by u on conflict do nothing;
  if cardinality(users) > 1 then
    perform from ledger_lists l where l.user_id = any (users) and l.is_settled = settled order by l.id for update;
  end if;
  for place in 1..cardinality(users) loop
    select l.id into strict list from ledger_lists l where l.user_id = users[place] and l.is_settled = settled for update;
    lists[place] := list;
  end loop;
  return lists;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_may_post(kind text, operation text, transaction_hash text, transaction_at timestamp with time zone, line_operation text, key text, amount numeric, spent numeric)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select kind in ('fund', 'withdrawal', 'deposit', 'post', 'settle') and length(operation) between 1 and 255
    and (transaction_hash is null or ledger_is_hash(transaction_hash)) and isfinite(transaction_at)
    and length(line_operation) between 1 and 255 and (key is null or length(key) between 1 and 255)
    and amount <> 0 and amount <> 'NaN' and scale(amount) = 0 and spent >= 0 and spent <> 'NaN' and scale(spent) = 0
$function$;

CREATE OR REPLACE FUNCTION public.ledger_move_house()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into ledger_house_changes (account_id, amount) select m.account_id, -m.amount from added m;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_newest(in_list bigint, types ledger_line_type[], start_at timestamp with time zone, hi_at timestamp with time zone, hi_number bigint, last bigint, skip bigint, count bigint)
 RETURNS SETOF ledger_lines
 LANGUAGE sql
 STABLE
AS $function$
  select * from (
    (select * from ledger_lines l where 'buy' = any (types) and l.list_id = in_list and l.type = 'buy'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
    union all
    (select * from ledger_lines l where 'sell' = any (types) and l.list_id = in_list and l.type = 'sell'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
    union all
    (select * from ledger_lines l where 'swap-bridge' = any (types) and l.list_id = in_list and l.type = 'swap-bridge'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
    union all
    (select * from ledger_lines l where 'transfer-token' = any (types) and l.list_id = in_list and l.type = 'transfer-token'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
  ) l order by l.transaction_at desc, l.number desc offset skip limit count
$function$;

CREATE OR REPLACE FUNCTION public.ledger_node_at(in_list bigint, at_level integer, at timestamp with time zone, at_number bigint)
 RETURNS ledger_nodes
 LANGUAGE sql
 STABLE
AS $function$
  select n from ledger_nodes n
  where n.list_id = in_list and n.level = at_level and (n.first_at, n.first_number) <= (at, at_number)
  order by n.first_at desc, n.first_number desc limit 1
$function$;

CREATE OR REPLACE FUNCTION public.ledger_note_completed_withdrawals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  gone record;
begin
  if not exists (select from after_rows where status = 'completed') then return null; end if;
  if exists (select from after_rows a where a.status = 'completed'
      and not exists (select from ledger_postings p where p.kind = 'withdrawal' and p.operation_id = a.id::text)) then
    raise exception 'a completed withdrawal is in the ledger' using errcode = 'restrict_violation';
  end if;
  perform ledger_lock_lists(array(select distinct user_id from after_rows where status = 'completed'), false);
  for gone in
    with taken as (
      delete from ledger_unsettled u using after_rows a where a.status = 'completed' and u.withdrawal_id = a.id
      returning u.list_id, u.type, u.transaction_at, u.number)
    select list_id, array_agg(type) as types, array_agg(transaction_at) as ats, array_agg(number) as numbers
    from taken group by list_id
  loop
    perform ledger_count_unsettled(gone.list_id, gone.types, gone.ats, gone.numbers, -1);
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_note_credit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into ledger_credits (network, key)
    select network, new.unique_hash_id from ledger_accounts where id = new.received_account_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_note_new_withdrawals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  news record;
  list ledger_lists;
begin
  if (select count(distinct a.user_id) from added a) > 1 then
    perform ledger_lock_lists(array(select distinct a.user_id from added a), false);
  end if;
  for news in select a.user_id, count(*) as count, min(a.created_at) as first_at from added a group by a.user_id order by 1 loop
    insert into ledger_lists as l (user_id, is_settled, last_number, sells, tail_size)
      values (news.user_id, false, news.count, news.count, news.count)
      on conflict (user_id, is_settled) do update set last_number = l.last_number + news.count, sells = l.sells + news.count,
        tail_size = l.tail_size + news.count
      returning l.* into list;
    insert into ledger_unsettled (list_id, number, transaction_at, type, operation_id, withdrawal_id)
      select list.id, list.last_number - news.count + row_number() over (order by a.id), a.created_at, 'sell', a.id::text, a.id
      from added a where a.user_id = news.user_id;
    -- By a clock that is behind that of another process.
    if news.first_at < list.tail_at then
      perform ledger_count(list.id, array_agg(u.type), array_agg(u.transaction_at), array_agg(u.number), 1)
        from ledger_unsettled u
        where u.list_id = list.id and u.number > list.last_number - news.count and u.transaction_at < list.tail_at;
      update ledger_lists l set tail_size = (select count(*) from ledger_unsettled u
          where u.list_id = l.id and (u.transaction_at, u.number) >= (l.tail_at, l.tail_number))
        where l.id = list.id
        returning l.* into list;
    end if;
    if list.tail_size >= 128 then
      perform ledger_cut_tail(list.id);
    end if;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_page(of_user uuid, types ledger_line_type[], start_at timestamp with time zone, end_at timestamp with time zone, skip bigint, size bigint)
 RETURNS TABLE(total bigint, line ledger_lines, balance numeric)
 LANGUAGE plpgsql
 STABLE ROWS 10
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  list ledger_lists;
  spot record;
  lines ledger_lines[];
  newest ledger_lines;
  oldest ledger_lines;
  accounts bigint[];
  balances numeric[];
begin
  select * into list from ledger_lists l where l.user_id = of_user and l.is_settled;
  if not found then return; end if;
  spot := ledger_locate(list, types, start_at, end_at, skip);
  if spot.upto_at is not null then
    lines := array(select l from ledger_newest(list.id, types, coalesce(start_at, '-infinity'), spot.upto_at, spot.upto_number,
      list.last_number, spot.rest, size) l);
  end if;
  if coalesce(cardinality(lines), 0) = 0 then
    total := spot.total;
    return next;
    return;
  end if;
  newest := lines[1];
  oldest := lines[cardinality(lines)];
  if (oldest.transaction_at, oldest.number) < (list.tail_at, list.tail_number)
      and (select count(*) from (select from ledger_nodes n where n.list_id = list.id and n.level = 0
      and (n.first_at, n.first_number) > (oldest.transaction_at, oldest.number)
      and (n.first_at, n.first_number) <= (newest.transaction_at, newest.number) limit 32) between_them) = 32 then
    return query select spot.total, f.line, f.balance from ledger_balances_far_apart(list, lines) f;
    return;
  end if;
  accounts := array(select distinct coalesce(l.received_account_id, l.sent_account_id) from unnest(lines) l);
  if spot.ats is not null or (newest.transaction_at, newest.number) >= (list.tail_at, list.tail_number) then
    balances := array(select b.balance
      from ledger_balances_after(accounts, newest.transaction_at, newest.number, spot.ats, spot.numbers) b order by b.place);
  else
    select array_agg(b.account_id), array_agg(b.balance) into accounts, balances
      from ledger_balances_before(list.id, accounts, newest.transaction_at, newest.number + 1) b;
  end if;
  return query
    with shown as (
      select l, l.transaction_at, l.number, coalesce(l.received_account_id, l.sent_account_id) as account_id,
        lag(l.transaction_at) over w as newer_at, lag(l.number) over w as newer_number
      from unnest(lines) l
      window w as (partition by coalesce(l.received_account_id, l.sent_account_id) order by l.transaction_at desc, l.number desc)
    ), moved as (
      select s.*, (select sum(m.amount) from ledger_movements m
        where m.account_id = s.account_id and (m.transaction_at, m.number) > (s.transaction_at, s.number)
          and (m.transaction_at, m.number) <= (coalesce(s.newer_at, newest.transaction_at), coalesce(s.newer_number, newest.number))
        ) as since
      from shown s
    )
    select spot.total, m.l, b.balance
      - coalesce(sum(m.since) over (partition by m.account_id order by m.transaction_at desc, m.number desc), 0)
    from moved m join unnest(accounts, balances) as b (account_id, balance) on b.account_id = m.account_id;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_post(at timestamp with time zone, users uuid[], networks text[], currencies text[], owners uuid[], assets integer[], spent numeric[], postings json, lines json)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  heads ledger_lists[] := ledger_lock_heads(users);
  accounts bigint[] := ledger_lock_accounts(owners, assets, networks, currencies);
  custody bigint[] := ledger_custody(networks, currencies);
  posting record;
  posting_ids bigint[];
  rows ledger_lines[];
  -- By posting, where its lines in one list are.
  lists bigint[];
  numbers bigint[];
  counts bigint[];
  late ledger_lines[];
  wrong ledger_lines[];
  -- Lists whose tails have become long.
  long bigint[];
  list bigint;
begin
  if (coalesce(cardinality(heads), 0), coalesce(cardinality(accounts), 0), coalesce(cardinality(custody), 0))
      is distinct from (cardinality(users), cardinality(owners), cardinality(networks)) then
    raise exception 'not every list or account is there' using errcode = 'restrict_violation';
  end if;
  select p.operation into posting from json_to_recordset(postings) as p (kind text, operation text, hash text)
    where p.kind not in ('fund', 'withdrawal', 'deposit', 'post', 'settle') or length(p.operation) not between 1 and 255
      or not ledger_is_hash(p.hash) limit 1;
  if found then
    raise exception 'posting % is not one that there may be', posting.operation using errcode = 'check_violation';
  end if;
  posting_ids := array(select nextval('ledger_postings_id_seq') from generate_series(1, json_array_length(postings)));

  -- In the order of the lists, which is that of the indexes.
  with numbered as (
    select (heads[g."user"]).id, (heads[g."user"]).last_hash, (heads[g."user"]).tail_at, (heads[g."user"]).tail_number,
      (heads[g."user"]).last_number + row_number() over (partition by g."user" order by g.place) as number, g.place, g.type,
      -- Instants are given and shown in milliseconds, and are asked for by what was shown.
      date_trunc('milliseconds', g.at) as at, posting_ids[g.posting] as posting, g.operation, coalesce(g.key, uuidv7()::text) as key,
      g.sent, g."sentAmount" as sent_amount, g.received, g."receivedAmount" as received_amount, g.description, g.purpose,
      g."userDescription" as user_description, g."executedAt" as executed_at
    from rows from (json_to_recordset(lines) as ("user" integer, posting integer, type ledger_line_type, at timestamptz, operation text,
        key text, sent integer, "sentAmount" numeric(78, 0), received integer, "receivedAmount" numeric(78, 0), description text,
        purpose text, "userDescription" text, "executedAt" timestamptz))
      with ordinality as g ("user", posting, type, at, operation, key, sent, "sentAmount", received, "receivedAmount", description,
        purpose, "userDescription", "executedAt", place)
  ), chained as (
    select n.*, hash_chain(n.last_hash, ledger_line_text(n.id, n.number, n.type, n.at, n.posting, n.operation, n.key, accounts[n.sent],
        n.sent_amount, accounts[n.received], n.received_amount, 'completed', n.description, n.purpose, n.user_description, n.executed_at))
      over (partition by n.id order by n.number rows unbounded preceding) as hash
    from numbered n
  ), made as (
    select (c.at, c.number) < (c.tail_at, c.tail_number) as is_late,
      -- Not what a line may be, or moves nothing.
      not isfinite(c.at) or length(c.operation) not between 1 and 255 or length(c.key) not between 1 and 255
        or (accounts[c.sent] is null) <> (c.sent_amount is null) or (accounts[c.received] is null) <> (c.received_amount is null)
        or num_nonnulls(c.sent, c.received) = 0 or accounts[c.sent] = accounts[c.received]
        or not (coalesce(c.sent_amount, 1) > 0 and coalesce(c.received_amount, 1) > 0)
        or c.sent_amount = 'NaN' or c.received_amount = 'NaN' as is_wrong,
      row(c.id, c.number, c.type, c.at, c.posting, c.operation, c.key, accounts[c.sent], c.sent_amount, accounts[c.received],
        c.received_amount, 'completed', c.description, c.purpose, c.user_description, c.executed_at, c.hash)::ledger_lines as line
    from chained c
  )
  select array_agg(m.line), array_agg(m.line) filter (where m.is_late), array_agg(m.line) filter (where m.is_wrong)
    into rows, late, wrong from made m;
  if wrong is not null then
    raise exception 'line % of list % moves nothing, or not what a line may', (wrong[1]).number, (wrong[1]).list_id
      using errcode = 'check_violation';
  end if;

  select array_agg(o.list_id order by o.posting_id), array_agg(o.number order by o.posting_id), array_agg(o.count order by o.posting_id)
    into lists, numbers, counts
    from (
      select distinct on (r.posting_id) r.posting_id, r.list_id, min(r.number) as number, count(*)
      from unnest(rows) r group by r.posting_id, r.list_id order by r.posting_id, r.list_id
    ) o;
  if cardinality(lists) is distinct from cardinality(posting_ids) then
    raise exception 'a posting has no lines' using errcode = 'check_violation';
  end if;
  insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint, posted_at, list_id,
      line_number, line_count) overriding system value
    select posting_ids[p.place], p.kind, p.operation, p.description, p.hash, p.log_index, decode(p.fingerprint, 'hex'), at,
      lists[p.place], numbers[p.place], counts[p.place]
    from rows from (json_to_recordset(postings) as (kind text, operation text, description text, hash text, "logIndex" integer,
      fingerprint text)) with ordinality as p (kind, operation, description, hash, log_index, fingerprint, place);
  if cardinality(spent) > 0 then
    select a.id into list from unnest(accounts, spent) as s (account_id, amount) join ledger_accounts a on a.id = s.account_id
      where (s.amount >= 0 and s.amount <= a.held) is not true limit 1;
    if found then
      raise exception 'ledger account %: less held than is to be spent', list using errcode = 'restrict_violation';
    end if;
  end if;
  insert into ledger_lines select * from unnest(rows);
  with counted as (
    update ledger_lists l set last_number = c.number, last_hash = c.hash, buys = l.buys + c.buys, sells = l.sells + c.sells,
      swaps = l.swaps + c.swaps, transfers = l.transfers + c.transfers, tail_size = l.tail_size + c.on_tail
    from (
      select r.list_id, max(r.number) as number, (array_agg(r.hash order by r.number desc nulls last))[1] as hash,
        count(*) filter (where r.type = 'buy') as buys, count(*) filter (where r.type = 'sell') as sells,
        count(*) filter (where r.type = 'swap-bridge') as swaps, count(*) filter (where r.type = 'transfer-token') as transfers,
        sum(r.on_tail) as on_tail
      from (
        select list_id, number, hash, type, 1 as on_tail from unnest(rows)
        union all select list_id, null, null, null, -1 from unnest(late)
      ) r group by r.list_id
    ) c where l.id = c.list_id
    returning l.id, l.tail_size
  )
  select array_agg(c.id order by c.id) into long
    from (select * from counted where tail_size >= 128 order by tail_size desc limit ledger_cuts_max()) c;
  with moved as materialized (
    select m.account_id, r.transaction_at, r.number, m.amount
    from unnest(rows) r,
      lateral (values (r.received_account_id, r.received_amount), (r.sent_account_id, -r.sent_amount)) as m (account_id, amount)
    where m.account_id is not null
  ), of_movements as (
    insert into ledger_movements (account_id, transaction_at, number, amount)
      select m.account_id, m.transaction_at, m.number, m.amount from moved m
  )
  update ledger_accounts a set balance = a.balance + m.amount, held = a.held - m.spent
    from (
      select m.account_id, sum(m.amount) as amount, sum(m.spent) as spent
      from (
        select account_id, amount, 0 as spent from moved
        union all select s.account_id, 0, s.amount from unnest(accounts, spent) as s (account_id, amount) where s.amount <> 0
      ) m group by m.account_id order by m.account_id
    ) m where a.id = m.account_id;
  if late is not null then
    perform ledger_count_late(late);
  end if;
  foreach list in array coalesce(long, '{}') loop
    perform ledger_cut_tail(list);
  end loop;
  return posting_ids;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_post_each(at timestamp with time zone, users uuid[], networks text[], currencies text[], postings json)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  lists bigint[];
  accounts bigint[];
  done record;
  list bigint;
  account bigint;
begin
  -- User by user: left to itself, a plan that was made while there were few lists may read all of them.
  select array_agg(l.id order by u.place), array_agg(a.id order by u.place) into lists, accounts
    from unnest(users, networks, currencies) with ordinality as u (id, network, currency, place)
    cross join lateral (select l.id from ledger_lists l where l.user_id = u.id and l.is_settled offset 0) l
    cross join lateral (
      select a.id from ledger_accounts a where a.user_id = u.id and a.network = u.network and a.currency = u.currency offset 0) a;
  if coalesce(cardinality(lists), 0) < cardinality(users) then return null; end if;
  perform from ledger_lists l where l.id = any (lists) order by l.id for update;
  -- Rows go from step to step in the order of their accounts, which no join of this plan changes.
  with given as materialized (
    select nextval('ledger_postings_id_seq') as posting, lists[g.place] as list_id, accounts[g.place] as account_id,
      date_trunc('milliseconds', g.line_at) as at, coalesce(g.key, uuidv7()::text) as line_key,
      case when g.amount < 0 then accounts[g.place] end as sent, case when g.amount < 0 then -g.amount end as sent_amount,
      case when g.amount > 0 then accounts[g.place] end as received, case when g.amount > 0 then g.amount end as received_amount, g.*
    from rows from (json_to_recordset(postings) as (kind text, operation text, description text, hash text, "logIndex" integer,
        fingerprint text, amount numeric, spent numeric, type ledger_line_type, "lineAt" timestamptz, "lineOperation" text, key text,
        "lineDescription" text, purpose text, "userDescription" text, "executedAt" timestamptz))
      with ordinality as g (kind, operation, description, hash, log_index, fingerprint, amount, spent, type, line_at, line_operation, key,
        line_description, purpose, user_description, executed_at, place)
    where ledger_may_post(g.kind, g.operation, g.hash, g.line_at, g.line_operation, g.key, g.amount, g.spent)
    order by accounts[g.place]
  ), listed as (
    update ledger_lists l set last_number = l.last_number + 1,
        last_hash = sha256(l.last_hash || convert_to(ledger_line_text(l.id, l.last_number + 1, g.type, g.at, g.posting, g.line_operation,
          g.line_key, g.sent, g.sent_amount, g.received, g.received_amount, 'completed', g.line_description, g.purpose,
          g.user_description, g.executed_at), 'UTF8')),
        buys = l.buys + (g.type = 'buy')::integer, sells = l.sells + (g.type = 'sell')::integer,
        swaps = l.swaps + (g.type = 'swap-bridge')::integer, transfers = l.transfers + (g.type = 'transfer-token')::integer,
        tail_size = l.tail_size + ((g.at, l.last_number + 1) >= (l.tail_at, l.tail_number))::integer
      from given g where l.id = g.list_id
      returning g.*, l.last_number as number, l.last_hash, (g.at, l.last_number) < (l.tail_at, l.tail_number) as is_late,
        l.tail_size >= 128 as is_long
  ), of_postings as (
    insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint, posted_at, list_id,
        line_number, line_count) overriding system value
      select l.posting, l.kind, l.operation, l.description, l.hash, l.log_index, decode(l.fingerprint, 'hex'), ledger_post_each.at,
        l.list_id, l.number, 1
      from listed l
  ), of_lines as (
    insert into ledger_lines
      select l.list_id, l.number, l.type, l.at, l.posting, l.line_operation, l.line_key, l.sent, l.sent_amount, l.received,
        l.received_amount, 'completed', l.line_description, l.purpose, l.user_description, l.executed_at, l.last_hash
      from listed l
  ), of_movements as (
    insert into ledger_movements select l.account_id, l.at, l.number, l.amount from listed l
  ), of_accounts as (
    update ledger_accounts a set balance = a.balance + l.amount, held = a.held - l.spent
      from listed l where a.id = l.account_id and a.held >= l.spent returning a.id
  )
  select array_agg(l.posting order by l.place) as ids, (select array_agg(a.id) from of_accounts a) as accounts,
      (array_agg(l.list_id order by l.list_id) filter (where l.is_long))[:ledger_cuts_max()] as long,
      array_agg(l.list_id) filter (where l.is_late) as late_lists, array_agg(l.number) filter (where l.is_late) as late_numbers
    into done from listed l;
  if coalesce(cardinality(done.ids), 0) < greatest(cardinality(users), json_array_length(postings)) then
    raise exception 'one of the postings is not one that there may be' using errcode = 'check_violation';
  end if;
  if coalesce(cardinality(done.accounts), 0) < cardinality(users) then
    select a.id into account from unnest(accounts) a (id) where not a.id = any (coalesce(done.accounts, '{}')) limit 1;
    raise exception 'ledger account %: less held than is to be spent', account using errcode = 'restrict_violation';
  end if;
  if done.late_lists is not null then
    perform ledger_count_late(array(select l from unnest(done.late_lists, done.late_numbers) as k (list_id, number)
      join ledger_lines l on l.list_id = k.list_id and l.number = k.number));
  end if;
  foreach list in array coalesce(done.long, '{}') loop
    perform ledger_cut_tail(list);
  end loop;
  return done.ids;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_post_one(at timestamp with time zone, of_user uuid, of_network text, of_currency text, amount numeric, spent numeric, kind text, operation text, posting_description text, transaction_hash text, log_index integer, fingerprint bytea, line_type ledger_line_type, transaction_at timestamp with time zone, line_operation text, key text, description text, purpose text, user_description text, executed_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  line record;
begin
  update ledger_lists l set last_number = l.last_number + 1,
      last_hash = sha256(l.last_hash || convert_to(ledger_line_text(l.id, l.last_number + 1, line_type, g.at, g.posting, line_operation,
        g.key, g.sent, g.sent_amount, g.received, g.received_amount, 'completed', description, purpose, user_description, executed_at),
        'UTF8')),
      buys = l.buys + (line_type = 'buy')::integer, sells = l.sells + (line_type = 'sell')::integer,
      swaps = l.swaps + (line_type = 'swap-bridge')::integer, transfers = l.transfers + (line_type = 'transfer-token')::integer,
      tail_size = l.tail_size + ((g.at, l.last_number + 1) >= (l.tail_at, l.tail_number))::integer
    from (
      -- Instants are given and shown in milliseconds, and are asked for by what was shown.
      select nextval('ledger_postings_id_seq') as posting, date_trunc('milliseconds', transaction_at) as at,
        coalesce(ledger_post_one.key, uuidv7()::text) as key, a.id as account,
        case when amount < 0 then a.id end as sent, case when amount < 0 then -amount end as sent_amount,
        case when amount > 0 then a.id end as received, case when amount > 0 then amount end as received_amount
      from ledger_accounts a
      where a.user_id = of_user and a.network = of_network and a.currency = of_currency and a.held >= spent
        and ledger_may_post(kind, operation, transaction_hash, transaction_at, line_operation, ledger_post_one.key, amount, spent) offset 0
    ) g
    where l.user_id = of_user and l.is_settled
    returning l.id as list_id, l.last_number as number, l.last_hash as hash, g.*,
      (g.at, l.last_number) < (l.tail_at, l.tail_number) as is_late, l.tail_size >= 128 as is_long into line;
  if not found then
    if ledger_may_post(kind, operation, transaction_hash, transaction_at, line_operation, key, amount, spent) is not true then
      raise exception 'posting % is not one that there may be', operation using errcode = 'check_violation';
    end if;
    select a.id into line from ledger_accounts a
      where a.user_id = of_user and a.network = of_network and a.currency = of_currency and a.held < spent;
    if not found then return null; end if;
    -- Whether it was posted before is said first, here as below.
    insert into ledger_postings (kind, operation_id, description, posted_at) values (kind, operation, posting_description, at);
    raise exception 'ledger account %: less held than is to be spent', line.id using errcode = 'restrict_violation';
  end if;
  -- In the order in which what is wrong is said: the key, the place on chain, missing funds.
  insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint, posted_at, list_id,
      line_number, line_count) overriding system value
    values (line.posting, kind, operation, posting_description, transaction_hash, log_index, fingerprint, ledger_post_one.at, line.list_id,
      line.number, 1);
  insert into ledger_lines values (line.list_id, line.number, line_type, line.at, line.posting, line_operation, line.key, line.sent,
    line.sent_amount, line.received, line.received_amount, 'completed', description, purpose, user_description, executed_at, line.hash);
  insert into ledger_movements values (line.account, line.at, line.number, amount);
  update ledger_accounts a set balance = a.balance + amount, held = a.held - spent where a.id = line.account;
  if line.is_late then
    perform ledger_count_late(array(select l from ledger_lines l where l.list_id = line.list_id and l.number = line.number));
  end if;
  if line.is_long then perform ledger_cut_tail(line.list_id); end if;
  return line.posting;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_rank(list ledger_lists, types ledger_line_type[], at timestamp with time zone, at_number bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  before bigint := 0;
  passed bigint;
  from_at timestamptz := '-infinity';
  from_number bigint := 0;
  hi_at timestamptz;
  hi_number bigint;
  node ledger_nodes;
begin
  if (at, at_number) >= (list.tail_at, list.tail_number) then
    return ledger_tally(list.buys, list.sells, list.swaps, list.transfers, types)
      - ledger_count_between(list, types, at, at_number, 'infinity', 0);
  end if;
  for depth in reverse 2..0 loop
    -- The node that the place is in, or the last one before it.
    select * into node from ledger_nodes n
      where n.list_id = list.id and n.level = depth and (n.first_at, n.first_number) <= (at, at_number)
      order by n.first_at desc, n.first_number desc limit 1;
    continue when not found;
    if (node.upto_at, node.upto_number) > (at, at_number) then
      hi_at := node.first_at;
      hi_number := node.first_number;
    else
      hi_at := node.upto_at;
      hi_number := node.upto_number;
    end if;
    select coalesce(sum(ledger_tally(n.buys, n.sells, n.swaps, n.transfers, types)), 0) into passed from ledger_nodes n
      where n.list_id = list.id and n.level = depth
        and (n.first_at, n.first_number) >= (from_at, from_number) and (n.first_at, n.first_number) < (hi_at, hi_number);
    before := before + passed;
    from_at := hi_at;
    from_number := hi_number;
  end loop;
  return before + ledger_count_between(list, types, from_at, from_number, at, at_number);
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_sum_late(in_list bigint, accounts bigint[], ats timestamp with time zone[], numbers bigint[], amounts numeric[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into ledger_sums (account_id, level, first_at, first_number, amount)
    select m.account_id, f.level, f.first_at, f.first_number, sum(m.amount)
    from unnest(accounts, ats, numbers, amounts) as m (account_id, at, number, amount),
      generate_series(0, 2) as level, lateral ledger_node_at(in_list, level, m.at, m.number) f
    where (f.upto_at, f.upto_number) > (m.at, m.number)
    group by 1, 2, 3, 4
    on conflict (account_id, level, first_at, first_number) do update set amount = ledger_sums.amount + excluded.amount;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_sum_nodes(list ledger_lists, of_level integer, lo_at timestamp with time zone, lo_number bigint, hi_at timestamp with time zone, hi_number bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  accounts bigint[] := array(select a.id from ledger_accounts a where a.user_id = list.user_id);
begin
  if not list.is_settled then return; end if;
  delete from ledger_sums s
    where s.account_id = any (accounts) and s.level = of_level
      and (s.first_at, s.first_number) >= (lo_at, lo_number) and (s.first_at, s.first_number) < (hi_at, hi_number);
  insert into ledger_sums (account_id, level, first_at, first_number, amount)
    select a.id, of_level, n.first_at, n.first_number, moved.amount
    from unnest(accounts) as a (id)
    join ledger_nodes n on n.list_id = list.id and n.level = of_level
      and (n.first_at, n.first_number) >= (lo_at, lo_number) and (n.first_at, n.first_number) < (hi_at, hi_number)
    cross join lateral (
      select sum(m.amount) as amount from ledger_movements m
      where of_level = 0 and m.account_id = a.id
        and (m.transaction_at, m.number) >= (n.first_at, n.first_number)
        and (m.transaction_at, m.number) < (n.upto_at, n.upto_number)
      union all
      select sum(s.amount) from ledger_sums s
      where of_level > 0 and s.account_id = a.id and s.level = of_level - 1
        and (s.first_at, s.first_number) >= (n.first_at, n.first_number)
        and (s.first_at, s.first_number) < (n.upto_at, n.upto_number)
    ) moved
    where moved.amount is not null;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_tally(buys bigint, sells bigint, swaps bigint, transfers bigint, types ledger_line_type[])
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when 'buy' = any (types) then buys else 0 end + case when 'sell' = any (types) then sells else 0 end
    + case when 'swap-bridge' = any (types) then swaps else 0 end + case when 'transfer-token' = any (types) then transfers else 0 end
$function$;

CREATE OR REPLACE FUNCTION public.ledger_unsettled_guard()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.list_id, new.number, new.transaction_at, new.type, new.operation_id, new.leg, new.unique_hash_id, new.withdrawal_id)
    is distinct from
     (old.list_id, old.number, old.transaction_at, old.type, old.operation_id, old.leg, old.unique_hash_id, old.withdrawal_id)
  then
    raise exception 'an unsettled record keeps its place and its identity' using errcode = 'restrict_violation';
  end if;
  if old.status in ('rejected', 'canceled') and new.status is distinct from old.status then
    raise exception 'a % record is final', old.status using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_unsettled_guard_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from ledger_lists l join ledger_postings p on p.kind = case when old.withdrawal_id is null then 'settle'
      else 'withdrawal' end and p.operation_id = case when old.withdrawal_id is null then l.user_id || ':' else '' end || old.operation_id
      where l.id = old.list_id) then
    raise exception 'an unsettled record leaves by being settled' using errcode = 'restrict_violation';
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_unsettled_page(of_user uuid, start_at timestamp with time zone, end_at timestamp with time zone, skip bigint, size bigint)
 RETURNS TABLE(total bigint, record ledger_unsettled)
 LANGUAGE plpgsql
 STABLE ROWS 10
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  list ledger_lists;
  spot record;
begin
  select * into list from ledger_lists l where l.user_id = of_user and not l.is_settled;
  if not found then return; end if;
  spot := ledger_locate(list, enum_range(null::ledger_line_type), start_at, end_at, skip);
  return query
    select spot.total, u from ledger_unsettled u
    where u.list_id = list.id and (u.transaction_at, u.number) < (spot.upto_at, spot.upto_number)
      and u.transaction_at >= coalesce(start_at, '-infinity')
    order by u.transaction_at desc, u.number desc offset spot.rest limit size;
  if not found then
    total := spot.total;
    record := null;
    return next;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.next_hash(last bytea, head bytea, content text)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return sha256(coalesce(last, head) || convert_to(content, 'UTF8'));
end $function$;

CREATE OR REPLACE FUNCTION public.payout_attempts_guard()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.hash, new.network, new.address, new.nonce, new.raw) is distinct from
     (old.hash, old.network, old.address, old.nonce, old.raw) or old.is_void and not new.is_void then
    raise exception 'signed bytes do not change' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.payout_signers_guard()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.next_nonce < old.next_nonce then
    raise exception 'a nonce is given once' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.payout_slots_guard()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.state = 'final' or (new.network, new.address, new.nonce) is distinct from (old.network, old.address, old.nonce) then
    raise exception 'a nonce and its withdrawal stay together, and what is final stays' using errcode = 'restrict_violation';
  end if;
  if old.state = 'open' and new.state = 'void' then
    if new.void_of is distinct from old.withdrawal_id or exists (select from payout_attempts a
        where (a.network, a.address, a.nonce) = (old.network, old.address, old.nonce) and not a.is_void
          and (new.mined_hash is null and a.sends > 0 or a.hash = new.mined_hash)) then
      raise exception 'a slot is void only if another transaction used its nonce, or nothing was ever sent for it'
        using errcode = 'restrict_violation';
    end if;
  elsif old.state = 'void' and new.state = 'open' then
    -- Used on chain: it becomes the slot of the withdrawal that this transaction paid. Never used: of any other.
    if old.mined_hash is not null and not exists (select from found_payments f
        where f.hash = old.mined_hash and f.withdrawal_id = new.withdrawal_id) then
      raise exception 'a nonce that is used on chain belongs to the withdrawal that was paid by it'
        using errcode = 'restrict_violation';
    end if;
  elsif new.withdrawal_id is distinct from old.withdrawal_id then
    raise exception 'a nonce and its withdrawal stay together, and what is final stays' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.payout_slots_guard_owner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.withdrawal_id is not null and exists (select from found_payments f join withdrawals w on w.id = f.withdrawal_id
      where f.withdrawal_id = new.withdrawal_id and is_found_paid(w)
      and not exists (select from found_payments o where o.withdrawal_id = new.withdrawal_id
        and (o.network, o.address, o.nonce) = (new.network, new.address, new.nonce))) then
    raise exception 'a payment that was found on chain is not made again' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_reopening()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'what ended in % stays as it ended', tg_table_name using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.set_limit(real)
 RETURNS real
 LANGUAGE c
 STRICT
AS '$libdir/pg_trgm', $function$set_limit$function$;

CREATE OR REPLACE FUNCTION public.show_limit()
 RETURNS real
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$show_limit$function$;

CREATE OR REPLACE FUNCTION public.show_trgm(text)
 RETURNS text[]
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$show_trgm$function$;

CREATE OR REPLACE FUNCTION public.similarity(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$similarity$function$;

CREATE OR REPLACE FUNCTION public.similarity_dist(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$similarity_dist$function$;

CREATE OR REPLACE FUNCTION public.similarity_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$similarity_op$function$;

CREATE OR REPLACE FUNCTION public.strict_word_similarity(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity$function$;

CREATE OR REPLACE FUNCTION public.strict_word_similarity_commutator_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity_commutator_op$function$;

CREATE OR REPLACE FUNCTION public.strict_word_similarity_dist_commutator_op(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity_dist_commutator_op$function$;

CREATE OR REPLACE FUNCTION public.strict_word_similarity_dist_op(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity_dist_op$function$;

CREATE OR REPLACE FUNCTION public.strict_word_similarity_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity_op$function$;

CREATE OR REPLACE FUNCTION public.withdrawal_counts_add_inserted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into withdrawal_totals as t (status, count)
    select status, sum(count) from added group by status order by status
    on conflict (status) do update set count = t.count + excluded.count;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.withdrawal_counts_add_updated()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into withdrawal_totals as t (status, count)
    select status, sum(count) from (
      select status, count from after_rows union all select status, -count from before_rows
    ) changed group by status order by status
    on conflict (status) do update set count = t.count + excluded.count;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.withdrawal_facts_mark(partner_id uuid, user_id uuid, network text, token_address text, to_address text, amount numeric)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select substring(sha256(convert_to('facts ' || partner_id::text || ' ' || user_id::text || ' ' || network || ' ' ||
    token_address || ' ' || to_address || ' ' || amount::text, 'UTF8')) for 16)
$function$;

CREATE OR REPLACE FUNCTION public.withdrawal_key_mark(partner_id uuid, idempotency_key text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select substring(sha256(convert_to('key ' || partner_id::text || ' ' || idempotency_key, 'UTF8')) for 16)
$function$;

CREATE OR REPLACE FUNCTION public.withdrawals_credit_custody()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('address ' || new.to_address, 0));
  if exists (select from user_wallets w where w.network = new.network and w.address = new.to_address and w.custody = 'self') then
    new.recipient_user_id := null;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.withdrawals_guard_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.id, new.bulk_id, new.list_id, new.position, new.partner_id, new.user_id, new.network, new.currency,
      new.token_address, new.decimals, new.amount, new.to_address, new.recipient_user_id, new.created_at)
    is distinct from
     (old.id, old.bulk_id, old.list_id, old.position, old.partner_id, old.user_id, old.network, old.currency,
      old.token_address, old.decimals, old.amount, old.to_address, old.recipient_user_id, old.created_at) then
    raise exception 'what a withdrawal pays, and to whom, does not change' using errcode = 'restrict_violation';
  end if;
  if new.status = old.status then
    if old.status in ('completed', 'failed') then
      raise exception 'a % withdrawal is final', old.status using errcode = 'restrict_violation';
    end if;
    return new;
  end if;
  if (old.status, new.status) not in (('queued', 'pending'), ('queued', 'failed'), ('pending', 'processing'),
      ('pending', 'failed'), ('processing', 'completed'), ('processing', 'failed'), ('processing', 'pending')) then
    raise exception 'a withdrawal does not move from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  -- Once signed, only what is final on chain decides.
  if new.status = 'processing' and not exists (select from payout_slots s where s.withdrawal_id = new.id) then
    raise exception 'a withdrawal is not processing before its nonce is stored' using errcode = 'restrict_violation';
  end if;
  if new.status = 'pending' and old.status = 'processing' then
    if exists (select from payout_slots s where s.withdrawal_id = new.id)
        or not exists (select from payout_slots s where s.void_of = new.id) then
      raise exception 'a withdrawal does not move from processing to pending unless its nonce is void'
        using errcode = 'restrict_violation';
    end if;
    return new;
  end if;
  if old.status = 'processing' and not exists (
      select from payout_slots s where s.withdrawal_id = new.id and s.state = 'final'
        and s.mined_hash is not distinct from new.transaction_hash) then
    raise exception 'a signed withdrawal ends only with a final transaction' using errcode = 'restrict_violation';
  end if;
  if new.status = 'failed' and old.status <> 'processing'
      and (exists (select from payout_slots s where s.withdrawal_id = new.id) or is_found_paid(new)) then
    raise exception 'a signed withdrawal ends only with a final transaction' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.withdrawals_note_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from added where status <> 'queued') then
    raise exception 'a withdrawal begins as queued' using errcode = 'restrict_violation';
  end if;
  insert into withdrawal_count_changes (list_id, status, block, change)
    select list_id, status, position / 4000, count(*) from added group by 1, 2, 3;
  -- In the transaction of the insert: workers wake when it commits, and only then. Not where others are queued already, for
  -- which they are awake: transactions that notify commit one after another, and creations were a third as fast.
  if exists (select from added a where not exists (
      select from withdrawals w where w.status = 'queued' and w.network = a.network and w.id not in (select id from added))) then
    perform pg_notify('withdrawals', '');
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.withdrawals_note_moves()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into withdrawal_moves (withdrawal_id, status, at)
    select id, status, max(at) from (
      select id, status, updated_at as at, 1 as side from after_rows
      union all
      select id, status, null, -1 from before_rows
    ) sides group by id, status having sum(side) = 1
    on conflict (withdrawal_id, status) do update set at = withdrawal_moves.at;
  if found then
    insert into withdrawal_count_changes (list_id, status, block, change)
      select list_id, status, block, sum(change) from (
        select list_id, status, position / 4000 as block, 1 as change from after_rows
        union all
        select list_id, status, position / 4000, -1 from before_rows
      ) moves group by 1, 2, 3 having sum(change) <> 0;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.word_similarity(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity$function$;

CREATE OR REPLACE FUNCTION public.word_similarity_commutator_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity_commutator_op$function$;

CREATE OR REPLACE FUNCTION public.word_similarity_dist_commutator_op(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity_dist_commutator_op$function$;

CREATE OR REPLACE FUNCTION public.word_similarity_dist_op(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity_dist_op$function$;

CREATE OR REPLACE FUNCTION public.word_similarity_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity_op$function$;

CREATE TRIGGER api_keys_refuse_house BEFORE INSERT OR UPDATE OF partner_id ON public.api_keys FOR EACH ROW EXECUTE FUNCTION api_keys_refuse_house();

CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_log_chain BEFORE INSERT ON public.audit_log FOR EACH ROW WHEN ((new.hash IS NULL)) EXECUTE FUNCTION audit_log_chain();

CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER card_issuer_users_compare AFTER UPDATE OF collateral ON public.card_issuer_users FOR EACH ROW WHEN ((old.collateral <> new.collateral)) EXECUTE FUNCTION card_issuer_users_compare();

CREATE TRIGGER card_lists_open AFTER INSERT ON public.card_issuer_users FOR EACH ROW EXECUTE FUNCTION card_lists_open();

CREATE TRIGGER card_movements_append_only BEFORE DELETE OR UPDATE ON public.card_movements FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER card_movements_count AFTER INSERT ON public.card_movements REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION card_movements_count();

CREATE TRIGGER card_movements_no_truncate BEFORE TRUNCATE ON public.card_movements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER card_movements_place BEFORE INSERT ON public.card_movements FOR EACH ROW EXECUTE FUNCTION card_movements_place();

CREATE TRIGGER card_refill_rules_compare BEFORE INSERT OR UPDATE OF threshold ON public.card_refill_rules FOR EACH ROW EXECUTE FUNCTION card_refill_rules_compare();

CREATE TRIGGER card_refills_guard_first BEFORE INSERT ON public.card_refills FOR EACH ROW EXECUTE FUNCTION card_refills_guard_first();

CREATE TRIGGER card_refills_guard_move BEFORE UPDATE ON public.card_refills FOR EACH ROW EXECUTE FUNCTION card_refills_guard_move();

CREATE TRIGGER card_refills_no_delete BEFORE DELETE ON public.card_refills FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER card_refills_no_truncate BEFORE TRUNCATE ON public.card_refills FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER card_transactions_count AFTER INSERT ON public.card_transactions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION card_transactions_count();

CREATE TRIGGER card_transactions_guard BEFORE UPDATE ON public.card_transactions FOR EACH ROW WHEN (((((((old.id IS DISTINCT FROM new.id) OR (old.card_id IS DISTINCT FROM new.card_id)) OR (old.user_id IS DISTINCT FROM new.user_id)) OR (old.list_id IS DISTINCT FROM new.list_id)) OR (old.number IS DISTINCT FROM new.number)) OR (old.created_at IS DISTINCT FROM new.created_at))) EXECUTE FUNCTION card_refuse_move();

CREATE TRIGGER card_transactions_no_delete BEFORE DELETE ON public.card_transactions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER card_transactions_no_truncate BEFORE TRUNCATE ON public.card_transactions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER card_transactions_place BEFORE INSERT ON public.card_transactions FOR EACH ROW EXECUTE FUNCTION card_transactions_place();

CREATE TRIGGER card_versions_append_only BEFORE DELETE OR UPDATE ON public.card_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER card_versions_no_truncate BEFORE TRUNCATE ON public.card_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER cards_guard BEFORE UPDATE ON public.cards FOR EACH ROW WHEN ((((old.id IS DISTINCT FROM new.id) OR (old.card_issuer_user_id IS DISTINCT FROM new.card_issuer_user_id)) OR (old.user_id IS DISTINCT FROM new.user_id))) EXECUTE FUNCTION card_refuse_move();

CREATE TRIGGER consent_reads_append_only BEFORE DELETE OR UPDATE ON public.consent_reads FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER consent_reads_guard BEFORE INSERT ON public.consent_reads FOR EACH ROW EXECUTE FUNCTION consent_reads_guard();

CREATE TRIGGER consent_reads_no_truncate BEFORE TRUNCATE ON public.consent_reads FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER consents_begin BEFORE INSERT ON public.consents FOR EACH ROW EXECUTE FUNCTION consents_begin();

CREATE TRIGGER consents_guard BEFORE UPDATE ON public.consents FOR EACH ROW EXECUTE FUNCTION consents_guard();

CREATE TRIGGER consents_no_delete BEFORE DELETE ON public.consents FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER consents_no_truncate BEFORE TRUNCATE ON public.consents FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER deposit_cursors_no_delete BEFORE DELETE ON public.deposit_cursors FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER deposits_append_only BEFORE DELETE OR UPDATE ON public.deposits FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER deposits_need_custody BEFORE INSERT ON public.deposits FOR EACH ROW EXECUTE FUNCTION deposits_need_custody();

CREATE TRIGGER deposits_no_truncate BEFORE TRUNCATE ON public.deposits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER found_payments_no_delete BEFORE DELETE ON public.found_payments FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER found_payments_no_truncate BEFORE TRUNCATE ON public.found_payments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER integration_keys_stay_revoked BEFORE UPDATE ON public.integration_keys FOR EACH ROW WHEN (((old.revoked_at IS NOT NULL) AND (new.revoked_at IS DISTINCT FROM old.revoked_at))) EXECUTE FUNCTION refuse_reopening();

CREATE TRIGGER integrations_stay_revoked BEFORE UPDATE ON public.integrations FOR EACH ROW WHEN (((old.revoked_at IS NOT NULL) AND (new.revoked_at IS DISTINCT FROM old.revoked_at))) EXECUTE FUNCTION refuse_reopening();

CREATE TRIGGER ledger_accounts_check_new BEFORE INSERT ON public.ledger_accounts FOR EACH ROW WHEN (((num_nonnulls(new.user_id, new.house) <> 1) OR (new.house !~ '^[a-z-]{1,40}$'::text))) EXECUTE FUNCTION ledger_accounts_check_new();

CREATE TRIGGER ledger_accounts_guard BEFORE UPDATE OF id, user_id, house, network, currency ON public.ledger_accounts FOR EACH ROW EXECUTE FUNCTION ledger_accounts_guard();

CREATE TRIGGER ledger_accounts_no_delete BEFORE DELETE ON public.ledger_accounts FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_credits_append_only BEFORE DELETE OR UPDATE ON public.ledger_credits FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_credits_no_truncate BEFORE TRUNCATE ON public.ledger_credits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_lines_append_only BEFORE DELETE OR UPDATE ON public.ledger_lines FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_lines_no_truncate BEFORE TRUNCATE ON public.ledger_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_move_house AFTER INSERT ON public.ledger_movements REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_move_house();

CREATE TRIGGER ledger_movements_append_only BEFORE DELETE OR UPDATE ON public.ledger_movements FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_movements_no_truncate BEFORE TRUNCATE ON public.ledger_movements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_note_completed_withdrawals AFTER UPDATE ON public.withdrawals REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION ledger_note_completed_withdrawals();

CREATE TRIGGER ledger_note_credit AFTER INSERT ON public.ledger_lines FOR EACH ROW WHEN (((new.received_account_id IS NOT NULL) AND (new.unique_hash_id ~~ '0x%'::text))) EXECUTE FUNCTION ledger_note_credit();

CREATE TRIGGER ledger_note_new_withdrawals AFTER INSERT ON public.withdrawals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_note_new_withdrawals();

CREATE TRIGGER ledger_postings_append_only BEFORE DELETE OR UPDATE ON public.ledger_postings FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_postings_no_truncate BEFORE TRUNCATE ON public.ledger_postings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_unsettled_guard BEFORE UPDATE ON public.ledger_unsettled FOR EACH ROW EXECUTE FUNCTION ledger_unsettled_guard();

CREATE TRIGGER ledger_unsettled_guard_delete BEFORE DELETE ON public.ledger_unsettled FOR EACH ROW EXECUTE FUNCTION ledger_unsettled_guard_delete();

CREATE TRIGGER ledger_unsettled_no_truncate BEFORE TRUNCATE ON public.ledger_unsettled FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_attempts_guard BEFORE UPDATE ON public.payout_attempts FOR EACH ROW EXECUTE FUNCTION payout_attempts_guard();

CREATE TRIGGER payout_attempts_no_delete BEFORE DELETE ON public.payout_attempts FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_attempts_no_truncate BEFORE TRUNCATE ON public.payout_attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_signers_guard BEFORE UPDATE ON public.payout_signers FOR EACH ROW EXECUTE FUNCTION payout_signers_guard();

CREATE TRIGGER payout_signers_no_delete BEFORE DELETE ON public.payout_signers FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_slots_guard BEFORE UPDATE ON public.payout_slots FOR EACH ROW EXECUTE FUNCTION payout_slots_guard();

CREATE TRIGGER payout_slots_guard_owner BEFORE INSERT OR UPDATE OF withdrawal_id ON public.payout_slots FOR EACH ROW EXECUTE FUNCTION payout_slots_guard_owner();

CREATE TRIGGER payout_slots_no_delete BEFORE DELETE ON public.payout_slots FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_slots_no_truncate BEFORE TRUNCATE ON public.payout_slots FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER sign_in_links_stay_used BEFORE UPDATE ON public.sign_in_links FOR EACH ROW WHEN (((old.used_at IS NOT NULL) AND (new.used_at IS DISTINCT FROM old.used_at))) EXECUTE FUNCTION refuse_reopening();

CREATE TRIGGER user_sessions_stay_ended BEFORE UPDATE ON public.user_sessions FOR EACH ROW WHEN (((old.ended_at IS NOT NULL) AND (new.ended_at IS DISTINCT FROM old.ended_at))) EXECUTE FUNCTION refuse_reopening();

CREATE TRIGGER withdrawal_counts_add_inserted AFTER INSERT ON public.withdrawal_counts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION withdrawal_counts_add_inserted();

CREATE TRIGGER withdrawal_counts_add_updated AFTER UPDATE ON public.withdrawal_counts REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION withdrawal_counts_add_updated();

CREATE TRIGGER withdrawals_credit_custody BEFORE INSERT ON public.withdrawals FOR EACH ROW WHEN ((new.recipient_user_id IS NOT NULL)) EXECUTE FUNCTION withdrawals_credit_custody();

CREATE TRIGGER withdrawals_guard_move BEFORE UPDATE ON public.withdrawals FOR EACH ROW EXECUTE FUNCTION withdrawals_guard_move();

CREATE TRIGGER withdrawals_no_delete BEFORE DELETE ON public.withdrawals FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER withdrawals_no_truncate BEFORE TRUNCATE ON public.withdrawals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER withdrawals_note_insert AFTER INSERT ON public.withdrawals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION withdrawals_note_insert();

CREATE TRIGGER withdrawals_note_moves AFTER UPDATE ON public.withdrawals REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION withdrawals_note_moves();
