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

CREATE INDEX api_keys_partner ON public.api_keys USING btree (partner_id, id);

CREATE INDEX api_keys_user ON public.api_keys USING btree (user_id, id);

CREATE INDEX audit_log_action ON public.audit_log USING btree (action, id);

CREATE INDEX audit_log_subject ON public.audit_log USING btree (subject, id);

CREATE INDEX partner_users_user ON public.partner_users USING btree (user_id);

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

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $function$;

CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_log_chain BEFORE INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_chain();

CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
