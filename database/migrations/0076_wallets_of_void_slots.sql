-- Why: withdrawals whose nonce was void before there were several hot wallets stay with the wallet that signed them.
update withdrawals w set hot_wallet = s.address
from payout_slots s where s.void_of = w.id and w.status = 'pending' and w.hot_wallet is null;

-- Why a wallet was halted before is only in words: it counts as a reason for which the others must not sign either.
update payout_signers set is_in_doubt = true where halted_at is not null;
