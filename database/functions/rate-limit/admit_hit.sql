-- The window (now - span, now] of `hits`, with now added if fewer than `quota` are in it. Called under the row's lock, and the
-- clock is read here: no admission is dated before the one that it waited for. An instant ahead of the clock was written
-- before the clock was set back; it counts as now, so that nobody is admitted early or locked out for longer than a window.
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
