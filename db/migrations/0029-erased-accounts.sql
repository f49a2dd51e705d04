-- A person can be erased. The account keeps its id, under which everything that the person wrote stays, and gets a
-- pseudonym in place of the name. It has no email and no password.
alter table identity.account alter column email drop not null, add column erased_at timestamptz;
alter table identity.account add constraint account_erased check (
  case when erased_at is null then email is not null
       else closed_at is not null and email is null and password_hash is null end);
grant select (erased_at) on identity.account to memory_service;
