-- What was written on a receipt, as people search for it: without case, accents and widths. Marks are taken off first, so that a
-- Turkish İ is an i; of letters with a stroke Unicode does not say that they are decorated, so these are named. Composed at the
-- end: a syllable of Korean is one character again, not the beginning of another. By a collation that is the same on every server.
create or replace function card_fold(text) returns text
language sql immutable parallel safe strict
return normalize(replace(replace(translate(
  casefold(regexp_replace(normalize($1, NFKD), U&'[\0300-\036F\1AB0-\1AFF\1DC0-\1DFF\20D0-\20FF\FE20-\FE2F]', '', 'g')
    collate pg_unicode_fast),
  'łøđħŧıð', 'lodhtid'), 'æ', 'ae'), 'œ', 'oe'), NFC);
