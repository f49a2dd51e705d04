-- A text as it was sent: the white space that is lost where it is cut, before the own text of each passage, and what else
-- differs from the plain text that is cut: see shared/text/text-form.ts. Null for what was stored before, and for other kinds.
alter table memory.chunk add column gap text;
alter table memory.kept_chunk add column gap text;
alter table memory.source add column text_form jsonb;
-- The number of its text, when that was stored and by whom; null: when the source was created, and by its creator.
alter table memory.source add column text_version int not null default 1;
alter table memory.source add column text_at timestamptz;
alter table memory.source add column text_by uuid;

-- The texts that a source had before, with their forms.
create table memory.source_version (
  team_id uuid not null,
  source_id uuid not null,
  version int not null,
  layer_id uuid not null,
  at timestamptz not null,
  actor_id uuid not null,
  text text not null,
  text_form jsonb,
  primary key (team_id, source_id, version),
  foreign key (team_id, source_id) references memory.source (team_id, id) on delete cascade
);
alter table memory.source_version enable row level security;
create policy reads on memory.source_version for select to memory_service
  using (team_id = (select memory.claimed_team()) and layer_id = any ((select memory.readable_layers())::uuid[]));
grant select on memory.source_version to memory_service;
