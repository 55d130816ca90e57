-- Folds a text for search: no case, accents or widths. Marks go first, so that a Turkish İ is an i. Unicode
-- does not decompose letters with a stroke, so they are listed. NFC at the end: a Korean syllable is one
-- character again, not the beginning of another. The collation is the same on every server.
-- Called by: `card_find`, `card_search`, `src/features/ledger/find/queries/search.ts`, generated column
-- `folded` of `card_transactions`.
-- Locks: nothing.
-- Costs: some passes over the text; no table is read.
create or replace function card_fold(text) returns text
language sql immutable parallel safe strict
return normalize(replace(replace(translate(
  casefold(regexp_replace(normalize($1, NFKD), U&'[\0300-\036F\1AB0-\1AFF\1DC0-\1DFF\20D0-\20FF\FE20-\FE2F]',
    '', 'g')
    collate pg_unicode_fast),
  'łøđħŧıð', 'lodhtid'), 'æ', 'ae'), 'œ', 'oe'), NFC);
