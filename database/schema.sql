-- Tables, indexes, constraints and triggers after all migrations. Written by `npm run schema`; `doctor` compares indexes with it.

create type card_interval as enum ('daily', 'weekly', 'monthly', 'yearly', 'all-time');

create type card_list_kind as enum ('transactions', 'movements');

create type card_refill_status as enum ('queued', 'processing', 'completed', 'failed');

create type card_status as enum ('inactive', 'active', 'locked', 'canceled');

create type card_transaction_status as enum ('pending', 'settled', 'declined', 'reversed');

create type consent_status as enum ('awaiting', 'active', 'rejected', 'revoked', 'expired');

create type ledger_line_type as enum ('buy', 'sell', 'swap-bridge', 'transfer-token');

create table api_key_uses (
  key_id text not null,
  last_used_at timestamp with time zone not null,
  constraint api_key_uses_pkey PRIMARY KEY (key_id),
  constraint api_key_uses_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id)
) with (fillfactor=50);

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
  suspended_at timestamp with time zone,
  suspended_reason text,
  issued_by uuid,
  issued_by_key text,
  suspended_with text,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint api_keys_rotated_from_fkey FOREIGN KEY (rotated_from) REFERENCES api_keys(id),
  constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint api_keys_id_check CHECK ((id ~ '^[a-z2-7]{16}$'::text)),
  constraint api_keys_secret_sha256_check CHECK ((length(secret_sha256) = 32))
);

create table approval_requests (
  id uuid not null,
  command text not null,
  input_sealed bytea,
  input_sha256 bytea not null,
  requested_by text not null,
  requested_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  status text default 'pending'::text not null,
  decided_by text,
  decided_at timestamp with time zone,
  comment text,
  constraint approval_requests_pkey PRIMARY KEY (id),
  constraint approval_requests_decided CHECK ((((status = ANY (ARRAY['approved'::text, 'refused'::text])) = (decided_by IS NOT NULL)) AND ((decided_by IS NULL) = (decided_at IS NULL)))),
  constraint approval_requests_input CHECK (((status = 'pending'::text) = (input_sealed IS NOT NULL))),
  constraint approval_requests_input_sha256_check CHECK ((length(input_sha256) = 32)),
  constraint approval_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'refused'::text, 'expired'::text]))),
  constraint approval_requests_two_people CHECK ((decided_by <> requested_by))
);

create table audit_chain_heads (
  chain smallint not null,
  id bigint not null,
  hash bytea not null,
  constraint audit_chain_heads_pkey PRIMARY KEY (chain, id)
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
  chain smallint default 0 not null,
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
  constraint card_transactions_currency CHECK ((currency = 'USD'::text)),
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
  status_reason text,
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
  kind text,
  constraint cards_owner_key UNIQUE (id, user_id),
  constraint cards_pkey PRIMARY KEY (id),
  constraint cards_account_fkey FOREIGN KEY (card_issuer_user_id, user_id) REFERENCES card_issuer_users(id, user_id),
  constraint cards_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint cards_id_check CHECK (((length(id) >= 1) AND (length(id) <= 100))),
  constraint cards_last_four_digits_check CHECK ((last_four_digits ~ '^[0-9]{4}$'::text)),
  constraint cards_spending_limit_check CHECK ((spending_limit >= 0))
);

create table connect_application_logos (
  application_id uuid not null,
  sha256 text not null,
  type text not null,
  bytes bytea not null,
  constraint connect_application_logos_pkey PRIMARY KEY (application_id),
  constraint connect_application_logos_application_id_fkey FOREIGN KEY (application_id) REFERENCES connect_applications(id) ON DELETE CASCADE,
  constraint connect_application_logos_bytes_check CHECK ((octet_length(bytes) <= 65536)),
  constraint connect_application_logos_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint connect_application_logos_type_check CHECK ((type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text])))
);

create table connect_applications (
  id uuid default uuidv7() not null,
  link_sha256 bytea not null,
  form_sha256 bytea not null,
  name text not null,
  logo_color text not null,
  purposes text[] not null,
  scopes text[] not null,
  redirect_uris text[] not null,
  homepage_url text,
  privacy_url text,
  applicant_name text not null,
  applicant_email text not null,
  status text default 'open'::text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  reason text,
  integration_id uuid,
  person_id uuid,
  constraint connect_applications_form_sha256_key UNIQUE (form_sha256),
  constraint connect_applications_link_sha256_key UNIQUE (link_sha256),
  constraint connect_applications_pkey PRIMARY KEY (id),
  constraint connect_applications_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id),
  constraint connect_applications_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint connect_applications_applicant_email_check CHECK (((length(applicant_email) >= 3) AND (length(applicant_email) <= 254))),
  constraint connect_applications_applicant_name_check CHECK (((length(applicant_name) >= 1) AND (length(applicant_name) <= 200))),
  constraint connect_applications_check CHECK (((status = 'open'::text) = (ended_at IS NULL))),
  constraint connect_applications_check1 CHECK (((status = 'approved'::text) = ((integration_id IS NOT NULL) AND (person_id IS NOT NULL)))),
  constraint connect_applications_check2 CHECK (((status = 'refused'::text) = (reason IS NOT NULL))),
  constraint connect_applications_form_sha256_check CHECK ((length(form_sha256) = 32)),
  constraint connect_applications_link_sha256_check CHECK ((length(link_sha256) = 32)),
  constraint connect_applications_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint connect_applications_purposes_check CHECK (((cardinality(purposes) >= 1) AND (cardinality(purposes) <= 20))),
  constraint connect_applications_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint connect_applications_redirect_uris_check CHECK (((cardinality(redirect_uris) >= 1) AND (cardinality(redirect_uris) <= 20))),
  constraint connect_applications_scopes_check CHECK (((cardinality(scopes) >= 1) AND (cardinality(scopes) <= 4))),
  constraint connect_applications_status_check CHECK ((status = ANY (ARRAY['open'::text, 'approved'::text, 'refused'::text, 'expired'::text])))
);

create table consent_read_counts (
  integration_id uuid not null,
  hour timestamp with time zone not null,
  outcome text not null,
  count bigint not null,
  constraint consent_read_counts_pkey PRIMARY KEY (integration_id, hour, outcome),
  constraint consent_read_counts_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id),
  constraint consent_read_counts_count_check CHECK ((count > 0)),
  constraint consent_read_counts_outcome_check CHECK (((length(outcome) >= 1) AND (length(outcome) <= 60)))
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
  purpose_pt text,
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

create table event_numbering (
  is_only boolean default true not null,
  server text not null,
  begins_after bigint default 0 not null,
  constraint event_numbering_pkey PRIMARY KEY (is_only),
  constraint event_numbering_is_only_check CHECK (is_only)
);

create table event_parked (
  id bigint not null,
  is_bulk boolean not null,
  type text not null,
  resource text not null,
  partner_id uuid,
  integration_id uuid,
  user_id uuid,
  reader_user_id uuid,
  previous_status text,
  facts jsonb not null,
  recorded_at timestamp with time zone not null,
  parked_at timestamp with time zone not null,
  reason text not null,
  constraint event_parked_pkey PRIMARY KEY (id)
);

create table event_records (
  id bigint not null,
  is_bulk boolean default false not null,
  type text not null,
  resource text not null,
  partner_id uuid,
  integration_id uuid,
  user_id uuid,
  reader_user_id uuid,
  previous_status text,
  facts jsonb default '{}'::jsonb not null,
  recorded_at timestamp with time zone default clock_timestamp() not null,
  constraint event_records_pkey PRIMARY KEY (is_bulk, id),
  constraint event_records_check CHECK ((num_nonnulls(partner_id, integration_id, user_id) = 1))
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0);

create table event_streams (
  id bigint not null,
  partner_id uuid,
  integration_id uuid,
  last_sequence bigint default 0 not null,
  swept_sequence bigint default 0 not null,
  constraint event_streams_integration_id_key UNIQUE (integration_id),
  constraint event_streams_partner_id_key UNIQUE (partner_id),
  constraint event_streams_pkey PRIMARY KEY (id),
  constraint event_streams_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id),
  constraint event_streams_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint event_streams_check CHECK (((swept_sequence >= 0) AND (swept_sequence <= last_sequence))),
  constraint event_streams_check1 CHECK ((num_nonnulls(partner_id, integration_id) = 1)),
  constraint event_streams_last_sequence_check CHECK ((last_sequence >= 0))
);

create table events (
  stream_id bigint not null,
  sequence bigint not null,
  id text not null,
  type text not null,
  resource text not null,
  user_id uuid,
  recorded_at timestamp with time zone not null,
  numbered_at timestamp with time zone not null,
  body text not null,
  constraint events_id_key UNIQUE (id),
  constraint events_pkey PRIMARY KEY (stream_id, sequence),
  constraint events_stream_id_fkey FOREIGN KEY (stream_id) REFERENCES event_streams(id),
  constraint events_body_check CHECK ((octet_length(body) <= 20480)),
  constraint events_sequence_check CHECK ((sequence > 0))
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

create table integration_key_uses (
  key_id text not null,
  last_used_at timestamp with time zone not null,
  constraint integration_key_uses_pkey PRIMARY KEY (key_id),
  constraint integration_key_uses_key_id_fkey FOREIGN KEY (key_id) REFERENCES integration_keys(id)
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

create table integration_logos (
  integration_id uuid not null,
  sha256 text not null,
  png bytea not null,
  set_at timestamp with time zone not null,
  type text default 'image/png'::text not null,
  constraint integration_logos_pkey PRIMARY KEY (integration_id),
  constraint integration_logos_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id),
  constraint integration_logos_png_check CHECK ((octet_length(png) <= 300000)),
  constraint integration_logos_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint integration_logos_type_check CHECK ((type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text])))
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
  homepage_url text,
  privacy_url text,
  purposes_pt jsonb default '{}'::jsonb not null,
  keys_by_owner boolean default false not null,
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
    WHEN (user_id IS NULL) THEN (COALESCE(balance, held) IS NULL)
    ELSE (((held >= '0'::numeric) AND (held <= balance) AND (balance < 'NaN'::numeric)) IS TRUE)
END)
) with (fillfactor=70);

create table ledger_checks (
  subject text not null,
  sealed bytea not null,
  checked_at timestamp with time zone not null,
  constraint ledger_checks_pkey PRIMARY KEY (subject)
);

create table ledger_credits (
  network text not null,
  key text not null,
  list_id bigint,
  line_number bigint,
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

create table ledger_kinds (
  list_id bigint not null,
  level smallint not null,
  first_at timestamp with time zone not null,
  first_number bigint not null,
  upto_at timestamp with time zone not null,
  upto_number bigint not null,
  kinds ledger_kind[] not null,
  constraint ledger_kinds_pkey PRIMARY KEY (list_id, level, first_at, first_number)
);

create table ledger_kinds_queue (
  list_id bigint not null,
  from_at timestamp with time zone not null,
  from_number bigint not null,
  queued_at timestamp with time zone default now() not null,
  constraint ledger_kinds_queue_pkey PRIMARY KEY (list_id)
) with (fillfactor=50);

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

create table ledger_verdicts (
  subject text not null,
  fault_count integer not null,
  faults jsonb not null,
  since_last boolean not null,
  last_number bigint,
  last_hash text,
  actor_kind text not null,
  actor_id text not null,
  checked_at timestamp with time zone not null,
  constraint ledger_verdicts_pkey PRIMARY KEY (subject)
);

create table partner_users (
  partner_id uuid not null,
  user_id uuid not null,
  allowed_at timestamp with time zone not null,
  constraint partner_users_pkey PRIMARY KEY (partner_id, user_id),
  constraint partner_users_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint partner_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table partner_users_removed (
  partner_id uuid not null,
  user_id uuid not null,
  removed_at timestamp with time zone not null,
  constraint partner_users_removed_pkey PRIMARY KEY (partner_id, user_id),
  constraint partner_users_removed_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint partner_users_removed_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table partners (
  id uuid default uuidv7() not null,
  name text not null,
  created_at timestamp with time zone not null,
  is_house boolean default false not null,
  suspended_at timestamp with time zone,
  suspended_reason text,
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

create table payout_pauses (
  scope text not null,
  reason text not null,
  paused_at timestamp with time zone not null,
  paused_by text not null,
  constraint payout_pauses_pkey PRIMARY KEY (scope),
  constraint payout_pauses_scope_check CHECK ((scope ~ '^(everything|(network|partner|user):[!-~]{1,100})$'::text))
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
  is_in_doubt boolean default false not null,
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

create table payout_wallets (
  network text not null,
  address text not null,
  updated_at timestamp with time zone not null,
  addresses text[],
  constraint payout_wallets_pkey PRIMARY KEY (network),
  constraint payout_wallets_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text))
);

create table people (
  id uuid default uuidv7() not null,
  kind text not null,
  partner_id uuid,
  integration_id uuid,
  role text not null,
  name text not null,
  email text not null,
  created_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint people_pkey PRIMARY KEY (id),
  constraint people_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id),
  constraint people_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint people_check CHECK (((kind = 'partner'::text) = (partner_id IS NOT NULL))),
  constraint people_check1 CHECK (((kind = 'integration'::text) = (integration_id IS NOT NULL))),
  constraint people_check2 CHECK (
CASE kind
    WHEN 'operator'::text THEN (role = ANY (ARRAY['viewer'::text, 'support'::text, 'treasury'::text, 'compliance'::text, 'admin'::text]))
    WHEN 'partner'::text THEN (role = ANY (ARRAY['developer'::text, 'finance'::text, 'owner'::text]))
    ELSE (role = ANY (ARRAY['developer'::text, 'owner'::text]))
END),
  constraint people_email_check CHECK ((length(email) <= 254)),
  constraint people_kind_check CHECK ((kind = ANY (ARRAY['operator'::text, 'partner'::text, 'integration'::text]))),
  constraint people_name_check CHECK ((length(name) <= 200))
);

create table person_challenges (
  challenge_sha256 bytea not null,
  purpose text not null,
  bound_to bytea,
  expires_at timestamp with time zone not null,
  constraint person_challenges_pkey PRIMARY KEY (challenge_sha256),
  constraint person_challenges_challenge_sha256_check CHECK ((length(challenge_sha256) = 32)),
  constraint person_challenges_check CHECK (((purpose = ANY (ARRAY['sign-in'::text, 'openid-sign-in'::text])) = (bound_to IS NULL))),
  constraint person_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['register'::text, 'sign-in'::text, 'step-up'::text, 'openid-register'::text, 'openid-sign-in'::text, 'openid-step-up'::text, 'form'::text]))) NOT VALID
);

create table person_identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null,
  created_at timestamp with time zone not null,
  constraint person_identities_pkey PRIMARY KEY (issuer, subject),
  constraint person_identities_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint person_identities_subject_check CHECK ((length(subject) <= 255))
);

create table person_invitations (
  secret_sha256 bytea not null,
  person_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  voided_at timestamp with time zone,
  constraint person_invitations_pkey PRIMARY KEY (secret_sha256),
  constraint person_invitations_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint person_invitations_secret_sha256_check CHECK ((length(secret_sha256) = 32))
);

create table person_passkeys (
  credential_id bytea not null,
  person_id uuid not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_backed_up boolean not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint person_passkeys_pkey PRIMARY KEY (credential_id),
  constraint person_passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint person_passkeys_counter_check CHECK ((counter >= 0)),
  constraint person_passkeys_credential_id_check CHECK ((length(credential_id) <= 1023))
);

create table person_sessions (
  secret_sha256 bytea not null,
  id uuid default uuidv7() not null,
  person_id uuid not null,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  asserted_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint person_sessions_id_key UNIQUE (id),
  constraint person_sessions_pkey PRIMARY KEY (secret_sha256),
  constraint person_sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint person_sessions_secret_sha256_check CHECK ((length(secret_sha256) = 32))
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

create table prices_by_hour (
  token text not null,
  hour timestamp with time zone not null,
  price numeric(36,18) not null,
  constraint prices_by_hour_pkey PRIMARY KEY (token, hour),
  constraint prices_by_hour_price_check CHECK ((price > (0)::numeric))
);

create table primary_mark (
  is_only boolean default true not null,
  mark uuid not null,
  timeline integer not null,
  constraint primary_mark_pkey PRIMARY KEY (is_only),
  constraint primary_mark_is_only_check CHECK (is_only)
);

create unlogged table rate_windows (
  policy text not null,
  subject text not null,
  hits timestamp with time zone[] not null,
  admitted boolean not null,
  expires_at timestamp with time zone not null,
  constraint rate_windows_pkey PRIMARY KEY (policy, subject)
) with (fillfactor=50);

create table request_log (
  request_id uuid not null,
  at timestamp with time zone not null,
  partner_id uuid not null,
  key_id text,
  person_id uuid,
  method text not null,
  route text not null,
  path text not null,
  status smallint not null,
  error_code text,
  duration_ms integer not null,
  caller_address text not null,
  constraint request_log_pkey PRIMARY KEY (request_id)
);

create table rule_address_proposals (
  id uuid default uuidv7() not null,
  partner_id uuid not null,
  network text,
  address text not null,
  name text not null,
  proposed_by text not null,
  person_id uuid,
  proposed_at timestamp with time zone not null,
  constraint rule_address_proposals_pkey PRIMARY KEY (id),
  constraint rule_address_proposals_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint rule_address_proposals_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint rule_address_proposals_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
  constraint rule_address_proposals_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
);

create table rule_addresses (
  id uuid default uuidv7() not null,
  partner_id uuid,
  network text,
  address text not null,
  name text not null,
  added_by text not null,
  added_at timestamp with time zone not null,
  constraint rule_addresses_pkey PRIMARY KEY (id),
  constraint rule_addresses_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint rule_addresses_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
  constraint rule_addresses_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
);

create table rule_approvals (
  withdrawal_id uuid not null,
  revision integer not null,
  person_id uuid not null,
  decision text not null,
  comment text,
  credential_id bytea not null,
  client_data bytea not null,
  authenticator_data bytea not null,
  signature bytea not null,
  decided_at timestamp with time zone not null,
  constraint rule_approvals_pkey PRIMARY KEY (withdrawal_id, revision, person_id),
  constraint rule_approvals_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint rule_approvals_revision_fkey FOREIGN KEY (revision) REFERENCES rule_sets(revision),
  constraint rule_approvals_comment_check CHECK (((length(comment) >= 1) AND (length(comment) <= 500))),
  constraint rule_approvals_decision_check CHECK ((decision = ANY (ARRAY['approve'::text, 'refuse'::text])))
);

create table rule_counters (
  id bigint not null,
  selection text not null,
  subject text not null,
  total numeric(78,0) not null,
  last_at timestamp with time zone not null,
  constraint rule_counters_selection_subject_key UNIQUE (selection, subject),
  constraint rule_counters_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table rule_returns (
  counter_id bigint not null,
  at timestamp with time zone not null,
  amount numeric(78,0) not null,
  constraint rule_returns_pkey PRIMARY KEY (counter_id, at)
);

create table rule_sets (
  revision integer not null,
  document jsonb not null,
  has_rules boolean default (document <> '[]'::jsonb) not null,
  drafted_by text not null,
  drafted_at timestamp with time zone not null,
  published_by text,
  published_at timestamp with time zone,
  is_current boolean default false not null,
  constraint rule_sets_pkey PRIMARY KEY (revision),
  constraint rule_sets_check CHECK (((published_by IS NULL) = (published_at IS NULL))),
  constraint rule_sets_check1 CHECK (((NOT is_current) OR (published_at IS NOT NULL)))
);

create table rule_spends (
  counter_id bigint not null,
  at timestamp with time zone not null,
  amount numeric(78,0) not null,
  through numeric(78,0) not null,
  constraint rule_spends_pkey PRIMARY KEY (counter_id, at)
);

create table rule_verdicts (
  withdrawal_id uuid not null,
  revision integer not null,
  verdict text not null,
  needs jsonb not null,
  counters bigint[] not null,
  ats timestamp with time zone[] not null,
  judged_at timestamp with time zone not null,
  constraint rule_verdicts_pkey PRIMARY KEY (withdrawal_id),
  constraint rule_verdicts_check CHECK ((cardinality(counters) = cardinality(ats))),
  constraint rule_verdicts_verdict_check CHECK ((verdict = ANY (ARRAY['allow'::text, 'approve'::text])))
);

create table rules (
  revision integer not null,
  place smallint not null,
  name text not null,
  verdict text not null,
  approvals smallint,
  approver_role text,
  partner_ids uuid[],
  user_ids uuid[],
  key_ids text[],
  sources text[],
  networks text[],
  currencies text[],
  destinations text[],
  amount_over numeric(78,0),
  amount_up_to numeric(78,0),
  sum_over numeric(78,0),
  sum_up_to numeric(78,0),
  sum_window interval,
  sum_per text,
  selection text,
  constraint rules_revision_name_key UNIQUE (revision, name),
  constraint rules_pkey PRIMARY KEY (revision, place),
  constraint rules_revision_fkey FOREIGN KEY (revision) REFERENCES rule_sets(revision) ON DELETE CASCADE,
  constraint rules_approvals_check CHECK (((approvals >= 1) AND (approvals <= 20))),
  constraint rules_check CHECK (((verdict = 'approve'::text) = (approvals IS NOT NULL))),
  constraint rules_check1 CHECK (((approvals IS NULL) = (approver_role IS NULL))),
  constraint rules_check2 CHECK ((((sum_over IS NULL) AND (sum_up_to IS NULL)) = (selection IS NULL))),
  constraint rules_check3 CHECK (((selection IS NULL) = (sum_window IS NULL))),
  constraint rules_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint rules_sum_per_check CHECK ((sum_per = ANY (ARRAY['partner'::text, 'user'::text, 'key'::text, 'destination'::text, 'network'::text]))),
  constraint rules_verdict_check CHECK ((verdict = ANY (ARRAY['allow'::text, 'deny'::text, 'approve'::text])))
);

create table self_custody_addresses (
  address text not null,
  noted_at timestamp with time zone default now() not null,
  constraint self_custody_addresses_pkey PRIMARY KEY (address),
  constraint self_custody_addresses_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text))
);

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
  receiver text,
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
  suspended_at timestamp with time zone,
  suspended_reason text,
  postal_address text,
  constraint users_email_key UNIQUE (email),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_lower CHECK (((email = lower(email)) AND (length(email) <= 254))),
  constraint users_entity_type_check CHECK ((entity_type = ANY (ARRAY['individual'::text, 'business'::text])))
);

create table webhook_attempts (
  delivery_id bigint not null,
  number integer not null,
  url text not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  status integer,
  error text,
  answer text not null,
  constraint webhook_attempts_pkey PRIMARY KEY (delivery_id, number),
  constraint webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries(id) ON DELETE CASCADE,
  constraint webhook_attempts_answer_check CHECK ((octet_length(answer) <= 16384))
);

create table webhook_deliveries (
  id bigint not null,
  endpoint_id uuid not null,
  stream_id bigint not null,
  sequence bigint not null,
  resource text not null,
  status text default 'due'::text not null,
  attempts integer default 0 not null,
  due_at timestamp with time zone not null,
  claimed_until timestamp with time zone,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id),
  constraint webhook_deliveries_check CHECK (((status = 'due'::text) = (ended_at IS NULL))),
  constraint webhook_deliveries_check1 CHECK (((status = 'due'::text) OR (claimed_until IS NULL))),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['due'::text, 'delivered'::text, 'failed'::text, 'canceled'::text])))
) with (autovacuum_vacuum_scale_factor=0.05);

create table webhook_endpoints (
  id uuid default uuidv7() not null,
  stream_id bigint not null,
  user_id uuid,
  is_for_all_users boolean default false not null,
  url text not null,
  types text[],
  is_ordered boolean not null,
  description text not null,
  secret bytea not null,
  public_key text not null,
  former_secret bytea,
  former_public_key text,
  former_ends_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  failing_since timestamp with time zone,
  disabled_at timestamp with time zone,
  disabled_reason text,
  resume_after bigint,
  deleted_at timestamp with time zone,
  set_by_key text,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_stream_id_fkey FOREIGN KEY (stream_id) REFERENCES event_streams(id),
  constraint webhook_endpoints_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint webhook_endpoints_check CHECK ((num_nonnulls(former_secret, former_public_key, former_ends_at) = ANY (ARRAY[0, 3]))),
  constraint webhook_endpoints_check1 CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
  constraint webhook_endpoints_check2 CHECK (((disabled_at IS NULL) OR (resume_after IS NOT NULL))),
  constraint webhook_endpoints_description_check CHECK ((length(description) <= 200)),
  constraint webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['owner'::text, 'operator'::text, 'gone'::text, 'failing'::text, 'key'::text]))) NOT VALID,
  constraint webhook_endpoints_url_check CHECK ((length(url) <= 2000))
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

create table withdrawal_uploads (
  id uuid default uuidv7() not null,
  partner_id uuid not null,
  user_id uuid not null,
  person_id uuid not null,
  items jsonb not null,
  created_at timestamp with time zone not null,
  constraint withdrawal_uploads_pkey PRIMARY KEY (id),
  constraint withdrawal_uploads_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint withdrawal_uploads_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint withdrawal_uploads_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint withdrawal_uploads_items_check CHECK (((jsonb_array_length(items) >= 1) AND (jsonb_array_length(items) <= 1000)))
);

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
  caller_address text,
  request_id uuid,
  hot_wallet text,
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

CREATE INDEX approval_requests_pending ON public.approval_requests USING btree (expires_at) WHERE (status = 'pending'::text);

CREATE INDEX audit_log_action ON public.audit_log USING btree (action, id);

CREATE INDEX audit_log_actor ON public.audit_log USING btree (actor_id, id);

CREATE INDEX audit_log_at ON public.audit_log USING btree (at);

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

CREATE INDEX connect_applications_ended ON public.connect_applications USING btree (ended_at) WHERE (status <> 'open'::text);

CREATE INDEX connect_applications_open ON public.connect_applications USING btree (applicant_email) WHERE (status = 'open'::text);

CREATE INDEX consent_read_counts_by_hour ON public.consent_read_counts USING btree (hour);

CREATE INDEX consent_reads_consent ON public.consent_reads USING btree (consent_id, id);

CREATE INDEX consents_active ON public.consents USING btree (integration_id) WHERE (status = 'active'::consent_status);

CREATE INDEX consents_ending ON public.consents USING btree (expires_at) WHERE ((status = 'active'::consent_status) AND (expires_at IS NOT NULL));

CREATE INDEX consents_integration ON public.consents USING btree (integration_id, id);

CREATE INDEX consents_user ON public.consents USING btree (user_id, id) WHERE (user_id IS NOT NULL);

CREATE INDEX deposits_by_block ON public.deposits USING btree (network, block_number);

CREATE INDEX deposits_by_currency ON public.deposits USING btree (network, currency, block_number);

CREATE INDEX deposits_by_user ON public.deposits USING btree (user_id, network, block_number);

CREATE INDEX event_parked_by_resource ON public.event_parked USING btree (resource);

CREATE INDEX events_by_resource ON public.events USING btree (resource);

CREATE INDEX found_payments_key_mark ON public.found_payments USING btree (key_mark) WHERE (key_mark IS NOT NULL);

CREATE INDEX found_payments_withdrawal ON public.found_payments USING btree (withdrawal_id) WHERE (withdrawal_id IS NOT NULL);

CREATE INDEX integration_keys_integration ON public.integration_keys USING btree (integration_id, id);

CREATE INDEX ledger_lines_by_operation ON public.ledger_lines USING btree (list_id, operation_id);

CREATE INDEX ledger_lines_by_posting ON public.ledger_lines USING brin (posting_id) WITH (autosummarize='on');

CREATE INDEX ledger_lines_in_order ON public.ledger_lines USING btree (list_id, type, transaction_at, number);

CREATE INDEX ledger_lines_of_transfers ON public.ledger_lines USING btree (posting_id, operation_id) WHERE (type = 'transfer-token'::ledger_line_type);

CREATE INDEX ledger_verdicts_faulty ON public.ledger_verdicts USING btree (subject) WHERE (fault_count > 0);

CREATE INDEX partner_users_user ON public.partner_users USING btree (user_id);

CREATE UNIQUE INDEX partners_house ON public.partners USING btree (is_house) WHERE is_house;

CREATE INDEX payout_attempts_slot ON public.payout_attempts USING btree (network, address, nonce);

CREATE INDEX payout_fillers_nonce ON public.payout_fillers USING btree (network, address, nonce);

CREATE INDEX payout_slots_free ON public.payout_slots USING btree (network, address, nonce) WHERE (state = 'void'::text);

CREATE INDEX payout_slots_open ON public.payout_slots USING btree (network, address, nonce) WHERE (state = 'open'::text);

CREATE INDEX payout_slots_void ON public.payout_slots USING btree (void_of) WHERE (void_of IS NOT NULL);

CREATE UNIQUE INDEX people_by_email ON public.people USING btree (email, partner_id, integration_id) NULLS NOT DISTINCT WHERE (removed_at IS NULL);

CREATE INDEX person_challenges_ending ON public.person_challenges USING btree (expires_at);

CREATE INDEX person_identities_by_person ON public.person_identities USING btree (person_id);

CREATE INDEX person_invitations_by_person ON public.person_invitations USING btree (person_id);

CREATE INDEX person_passkeys_by_person ON public.person_passkeys USING btree (person_id);

CREATE INDEX person_sessions_by_person ON public.person_sessions USING btree (person_id);

CREATE INDEX person_sessions_ending ON public.person_sessions USING btree (expires_at);

CREATE INDEX request_log_at ON public.request_log USING btree (at DESC, request_id DESC);

CREATE INDEX request_log_key ON public.request_log USING btree (key_id, at DESC, request_id DESC) WHERE (key_id IS NOT NULL);

CREATE INDEX request_log_partner ON public.request_log USING btree (partner_id, at DESC, request_id DESC);

CREATE INDEX rule_address_proposals_by_partner ON public.rule_address_proposals USING btree (partner_id, id);

CREATE UNIQUE INDEX rule_address_proposals_key ON public.rule_address_proposals USING btree (partner_id, address, network) NULLS NOT DISTINCT;

CREATE INDEX rule_addresses_by_partner ON public.rule_addresses USING btree (partner_id, id);

CREATE UNIQUE INDEX rule_addresses_key ON public.rule_addresses USING btree (address, partner_id, network) NULLS NOT DISTINCT;

CREATE UNIQUE INDEX rule_sets_current ON public.rule_sets USING btree (is_current) WHERE is_current;

CREATE INDEX sign_in_links_ending ON public.sign_in_links USING btree (expires_at);

CREATE INDEX treasury_wallets_to_check ON public.treasury_wallets USING btree (network, is_counted, checked_at);

CREATE INDEX user_sessions_ending ON public.user_sessions USING btree (expires_at);

CREATE INDEX users_old_emails ON public.users USING btree (NORMALIZE(split_part(email, '@'::text, 1), NFKC)) WHERE ((octet_length(email) > length(email)) OR (email ~~ '%xn--%'::text));

CREATE INDEX webhook_deliveries_by_age ON public.webhook_deliveries USING brin (created_at) WITH (autosummarize='on');

CREATE INDEX webhook_deliveries_by_resource ON public.webhook_deliveries USING btree (endpoint_id, resource, id) WHERE (status = 'due'::text);

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (endpoint_id, due_at, id) WHERE (status = 'due'::text);

CREATE INDEX webhook_deliveries_of_endpoint ON public.webhook_deliveries USING btree (endpoint_id, id);

CREATE INDEX webhook_deliveries_of_event ON public.webhook_deliveries USING btree (endpoint_id, sequence);

CREATE INDEX webhook_endpoints_by_stream ON public.webhook_endpoints USING btree (stream_id, id) WHERE (deleted_at IS NULL);

CREATE INDEX withdrawal_count_changes_list ON public.withdrawal_count_changes USING btree (list_id, status);

CREATE INDEX withdrawal_uploads_created ON public.withdrawal_uploads USING btree (created_at);

CREATE INDEX withdrawal_uploads_partner ON public.withdrawal_uploads USING btree (partner_id, id);

CREATE INDEX withdrawals_bulk ON public.withdrawals USING btree (bulk_id);

CREATE INDEX withdrawals_by_external_id ON public.withdrawals USING btree (list_id, external_id, "position") WHERE (external_id IS NOT NULL);

CREATE INDEX withdrawals_by_status ON public.withdrawals USING btree (list_id, status, "position");

CREATE INDEX withdrawals_final ON public.withdrawals USING btree (status, network, id) WHERE (status = ANY (ARRAY['completed'::text, 'failed'::text]));

CREATE INDEX withdrawals_final_by_address ON public.withdrawals USING btree (to_address, id) WHERE (status = ANY (ARRAY['completed'::text, 'failed'::text]));

CREATE INDEX withdrawals_final_by_amount ON public.withdrawals USING btree (decimals, amount) WHERE (status = ANY (ARRAY['completed'::text, 'failed'::text]));

CREATE INDEX withdrawals_final_by_external_id ON public.withdrawals USING btree (external_id, id) WHERE ((status = ANY (ARRAY['completed'::text, 'failed'::text])) AND (external_id IS NOT NULL));

CREATE INDEX withdrawals_final_by_key ON public.withdrawals USING btree (key_id, id) WHERE (status = ANY (ARRAY['completed'::text, 'failed'::text]));

CREATE INDEX withdrawals_final_by_partner ON public.withdrawals USING btree (partner_id, id) WHERE (status = ANY (ARRAY['completed'::text, 'failed'::text]));

CREATE INDEX withdrawals_final_by_user ON public.withdrawals USING btree (user_id, id) WHERE (status = ANY (ARRAY['completed'::text, 'failed'::text]));

CREATE UNIQUE INDEX withdrawals_idempotency_key ON public.withdrawals USING btree (partner_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);

CREATE INDEX withdrawals_open ON public.withdrawals USING btree (status, network, id) WHERE (status = ANY (ARRAY['queued'::text, 'pending'::text, 'processing'::text]));

CREATE TRIGGER api_keys_refuse_house BEFORE INSERT OR UPDATE OF partner_id ON public.api_keys FOR EACH ROW EXECUTE FUNCTION api_keys_refuse_house();

CREATE TRIGGER approval_requests_guard BEFORE UPDATE ON public.approval_requests FOR EACH ROW EXECUTE FUNCTION approval_requests_guard();

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

CREATE TRIGGER card_refills_record_events AFTER UPDATE ON public.card_refills REFERENCING OLD TABLE AS before_rows NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION card_refills_record_events();

CREATE TRIGGER card_transactions_count AFTER INSERT ON public.card_transactions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION card_transactions_count();

CREATE TRIGGER card_transactions_guard BEFORE UPDATE ON public.card_transactions FOR EACH ROW WHEN (((((((old.id IS DISTINCT FROM new.id) OR (old.card_id IS DISTINCT FROM new.card_id)) OR (old.user_id IS DISTINCT FROM new.user_id)) OR (old.list_id IS DISTINCT FROM new.list_id)) OR (old.number IS DISTINCT FROM new.number)) OR (old.created_at IS DISTINCT FROM new.created_at))) EXECUTE FUNCTION card_refuse_move();

CREATE TRIGGER card_transactions_no_delete BEFORE DELETE ON public.card_transactions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER card_transactions_no_truncate BEFORE TRUNCATE ON public.card_transactions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER card_transactions_place BEFORE INSERT ON public.card_transactions FOR EACH ROW EXECUTE FUNCTION card_transactions_place();

CREATE TRIGGER card_transactions_record_changes AFTER UPDATE ON public.card_transactions REFERENCING OLD TABLE AS before_rows NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION card_transactions_record_events();

CREATE TRIGGER card_transactions_record_new AFTER INSERT ON public.card_transactions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION card_transactions_record_events();

CREATE TRIGGER card_versions_append_only BEFORE DELETE OR UPDATE ON public.card_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER card_versions_no_truncate BEFORE TRUNCATE ON public.card_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER cards_guard BEFORE UPDATE ON public.cards FOR EACH ROW WHEN ((((old.id IS DISTINCT FROM new.id) OR (old.card_issuer_user_id IS DISTINCT FROM new.card_issuer_user_id)) OR (old.user_id IS DISTINCT FROM new.user_id))) EXECUTE FUNCTION card_refuse_move();

CREATE TRIGGER cards_record_changes AFTER UPDATE ON public.cards REFERENCING OLD TABLE AS before_rows NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION cards_record_events();

CREATE TRIGGER cards_record_new AFTER INSERT ON public.cards REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION cards_record_events();

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

CREATE TRIGGER deposits_record_events AFTER INSERT ON public.deposits REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION deposits_record_events();

CREATE TRIGGER events_refuse_truncate BEFORE TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION events_refuse_update();

CREATE TRIGGER events_refuse_update BEFORE UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION events_refuse_update();

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

CREATE TRIGGER ledger_record_events AFTER INSERT ON public.ledger_lines REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_record_events();

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

CREATE TRIGGER user_wallets_note_self_custody AFTER INSERT OR DELETE OR UPDATE ON public.user_wallets FOR EACH ROW EXECUTE FUNCTION user_wallets_note_self_custody();

CREATE TRIGGER withdrawal_counts_add_inserted AFTER INSERT ON public.withdrawal_counts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION withdrawal_counts_add_inserted();

CREATE TRIGGER withdrawal_counts_add_updated AFTER UPDATE ON public.withdrawal_counts REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION withdrawal_counts_add_updated();

CREATE TRIGGER withdrawals_apply_rules AFTER INSERT ON public.withdrawals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION withdrawals_apply_rules();

CREATE TRIGGER withdrawals_credit_custody BEFORE INSERT ON public.withdrawals FOR EACH ROW WHEN ((new.recipient_user_id IS NOT NULL)) EXECUTE FUNCTION withdrawals_credit_custody();

CREATE TRIGGER withdrawals_guard_move BEFORE UPDATE ON public.withdrawals FOR EACH ROW EXECUTE FUNCTION withdrawals_guard_move();

CREATE TRIGGER withdrawals_no_delete BEFORE DELETE ON public.withdrawals FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER withdrawals_no_truncate BEFORE TRUNCATE ON public.withdrawals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER withdrawals_note_insert AFTER INSERT ON public.withdrawals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION withdrawals_note_insert();

CREATE TRIGGER withdrawals_note_moves AFTER UPDATE ON public.withdrawals REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION withdrawals_note_moves();

CREATE TRIGGER withdrawals_record_moves AFTER UPDATE ON public.withdrawals REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION withdrawals_record_moves();

CREATE TRIGGER withdrawals_record_new AFTER INSERT ON public.withdrawals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION withdrawals_record_new();

CREATE TRIGGER withdrawals_return_spends AFTER UPDATE ON public.withdrawals REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION withdrawals_return_spends();
