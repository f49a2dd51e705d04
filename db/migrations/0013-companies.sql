-- A deployment can have several Companies. An address can have an account in each of them, so it is unique in a Company only. The
-- index begins with the address, by which a sign-in finds the accounts.
drop index identity.account_email;
create unique index account_email on identity.account (email, company_id) where closed_at is null;

-- When the account last signed in: of more accounts of an address than a sign-in checks, it checks those last used.
alter table identity.account add column signed_in_at timestamptz;

-- When the Company was ended. Its row stays, because its audit events do.
alter table identity.company add column ended_at timestamptz;

-- A request makes a Company within the claims of that Company.
grant insert on identity.company to memory_service;

-- It finds several accounts now, and those of one Company if it is named.
drop function if exists identity.find_sign_in(text);

-- It got a column more, the role that the link gives.
drop function if exists identity.find_link(bytea);
