-- Why: a form of the console that changes something is sent once; its token is a challenge of the session.
alter table person_challenges drop constraint person_challenges_purpose_check;
alter table person_challenges add constraint person_challenges_purpose_check check (purpose in
  ('register', 'sign-in', 'step-up', 'openid-register', 'openid-sign-in', 'openid-step-up', 'form')) not valid;
