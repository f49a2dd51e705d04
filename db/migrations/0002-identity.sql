-- Who there is: Companies, accounts, Teams and their clients, roles and grants, sessions, invites, and what limits guesses.

grant usage on schema identity to memory_service, memory_worker;

create table identity.company (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table identity.account (
  company_id uuid not null references identity.company (id) on delete cascade,
  id uuid not null,
  email text not null check (email = lower(email)),
  name text not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  -- argon2id in PHC form. Null until a reset link or an invite sets it.
  password_hash text,
  -- The server principal, as whom the service's own token acts: one in the deployment.
  is_principal boolean not null default false,
  closed_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  unique (id)
);
-- An account has one email, unique in the deployment. A closed account frees it.
create unique index account_email on identity.account (email) where closed_at is null;
create unique index account_principal on identity.account (is_principal) where is_principal;

create table identity.team (
  company_id uuid not null references identity.company (id) on delete cascade,
  id uuid not null,
  name text not null,
  state text not null default 'active' check (state in ('active', 'archived')),
  created_at timestamptz not null default now(),
  -- A deleted Team does not exist for anyone. Its row stays until a job has deleted everything of the Team in slices: one
  -- statement could take longer than any timeout.
  deleted_at timestamptz,
  primary key (company_id, id),
  unique (id)
);

create table identity.client (
  company_id uuid not null,
  team_id uuid not null,
  id uuid not null,
  name text not null,
  state text not null default 'active' check (state in ('active', 'archived')),
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  foreign key (company_id, team_id) references identity.team (company_id, id) on delete cascade
);

create table identity.team_member (
  company_id uuid not null,
  team_id uuid not null,
  user_id uuid not null,
  id uuid not null default identity.new_id(),
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null default now(),
  primary key (team_id, user_id),
  foreign key (company_id, team_id) references identity.team (company_id, id) on delete cascade,
  foreign key (company_id, user_id) references identity.account (company_id, id) on delete cascade
);
create index team_member_user on identity.team_member (company_id, user_id);

create table identity.client_grant (
  company_id uuid not null,
  team_id uuid not null,
  client_id uuid not null,
  user_id uuid not null,
  id uuid not null default identity.new_id(),
  access text not null check (access in ('read', 'write')),
  created_at timestamptz not null default now(),
  primary key (team_id, client_id, user_id),
  foreign key (team_id, client_id) references identity.client (team_id, id) on delete cascade,
  -- The grants of a member end with the membership.
  foreign key (team_id, user_id) references identity.team_member (team_id, user_id) on delete cascade
);
create index client_grant_user on identity.client_grant (team_id, user_id);

create table identity.company_grant (
  company_id uuid not null,
  team_id uuid not null,
  user_id uuid not null,
  id uuid not null default identity.new_id(),
  access text not null check (access in ('full', 'read')),
  created_at timestamptz not null default now(),
  primary key (company_id, team_id, user_id),
  foreign key (company_id, team_id) references identity.team (company_id, id) on delete cascade,
  foreign key (company_id, user_id) references identity.account (company_id, id) on delete cascade
);
create index company_grant_user on identity.company_grant (company_id, user_id);

-- A Company Admin asks for access to a Team.
create table identity.access_request (
  company_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  team_id uuid not null,
  access text not null check (access in ('full', 'read')),
  reason text,
  state text not null default 'open' check (state in ('open', 'approved', 'denied')),
  decided_by uuid,
  created_at timestamptz not null default now(),
  -- With the Team, as every key of a row of one Team has it: a table that is distributed by Team needs it.
  primary key (company_id, id, team_id),
  foreign key (company_id, team_id) references identity.team (company_id, id) on delete cascade,
  foreign key (company_id, user_id) references identity.account (company_id, id) on delete cascade
);
create unique index access_request_open on identity.access_request (company_id, user_id, team_id)
  where state = 'open';

-- An invite into a Team, or without a Team the invitation to become a Company Admin.
create table identity.invite (
  company_id uuid not null,
  id uuid not null,
  team_id uuid,
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'admin', 'member')),
  -- [{ "clientId", "access" }]: given with the role
  grants jsonb not null default '[]',
  token_hash bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id) references identity.company (id) on delete cascade,
  foreign key (company_id, team_id) references identity.team (company_id, id) on delete cascade
);
create unique index invite_token on identity.invite (token_hash);
-- A new invite to an email replaces the open one. Ended invites are marked first, expired ones too.
create unique index invite_open on identity.invite (company_id, team_id, email) nulls not distinct
  where used_at is null and revoked_at is null;
create index invite_creator on identity.invite (company_id, created_by)
  where used_at is null and revoked_at is null;
create index invite_team on identity.invite (company_id, team_id, id desc);

create table identity.session (
  company_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  token_hash bytea not null,
  user_agent text,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, user_id) references identity.account (company_id, id) on delete cascade
);
create unique index session_token on identity.session (token_hash);
create index session_user_id on identity.session (company_id, user_id);

create table identity.reset_link (
  company_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  token_hash bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, user_id) references identity.account (company_id, id) on delete cascade
);
create unique index reset_link_token on identity.reset_link (token_hash);
create index reset_link_user on identity.reset_link (company_id, user_id);

-- Counts of requests and of failed passwords, over all API processes. Unlogged: counting does not wait for a disk, and a crash
-- loses the last minutes at most. Keys are hashes: no address and no email is stored here.
create unlogged table identity.request_count (
  key bytea primary key,
  ends_at timestamptz not null,
  requests int not null
);
create index request_count_end on identity.request_count (ends_at);
create unlogged table identity.failed_password (
  key bytea primary key,
  -- The failures that count, oldest first.
  at timestamptz[] not null,
  -- Whether the last one came when there were too many already.
  refused boolean not null default false
);

-- Everything of a Team is deleted with the Team, except its audit events.
alter table memory.source add foreign key (team_id) references identity.team (id) on delete cascade,
  add foreign key (team_id, client_id) references identity.client (team_id, id);
alter table memory.import add foreign key (team_id) references identity.team (id) on delete cascade,
  add foreign key (team_id, client_id) references identity.client (team_id, id);
alter table memory.keyword_team add foreign key (team_id) references identity.team (id) on delete cascade;
alter table memory.embedding_batch add foreign key (team_id) references identity.team (id) on delete cascade;
alter table memory.idempotency_key add foreign key (team_id) references identity.team (id) on delete cascade;

-- Row-level security: a transaction of one Team does not see the rows of another Team of the Company.
do $$
declare
  name text;
begin
  foreach name in array array['account', 'session', 'reset_link'] loop
    execute format('alter table identity.%I enable row level security', name);
    execute format('create policy company on identity.%I to memory_service
      using (company_id = (select memory.claimed_company()))', name);
  end loop;
  foreach name in array array['team', 'client', 'team_member', 'client_grant', 'company_grant', 'invite',
                              'access_request'] loop
    execute format('alter table identity.%I enable row level security', name);
    execute format('create policy company on identity.%I to memory_service
      using (company_id = (select memory.claimed_company())
        and ((select memory.claimed_team()) is null or %I = (select memory.claimed_team())))',
      name, case name when 'team' then 'id' else 'team_id' end);
  end loop;
end $$;
alter table identity.company enable row level security;
create policy company on identity.company to memory_service using (id = (select memory.claimed_company()));

grant select, update on identity.company to memory_service;
grant select, insert, update, delete on identity.team, identity.client, identity.team_member, identity.client_grant,
  identity.company_grant, identity.access_request to memory_service;
-- The service's role writes hashes of passwords and tokens and cannot read them: a wrong query in a request must not disclose
-- them. Functions compare them where they are stored. A token never gets another hash.
grant insert, delete on identity.account, identity.invite, identity.session, identity.reset_link to memory_service;
grant update on identity.account to memory_service;
grant update (used_at, revoked_at) on identity.invite, identity.reset_link to memory_service;
grant update (last_seen_at) on identity.session to memory_service;
grant select (company_id, id, email, name, role, is_principal, closed_at, created_at) on identity.account
  to memory_service;
grant select (company_id, id, team_id, email, role, grants, expires_at, used_at, revoked_at, created_by, created_at)
  on identity.invite to memory_service;
grant select (company_id, id, user_id, user_agent, created_at, last_seen_at) on identity.session to memory_service;
grant select (company_id, id, user_id, expires_at, used_at, revoked_at, created_by, created_at) on identity.reset_link
  to memory_service;
