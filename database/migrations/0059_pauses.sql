-- Why: an operator must be able to stop new payouts at once, of everything or of one network, partner or user. A row is
-- one pause; `scope` names what is paused, such as `everything`, `network:polygon` or `partner:<id>`. A payout waits
-- while a row has one of its four scopes. Resuming deletes the row; the audit log has the history.
create table payout_pauses (
  scope text primary key check (scope ~ '^(everything|(network|partner|user):[!-~]{1,100})$'),
  reason text not null,
  paused_at timestamptz not null,
  paused_by text not null
);
