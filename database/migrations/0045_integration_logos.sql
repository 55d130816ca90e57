-- Why: the page of a request shows the logo of the app that asks; we draw it again and serve it.
create table integration_logos (
  integration_id uuid primary key references integrations (id),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  png bytea not null check (octet_length(png) <= 300000),
  set_at timestamptz not null
);
