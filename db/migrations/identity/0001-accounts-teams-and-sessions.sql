create schema identity;
grant usage on schema identity to memory_service;

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
  -- argon2id in PHC form; null until a reset link or an invite sets it
  password_hash text,
  -- The server principal, as whom the service's own token acts: one in the deployment.
  is_principal boolean not null default false,
  closed_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  unique (id)
);
-- An account has one email, unique in the deployment; a closed account frees it.
create unique index account_email on identity.account (email) where closed_at is null;
create unique index account_principal on identity.account (is_principal) where is_principal;

create table identity.team (
  company_id uuid not null references identity.company (id) on delete cascade,
  id uuid not null,
  name text not null,
  state text not null default 'active' check (state in ('active', 'archived')),
  created_at timestamptz not null default now(),
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
  access text not null check (access in ('read', 'write')),
  created_at timestamptz not null default now(),
  primary key (team_id, client_id, user_id),
  foreign key (team_id, client_id) references identity.client (team_id, id) on delete cascade,
  -- The grants of a member end with the membership.
  foreign key (team_id, user_id) references identity.team_member (team_id, user_id) on delete cascade
);

create table identity.company_grant (
  company_id uuid not null,
  team_id uuid not null,
  user_id uuid not null,
  access text not null check (access in ('full', 'read')),
  created_at timestamptz not null default now(),
  primary key (company_id, team_id, user_id),
  foreign key (company_id, team_id) references identity.team (company_id, id) on delete cascade,
  foreign key (company_id, user_id) references identity.account (company_id, id) on delete cascade
);

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

do $$
declare name text;
begin
  foreach name in array array['account', 'team', 'client', 'team_member', 'client_grant', 'company_grant',
                              'session', 'reset_link'] loop
    execute format('alter table identity.%I enable row level security', name);
    execute format('create policy company on identity.%I to memory_service
      using (company_id = (select memory.claimed_company()))', name);
    execute format('grant select, insert, update, delete on identity.%I to memory_service', name);
  end loop;
end $$;
alter table identity.company enable row level security;
create policy company on identity.company to memory_service using (id = (select memory.claimed_company()));
grant select, update on identity.company to memory_service;

-- Everything of a Team goes with the Team, but for its audit events.
alter table memory.source add foreign key (team_id) references identity.team (id) on delete cascade,
  add foreign key (team_id, client_id) references identity.client (team_id, id);
alter table memory.import add foreign key (team_id) references identity.team (id) on delete cascade,
  add foreign key (team_id, client_id) references identity.client (team_id, id);
alter table memory.keyword_team add foreign key (team_id) references identity.team (id) on delete cascade;
alter table memory.keyword_df add foreign key (team_id) references identity.team (id) on delete cascade;
alter table memory.embedding_batch add foreign key (team_id) references identity.team (id) on delete cascade;
alter table memory.idempotency_key add foreign key (team_id) references identity.team (id) on delete cascade;
