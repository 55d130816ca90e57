-- Why: after a failover that lost commits, feeds gave new events numbers that subscribers had already read.

-- The database server on which events were last numbered (`database_server()`), and the number after which a
-- new feed begins.
create table event_numbering (
  is_only boolean primary key default true check (is_only),
  server text not null,
  begins_after bigint not null default 0
);
