-- Why: the constraints of 0013 and 0015 hold for the rows from before them, too.

alter table payout_slots validate constraint payout_slots_void_of_fkey;
alter table payout_slots validate constraint payout_slots_state_check;
alter table payout_slots validate constraint payout_slots_void_check;
alter table payout_slots validate constraint payout_slots_check;
alter table user_wallets validate constraint user_wallets_custody_check;
