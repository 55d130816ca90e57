-- Why: A worker that is frozen must not keep a job for good. A lease ends unless it is renewed, and its turn tells an earlier holder.

create table job_leases (
  job text primary key,
  -- Increases each time the lease is taken. The holder of an earlier turn may no longer commit.
  turn bigint not null,
  expires_at timestamptz not null
) with (fillfactor = 50);
