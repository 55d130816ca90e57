-- Admits one request by several limits, in their order, until one refuses it: those after it are not counted.
-- Returns a row for each limit that decided. One call: a round trip for each of two limits takes 1.14
-- times as long on one machine (`npm run bench -- shortcuts statements`), and more over a network.
-- Called by: `src/platform/rate-limit/queries.ts`.
-- Locks: the rows of `rate_windows`, in the given order, until the end of the statement.
-- Costs: one upsert by primary key for each limit.
create or replace function admit_hits(policies text[], subjects text[], quotas integer[], spans interval[])
returns table (is_admitted boolean, left_over integer, reset_ms float8)
language plpgsql volatile as $$
begin
  for n in 1 .. cardinality(policies) loop
    insert into rate_windows as w (policy, subject, hits, admitted, expires_at)
    select policies[n], subjects[n], array[t.at], true, t.at + spans[n]
      from (select clock_timestamp() as at) t
    on conflict (policy, subject) do update
      set (hits, admitted, expires_at) =
        (select h.hits, h.admitted, h.expires_at from admit_hit(w.hits, quotas[n], spans[n]) h)
    returning w.admitted, greatest(0, quotas[n] - cardinality(w.hits)),
      1000 * extract(epoch from
        w.hits[greatest(1, cardinality(w.hits) - quotas[n] + 1)] + spans[n] - clock_timestamp())
    into is_admitted, left_over, reset_ms;
    return next;
    exit when not is_admitted;
  end loop;
end $$;
