-- Why: a person sees what a file of payouts would do before they confirm it.

-- Kept for a day, and at most 20 of a partner: the withdrawals are the record of what was paid.
create table withdrawal_uploads (
  id uuid primary key default uuidv7(),
  partner_id uuid not null references partners (id),
  user_id uuid not null references users (id),
  person_id uuid not null references people (id),
  -- Each an object of texts, as the file has them.
  items jsonb not null check (jsonb_array_length(items) between 1 and 1000),
  created_at timestamptz not null
);
create index withdrawal_uploads_partner on withdrawal_uploads (partner_id, id);
create index withdrawal_uploads_created on withdrawal_uploads (created_at);
