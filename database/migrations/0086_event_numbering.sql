-- Why: after a failover that lost commits, feeds gave new events numbers that subscribers had already read.

-- The database server on which events were last numbered (`database_server()`), whether commits waited for
-- standbys there, and what a new feed begins after.
create table event_numbering (
  is_only boolean primary key default true check (is_only),
  server text not null,
  is_replicated boolean not null,
  skipped bigint not null default 0
);
