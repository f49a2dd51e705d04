-- What a search asked and found, beside its audit event, so that it can be deleted. The event has a hash of each, made with
-- a salt that is only here: without its salt, a hash tells nothing about the text.
create table memory.audit_search (
  company_id uuid not null,
  team_id uuid not null,
  event_id uuid not null,
  actor_id uuid not null,
  -- Null: the search did not ask to store its text, or the text was deleted.
  query text,
  query_salt bytea,
  hit_ids uuid[] not null,
  passage_ids uuid[] not null,
  hits_salt bytea not null,
  at timestamptz not null default now(),
  primary key (team_id, event_id),
  constraint audit_search_text check ((query is null) = (query_salt is null))
);
create index audit_search_age on memory.audit_search (at);
create index audit_search_actor on memory.audit_search (company_id, actor_id) where query is not null;
create index audit_search_team on memory.audit_search (team_id) where query is not null;

-- The policies of memory.audit_event apply to the sub-select, so who can read the event can read what it found.
alter table memory.audit_search enable row level security;
create policy reads on memory.audit_search for select to memory_service using (
  company_id = (select memory.claimed_company())
  and ((select memory.claimed_team()) is null or team_id = (select memory.claimed_team()))
  and exists (select from memory.audit_event e where e.company_id = audit_search.company_id and e.id = audit_search.event_id));
create policy appends on memory.audit_search for insert to memory_service with check (
  company_id = (select memory.claimed_company()) and team_id = (select memory.claimed_team())
  and actor_id = (select memory.claimed_user()));
-- Only to delete the text: of a person who is erased, and of a Team that is deleted.
create policy forgets on memory.audit_search for update to memory_service using (
  company_id = (select memory.claimed_company()) and (select memory.claimed_team()) is null)
  with check (query is null);
grant select, insert, update (query, query_salt) on memory.audit_search to memory_service;

-- An older process that still runs cannot store a text where nobody can delete it.
alter policy appends on memory.audit_event with check (
  company_id = (select memory.claimed_company())
  and actor_id = (select memory.claimed_user())
  and token_id is not distinct from (select memory.claimed_token())
  and (team_id is null or (select memory.claimed_team()) is null or team_id = (select memory.claimed_team()))
  and not (kind = 'memory.search' and detail ?| '{query,hitIds,passageIds}'));

-- The Companies whose audit is to be sealed again without texts, hit ids and names. The step of the start that does it
-- notes here how far it is, and deletes the row when it has ended: see db/startup/reseal-audit.ts.
create table memory.audit_reseal (
  company_id uuid not null primary key,
  -- The last seal that was replaced, its hash before and its hash now.
  sequence bigint not null default 0,
  old_hash bytea not null default '',
  hash bytea not null default '',
  -- The event at which the chain was broken before.
  first_break uuid,
  -- The last event without a seal that was examined.
  after_event uuid,
  events bigint not null default 0
);
alter table memory.audit_reseal enable row level security;
insert into memory.audit_reseal (company_id) select id from identity.company;
