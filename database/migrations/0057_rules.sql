-- Why: nothing limits what a stolen key pays until the balance is empty; operators limit it by rules.
--
-- The database applies the rules in the statement that creates a withdrawal. A counter is locked, added to and
-- read in that statement, so two payments at once cannot both use the last of a limit.

create table rule_sets (
  revision integer generated always as identity primary key,
  -- As it was drafted; `rules` has the same in columns.
  document jsonb not null,
  has_rules boolean not null generated always as (document <> '[]') stored,
  drafted_by text not null,
  drafted_at timestamptz not null,
  published_by text,
  published_at timestamptz,
  is_current boolean not null default false,
  check ((published_by is null) = (published_at is null)),
  check (not is_current or published_at is not null)
);
create unique index rule_sets_current on rule_sets (is_current) where is_current;

-- A rule matches a payment if all its conditions hold; a null is no condition. Amounts have 18 decimals, whatever
-- the token has.
create table rules (
  revision integer not null references rule_sets on delete cascade,
  place smallint not null,
  name text not null check (length(name) between 1 and 100),
  verdict text not null check (verdict in ('allow', 'deny', 'approve')),
  approvals smallint check (approvals between 1 and 20),
  approver_role text,
  partner_ids uuid[],
  user_ids uuid[],
  key_ids text[],
  sources text[],
  networks text[],
  currencies text[],
  destinations text[],
  amount_over numeric(78, 0),
  amount_up_to numeric(78, 0),
  sum_over numeric(78, 0),
  sum_up_to numeric(78, 0),
  sum_window interval,
  sum_per text check (sum_per in ('partner', 'user', 'key', 'destination', 'network')),
  -- Names what is summed: the conditions besides the sum, and what it is summed for. Rules with the same
  -- selection share counters.
  selection text,
  primary key (revision, place),
  unique (revision, name),
  check ((verdict = 'approve') = (approvals is not null)),
  check ((approvals is null) = (approver_role is null)),
  check ((sum_over is null and sum_up_to is null) = (selection is null)),
  check ((selection is null) = (sum_window is null))
);

-- One for each selection, and each partner, user, key, destination or network that it is summed for.
create table rule_counters (
  id bigint generated always as identity primary key,
  selection text not null,
  subject text not null,
  -- Of all payments that were ever counted.
  total numeric(78, 0) not null,
  last_at timestamptz not null,
  unique (selection, subject)
) with (fillfactor = 50);

-- A payment in a counter. `through` is the total with it, so the sum of a window is a difference of two rows.
create table rule_spends (
  counter_id bigint not null,
  at timestamptz not null,
  amount numeric(78, 0) not null,
  through numeric(78, 0) not null,
  primary key (counter_id, at)
);

-- Spends of payments that failed: they no longer count.
create table rule_returns (
  counter_id bigint not null,
  at timestamptz not null,
  amount numeric(78, 0) not null,
  primary key (counter_id, at)
);

-- What the rules said about a withdrawal when it was created, and where it was counted.
create table rule_verdicts (
  withdrawal_id uuid primary key,
  revision integer not null,
  verdict text not null check (verdict in ('allow', 'approve')),
  -- For `approve`: [{ rule, count, role }], all of which are needed.
  needs jsonb not null,
  counters bigint[] not null,
  ats timestamptz[] not null,
  judged_at timestamptz not null,
  check (cardinality(counters) = cardinality(ats))
);

-- Addresses that an operator or a partner knows. Those without a partner are known for all partners.
create table rule_addresses (
  id uuid primary key default uuidv7(),
  partner_id uuid references partners,
  network text,
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  name text not null check (length(name) between 1 and 100),
  added_by text not null,
  added_at timestamptz not null
);
create unique index rule_addresses_key on rule_addresses (address, partner_id, network) nulls not distinct;
create index rule_addresses_by_partner on rule_addresses (partner_id, id);
