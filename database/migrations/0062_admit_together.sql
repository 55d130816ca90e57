-- Why: withdrawals that are stored by one statement are admitted by the rules together, so `rules_admit` takes
-- several; and a publication counts the past in pages. Only functions of the same release call these two.
drop function if exists rules_admit(withdrawals, integer, text, timestamptz);
drop function if exists rules_count_past(integer, text[]);
