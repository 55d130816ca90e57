-- Why: a settled payout that a deep reorganisation took back halts its wallet when every look of a minute has shown it gone. The
-- minute is counted here and not in a process, or workers that are restarted often would never come to the end of it.
alter table payout_signers add column gone_since timestamptz;
