-- Who a text comes from, the least trusted first. A statement that names none is trusted least.
create type memory.origin as enum ('outside', 'agent', 'file', 'person');

-- Most rows of before are by persons: a default needs no rewriting of the table.
alter table memory.source add column origin memory.origin not null default 'person';
alter table memory.capture add column origin memory.origin not null default 'person';
alter table memory.memory_item add column origin memory.origin not null default 'person';
-- Of the memory at that version.
alter table memory.memory_version add column origin memory.origin not null default 'person';

update memory.source set origin = case when created_by_token is not null then 'agent' else 'file' end::memory.origin
 where created_by_token is not null or kind in ('import', 'file');
update memory.capture set origin = 'agent' where created_by_token is not null;
update memory.memory_item set origin = 'agent' where created_by_token is not null;
-- The source of a memory is as trusted as the memory, also if another caller published it.
update memory.source s set origin = m.origin from memory.memory_item m
 where m.team_id = s.team_id and m.source_id = s.id and m.origin <> s.origin;
update memory.memory_version v set origin = m.origin from memory.memory_item m
 where m.team_id = v.team_id and m.id = v.memory_id and m.origin <> v.origin;

alter table memory.source alter column origin set default 'outside';
alter table memory.capture alter column origin set default 'outside';
alter table memory.memory_item alter column origin set default 'outside';
alter table memory.memory_version alter column origin set default 'outside';

-- When a batch completed the capture. Of before: when its memory was made, else when its batch was claimed.
alter table memory.capture add column completed_at timestamptz;
update memory.capture c set completed_at = coalesce(
  (select max(m.created_at) from memory.memory_item m where m.team_id = c.team_id and m.capture_ids @> array[c.id]),
  (select b.created_at from memory.consolidation_batch b where b.team_id = c.team_id and b.id = c.batch_id),
  c.created_at)
 where c.state = 'completed';
alter table memory.capture add constraint capture_completed check ((state = 'completed') = (completed_at is not null));
