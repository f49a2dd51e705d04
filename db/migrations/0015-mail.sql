-- When the person proved that the present address of the account is theirs, by a link that was mailed to it. Null: never.
alter table identity.account add column verified_at timestamptz;
grant select (verified_at) on identity.account to memory_service;

-- A reset link that was mailed, and not shown, proves the address; one that somebody asked for without a session is the
-- first that goes if a person has too many.
alter table identity.reset_link add column is_mailed boolean not null default false;
alter table identity.reset_link add column is_asked_for boolean not null default false;
grant select (is_mailed, is_asked_for) on identity.reset_link to memory_service;

-- The tokens of an invite that were mailed, in addition to the one that was shown. Each is of one attempt to send a mail.
create table identity.mailed_token (
  company_id uuid not null,
  id uuid not null,
  invite_id uuid not null,
  token_hash bytea not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, invite_id) references identity.invite (company_id, id) on delete cascade
);
create unique index mailed_token_hash on identity.mailed_token (token_hash);
create index mailed_token_invite on identity.mailed_token (company_id, invite_id);
alter table identity.mailed_token enable row level security;
create policy company on identity.mailed_token for all to memory_service
  using (company_id = (select memory.claimed_company()));
grant insert, delete on identity.mailed_token to memory_service;
grant select (company_id, id, invite_id, created_at, revoked_at) on identity.mailed_token to memory_service;
grant update (revoked_at) on identity.mailed_token to memory_service;

-- Mails of a Company, without their text and their address: both are read again from the cause when a mail is sent.
create table identity.mail (
  company_id uuid not null references identity.company (id) on delete cascade,
  id uuid not null,
  kind text not null check (kind in ('invite', 'invitation', 'reset', 'token_expiry', 'test')),
  cause_id uuid not null,                  -- of the invite, the reset link, the agent token or the account
  address_hash bytea not null,             -- SHA-256 of the address, for the limits
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed', 'ended')),
  open_sends int not null default 0,       -- attempts of which it is not known whether the mail server accepted them
  created_at timestamptz not null default now(),
  ended_at timestamptz,                    -- when it was sent, failed for good, or was left out because its cause had ended
  primary key (company_id, id)
);
create index mail_cause on identity.mail (company_id, cause_id, id desc);
create index mail_address on identity.mail (company_id, address_hash, created_at);
create index mail_time on identity.mail (created_at);
alter table identity.mail enable row level security;
create policy company on identity.mail for all to memory_service
  using (company_id = (select memory.claimed_company()));
grant select, insert, update, delete on identity.mail to memory_service;

-- Addresses for which somebody without a session asked for a reset link, whether they have an account or not. Not of a
-- Company: an address can have accounts in several. Only functions read it.
create table identity.reset_request (
  id uuid primary key,
  address_hash bytea not null,
  email text check (email = lower(email)), -- null when the mail was sent or was left out
  open_sends int not null default 0,       -- as in identity.mail
  created_at timestamptz not null default now()
);
create index reset_request_address on identity.reset_request (address_hash, created_at);
create index reset_request_time on identity.reset_request (created_at);

-- They have another result.
drop function if exists identity.find_invite(bytea);
drop function if exists identity.find_reset_link(bytea);
