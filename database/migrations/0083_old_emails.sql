-- Why: releases before emails were normalized stored other spellings, which a search by the normal form did not find.
-- Outside a transaction, so that users are changed while the index is built.
create index concurrently if not exists users_old_emails on users (normalize(split_part(email, '@', 1), NFKC))
  where octet_length(email) > length(email) or email like '%xn--%';
