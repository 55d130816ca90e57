-- Why: the history tool shows what a transaction was worth in dollars at its time. The first price of each hour, of the
-- assets of accounts only: a few rows an hour.
create table prices_by_hour (
  token text not null,
  hour timestamptz not null,
  price numeric(36, 18) not null check (price > 0),
  primary key (token, hour)
);
