-- Why: withdrawals whose nonce was void before there were several hot wallets stay with the wallet that signed them.
update withdrawals w set hot_wallet = s.address
from payout_slots s where s.void_of = w.id and w.status = 'pending' and w.hot_wallet is null;
