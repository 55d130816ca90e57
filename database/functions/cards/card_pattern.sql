-- Makes a LIKE pattern that matches every text that contains the folded `words`; nothing in them is a
-- wildcard. It leaves out frequent trigrams (`card_frequent_grams`).
-- Called by: `card_find`, `card_search`.
-- Locks: nothing.
-- Costs: `card_frequent_grams`; one step for each character.
create or replace function card_pattern(words text) returns text
language plpgsql stable as $$
declare
  frequent text[] := card_frequent_grams();
  gram text;
  -- Up to where the text is in the parts.
  kept integer := 0;
  first integer;
  parts text[] := '{}';
begin
  for place in 1..length(words) - 2 loop
    -- Anything between words is a space to the index. Of letters beyond ASCII it depends on the server
    -- whether it knows them.
    gram := regexp_replace(substr(words, place, 3), '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]', ' ', 'g');
    continue when gram !~ '^([a-z0-9]{2}[a-z0-9 ]| [a-z0-9]{2})$' or gram = any (frequent);
    first := greatest(place, kept + 1);
    if kept = 0 or first > kept + 1 then
      parts := parts || substr(words, first, place + 3 - first);
    else
      parts[cardinality(parts)] := parts[cardinality(parts)] || substr(words, first, place + 3 - first);
    end if;
    kept := place + 2;
  end loop;
  if kept = 0 then parts := array[words]; end if;
  return '%' || (select string_agg(regexp_replace(part, '([\\%_])', '\\\1', 'g'), '%' order by place)
    from unnest(parts) with ordinality as p (part, place)) || '%';
end $$;
