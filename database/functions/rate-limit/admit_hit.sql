-- Returns the hits in the window (now - span, now], with now added if they are fewer than `quota`. Reads the
-- clock under the row's lock: no hit is dated before one it waited for. A hit ahead of a clock that was set
-- back counts as now: nobody is admitted early, or locked out for longer than one window.
-- Called by: `src/platform/rate-limit/queries.ts`, `admit_hits`.
-- Locks: nothing. The caller's upsert holds the row of `rate_windows`.
-- Costs: sorts the hits of one window; no table is read.
create or replace function admit_hit(past timestamptz[], quota integer, span interval,
  out hits timestamptz[], out admitted boolean, out expires_at timestamptz)
language plpgsql volatile as $$
declare
  at timestamptz := clock_timestamp();
  kept timestamptz[] := array(select least(h, at) from unnest(past) h where h > at - span order by h);
begin
  admitted := cardinality(kept) < quota;
  hits := case when admitted then kept || at else kept end;
  expires_at := hits[cardinality(hits)] + span;
end $$;
