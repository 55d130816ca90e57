-- Why: withdrawals that are stored by one statement are admitted by the rules together, so `rules_admit` takes
-- several. Only functions of the same release call it.
drop function if exists rules_admit(withdrawals, integer, text, timestamptz);
