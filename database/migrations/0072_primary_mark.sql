-- Why: only a replica of this very database may answer reads, and none that has what a promotion lost.

-- A random mark of the server that accepts writes. Each process replaces it before it first reads from
-- replicas, and after a promotion; a server that does not show it follows another one, or is another copy.
create table primary_mark (
  is_only boolean primary key default true check (is_only),
  mark uuid not null,
  timeline integer not null
);
insert into primary_mark (mark, timeline) values (gen_random_uuid(), 0);
