-- What happened in a Team on a day in UTC, by agent token. Rows of people have the token id that is all zeros.
create table memory.team_activity (
  team_id uuid not null references identity.team (id) on delete cascade,
  day date not null,
  token_id uuid not null default '00000000-0000-0000-0000-000000000000',
  searches int not null default 0,
  searches_without_hit int not null default 0,
  opened int not null default 0,
  ingested int not null default 0,
  imported int not null default 0,
  captured int not null default 0,
  published int not null default 0,
  feedback int not null default 0,
  writes int not null default 0,
  characters_returned bigint not null default 0,
  primary key (team_id, day, token_id)
);
alter table memory.team_activity enable row level security;
create policy reads on memory.team_activity for select to memory_service
  using (team_id = (select memory.claimed_team()));
grant select on memory.team_activity to memory_service;

-- The days before, as far as the audit has them. Who seals or inserts an event waits until this is committed: sealing counts the
-- events that are not sealed yet.
lock table memory.audit_unsealed in share row exclusive mode;
insert into memory.team_activity (team_id, day, token_id, searches, searches_without_hit, ingested, imported, captured, published,
    feedback, writes)
select e.team_id, (e.at at time zone 'UTC')::date, coalesce(e.token_id, '00000000-0000-0000-0000-000000000000'),
       count(*) filter (where e.kind = 'memory.search'),
       count(*) filter (where e.kind = 'memory.search' and s.hit_ids = '{}'),
       count(*) filter (where e.kind in ('memory.ingest', 'memory.replace')),
       count(*) filter (where e.kind = 'memory.import_complete'),
       count(*) filter (where e.kind = 'memory.capture'),
       count(*) filter (where e.kind = 'memory.publish'),
       count(*) filter (where e.kind = 'memory.feedback'),
       count(*) filter (where e.kind <> 'memory.search')
  from memory.audit_event e
  join identity.team t on t.id = e.team_id and t.deleted_at is null
  left join memory.audit_search s on e.kind = 'memory.search' and s.team_id = e.team_id and s.event_id = e.id
 where e.at > now() - interval '366 days'
   and not exists (select from memory.audit_unsealed u where u.company_id = e.company_id and u.event_id = e.id)
 group by 1, 2, 3;
