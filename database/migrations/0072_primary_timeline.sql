-- Why: a replica may have what a promotion lost, and must not be read then.

-- The timeline of the server that accepts writes, as the first process noted it that read from a replica
-- after a promotion.
create table primary_timeline (
  is_only boolean primary key default true check (is_only),
  timeline integer not null
);
insert into primary_timeline (timeline) values (0);
