-- The schema after all migrations. Written by `npm run schema`; not read by any code.

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

create table audit_head (
  singleton boolean default true not null,
  id bigint not null,
  hash bytea not null,
  constraint audit_head_pkey PRIMARY KEY (singleton),
  constraint audit_head_singleton_check CHECK (singleton)
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
    WHEN (user_id IS NULL) THEN ((balance IS NULL) AND (held IS NULL))
    ELSE ((balance IS NOT NULL) AND (held IS NOT NULL) AND (balance <> 'NaN'::numeric) AND ((held >= (0)::numeric) AND (held <= balance)))
END),
  constraint ledger_accounts_house_check CHECK ((house ~ '^[a-z-]{1,40}$'::text)),
  constraint ledger_accounts_owner CHECK ((num_nonnulls(user_id, house) = 1))
) with (fillfactor=70);

create table ledger_entries (
  posting_id bigint not null,
  line smallint not null,
  account_id bigint not null,
  amount numeric(78,0) not null,
  constraint ledger_entries_pkey PRIMARY KEY (posting_id, line),
  constraint ledger_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES ledger_accounts(id),
  constraint ledger_entries_posting_id_fkey FOREIGN KEY (posting_id) REFERENCES ledger_postings(id),
  constraint ledger_entries_amount_check CHECK (((amount <> (0)::numeric) AND (amount <> 'NaN'::numeric)))
);

create table ledger_postings (
  id bigint not null,
  kind text not null,
  operation_id text not null,
  description text not null,
  transaction_hash text,
  log_index integer,
  posted_at timestamp with time zone not null,
  constraint ledger_postings_operation_key UNIQUE (kind, operation_id),
  constraint ledger_postings_pkey PRIMARY KEY (id),
  constraint ledger_postings_kind_check CHECK ((kind = ANY (ARRAY['fund'::text, 'withdrawal'::text]))),
  constraint ledger_postings_operation_id_check CHECK (((length(operation_id) >= 1) AND (length(operation_id) <= 255))),
  constraint ledger_postings_transaction_hash_check CHECK (((transaction_hash ~ '^0x[0-9a-f]*$'::text) AND (length(transaction_hash) = 66)))
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
  constraint payout_attempts_pkey PRIMARY KEY (hash),
  constraint payout_attempts_network_address_nonce_fkey FOREIGN KEY (network, address, nonce) REFERENCES payout_slots(network, address, nonce),
  constraint payout_attempts_hash_check CHECK (((hash ~ '^0x[0-9a-f]*$'::text) AND (length(hash) = 66)))
);

create table payout_signers (
  network text not null,
  address text not null,
  next_nonce bigint not null,
  halted_at timestamp with time zone,
  halted_reason text,
  created_at timestamp with time zone not null,
  constraint payout_signers_pkey PRIMARY KEY (network, address),
  constraint payout_signers_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
  constraint payout_signers_check CHECK (((halted_at IS NULL) = (halted_reason IS NULL))),
  constraint payout_signers_next_nonce_check CHECK ((next_nonce >= 0))
);

create table payout_slots (
  network text not null,
  address text not null,
  nonce bigint not null,
  withdrawal_id uuid not null,
  state text default 'open'::text not null,
  mined_hash text,
  missing_since timestamp with time zone,
  reported_at timestamp with time zone,
  opened_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  constraint payout_slots_withdrawal_key UNIQUE (withdrawal_id),
  constraint payout_slots_pkey PRIMARY KEY (network, address, nonce),
  constraint payout_slots_network_address_fkey FOREIGN KEY (network, address) REFERENCES payout_signers(network, address),
  constraint payout_slots_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals(id),
  constraint payout_slots_check CHECK (
CASE
    WHEN (state = 'final'::text) THEN ((mined_hash IS NOT NULL) AND (settled_at IS NOT NULL))
    ELSE ((mined_hash IS NULL) AND (settled_at IS NULL))
END),
  constraint payout_slots_state_check CHECK ((state = ANY (ARRAY['open'::text, 'final'::text])))
);

create unlogged table rate_windows (
  policy text not null,
  subject text not null,
  hits timestamp with time zone[] not null,
  admitted boolean not null,
  expires_at timestamp with time zone not null,
  constraint rate_windows_pkey PRIMARY KEY (policy, subject)
) with (fillfactor=50);

create table user_wallets (
  user_id uuid not null,
  network text not null,
  address text not null,
  verified_at timestamp with time zone not null,
  constraint user_wallets_address_key UNIQUE (network, address),
  constraint user_wallets_pkey PRIMARY KEY (user_id, network),
  constraint user_wallets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint user_wallets_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
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
  constraint withdrawals_bulk_key UNIQUE (bulk_id),
  constraint withdrawals_position_key UNIQUE (list_id, "position"),
  constraint withdrawals_pkey PRIMARY KEY (id),
  constraint withdrawals_list_id_fkey FOREIGN KEY (list_id) REFERENCES withdrawal_lists(id),
  constraint withdrawals_recipient_user_id_fkey FOREIGN KEY (recipient_user_id) REFERENCES users(id),
  constraint withdrawals_amount_check CHECK (((amount > (0)::numeric) AND (amount <> 'NaN'::numeric))),
  constraint withdrawals_check CHECK (((idempotency_key IS NULL) = (fingerprint IS NULL))),
  constraint withdrawals_check1 CHECK (((status = 'failed'::text) = (error_message IS NOT NULL))),
  constraint withdrawals_external_id_check CHECK ((length(external_id) <= 255)),
  constraint withdrawals_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'pending'::text, 'processing'::text, 'completed'::text, 'failed'::text]))),
  constraint withdrawals_to_address_check CHECK (((to_address ~ '^0x[0-9a-f]*$'::text) AND (length(to_address) = 42))),
  constraint withdrawals_token_address_check CHECK (((token_address ~ '^0x[0-9a-f]*$'::text) AND (length(token_address) = 42))),
  constraint withdrawals_transaction_hash_check CHECK (((transaction_hash ~ '^0x[0-9a-f]*$'::text) AND (length(transaction_hash) = 66))),
  constraint withdrawals_transfer_status_check CHECK ((transfer_status = ANY (ARRAY['signed'::text, 'broadcast'::text, 'mined'::text, 'confirmed'::text, 'reverted'::text, 'replaced'::text])))
);

CREATE INDEX api_keys_partner ON public.api_keys USING btree (partner_id, id);

CREATE INDEX api_keys_user ON public.api_keys USING btree (user_id, id);

CREATE INDEX audit_log_action ON public.audit_log USING btree (action, id);

CREATE INDEX audit_log_subject ON public.audit_log USING btree (subject, id);

CREATE INDEX ledger_entries_account ON public.ledger_entries USING btree (account_id, posting_id);

CREATE INDEX partner_users_user ON public.partner_users USING btree (user_id);

CREATE INDEX payout_attempts_slot ON public.payout_attempts USING btree (network, address, nonce);

CREATE INDEX payout_slots_open ON public.payout_slots USING btree (network, address, nonce) WHERE (state = 'open'::text);

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

CREATE OR REPLACE FUNCTION public.audit_log_chain()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  head audit_head;
begin
  select * into strict head from audit_head for update;
  new.id := head.id + 1;
  new.hash := audit_row_hash(head.hash, new);
  update audit_head set id = new.id, hash = new.hash;
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

CREATE OR REPLACE FUNCTION public.ledger_accounts_guard()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'an account keeps its owner and its asset' using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.ledger_entries_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from added join ledger_accounts a on a.id = added.account_id
    group by added.posting_id, a.network, a.currency having sum(added.amount) <> 0
  ) then
    raise exception 'a posting does not sum to zero' using errcode = 'check_violation';
  end if;
  update ledger_accounts a set balance = a.balance + moved.amount
  from (select account_id, sum(amount) as amount from added group by account_id) moved
  where a.id = moved.account_id and a.user_id is not null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.payout_attempts_guard()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.hash, new.network, new.address, new.nonce, new.raw) is distinct from
     (old.hash, old.network, old.address, old.nonce, old.raw) then
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
  if old.state = 'final' or (new.network, new.address, new.nonce, new.withdrawal_id)
      is distinct from (old.network, old.address, old.nonce, old.withdrawal_id) then
    raise exception 'a nonce and its withdrawal stay together, and what is final stays' using errcode = 'restrict_violation';
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
      ('pending', 'failed'), ('processing', 'completed'), ('processing', 'failed')) then
    raise exception 'a withdrawal does not move from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  -- Once signed, only what is final on chain decides.
  if new.status = 'processing' and not exists (select from payout_slots s where s.withdrawal_id = new.id) then
    raise exception 'a withdrawal is not processing before its nonce is stored' using errcode = 'restrict_violation';
  end if;
  if old.status = 'processing' and not exists (
      select from payout_slots s where s.withdrawal_id = new.id and s.state = 'final'
        and s.mined_hash is not distinct from new.transaction_hash) then
    raise exception 'a signed withdrawal ends only with a final transaction' using errcode = 'restrict_violation';
  end if;
  if new.status = 'failed' and old.status <> 'processing'
      and exists (select from payout_slots s where s.withdrawal_id = new.id) then
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
    ) sides group by id, status having sum(side) = 1;
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

CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_log_chain BEFORE INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_chain();

CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_accounts_guard BEFORE UPDATE ON public.ledger_accounts FOR EACH ROW WHEN ((((((new.id IS DISTINCT FROM old.id) OR (new.user_id IS DISTINCT FROM old.user_id)) OR (new.house IS DISTINCT FROM old.house)) OR (new.network IS DISTINCT FROM old.network)) OR (new.currency IS DISTINCT FROM old.currency))) EXECUTE FUNCTION ledger_accounts_guard();

CREATE TRIGGER ledger_accounts_no_delete BEFORE DELETE ON public.ledger_accounts FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE ON public.ledger_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_entries_balance AFTER INSERT ON public.ledger_entries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_entries_balance();

CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_postings_append_only BEFORE DELETE OR UPDATE ON public.ledger_postings FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_postings_no_truncate BEFORE TRUNCATE ON public.ledger_postings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_attempts_guard BEFORE UPDATE ON public.payout_attempts FOR EACH ROW EXECUTE FUNCTION payout_attempts_guard();

CREATE TRIGGER payout_attempts_no_delete BEFORE DELETE ON public.payout_attempts FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_attempts_no_truncate BEFORE TRUNCATE ON public.payout_attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_signers_guard BEFORE UPDATE ON public.payout_signers FOR EACH ROW EXECUTE FUNCTION payout_signers_guard();

CREATE TRIGGER payout_signers_no_delete BEFORE DELETE ON public.payout_signers FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_slots_guard BEFORE UPDATE ON public.payout_slots FOR EACH ROW EXECUTE FUNCTION payout_slots_guard();

CREATE TRIGGER payout_slots_no_delete BEFORE DELETE ON public.payout_slots FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_slots_no_truncate BEFORE TRUNCATE ON public.payout_slots FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER withdrawals_guard_move BEFORE UPDATE ON public.withdrawals FOR EACH ROW EXECUTE FUNCTION withdrawals_guard_move();

CREATE TRIGGER withdrawals_no_delete BEFORE DELETE ON public.withdrawals FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER withdrawals_no_truncate BEFORE TRUNCATE ON public.withdrawals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER withdrawals_note_insert AFTER INSERT ON public.withdrawals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION withdrawals_note_insert();

CREATE TRIGGER withdrawals_note_moves AFTER UPDATE ON public.withdrawals REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION withdrawals_note_moves();
