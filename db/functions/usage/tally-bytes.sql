-- Trigger for tables with a team_id: adds the changes of the bytes of their rows to usage_tally. The arguments of the trigger
-- are the part, an expression for the bytes of a row, default bytes, and a condition for the rows that are files, default
-- none. They are SQL, which only the definitions of the triggers write.
create or replace function memory.tally_bytes() returns trigger
language plpgsql volatile security definer set search_path = memory, pg_temp
as $$
declare
  v_bytes constant text := coalesce(tg_argv[1], 'bytes');
  v_is_file constant text := coalesce(tg_argv[2], 'false');
  v_row constant text := format('select team_id, (%s)::bigint as bytes, (%s)::int as file', v_bytes, v_is_file);
  v_changes constant text := case tg_op
    when 'INSERT' then v_row || ', 1 as sign from added'
    when 'DELETE' then v_row || ', -1 as sign from gone'
    else v_row || ', 1 as sign from added union all ' || v_row || ', -1 from gone' end;
begin
  execute format('insert into usage_tally (team_id, part, files, bytes)
                    select team_id, $1, sum(sign * file), sum(sign * bytes) from (%s) c
                     group by 1 having sum(sign * file) <> 0 or sum(sign * bytes) <> 0', v_changes)
    using tg_argv[0];
  return null;
end $$;

create or replace trigger tally_bytes_added after insert on memory.capture referencing new table as added
  for each statement execute function memory.tally_bytes('captures', 'octet_length(summary)');
create or replace trigger tally_bytes_gone after delete on memory.capture referencing old table as gone
  for each statement execute function memory.tally_bytes('captures', 'octet_length(summary)');
create or replace trigger tally_bytes_added after insert on memory.memory_version referencing new table as added
  for each statement execute function memory.tally_bytes('versions', 'octet_length(content)');
create or replace trigger tally_bytes_gone after delete on memory.memory_version referencing old table as gone
  for each statement execute function memory.tally_bytes('versions', 'octet_length(content)');
create or replace trigger tally_bytes_added after insert on memory.workspace_version referencing new table as added
  for each statement
  execute function memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
create or replace trigger tally_bytes_changed after update on memory.workspace_version
  referencing old table as gone new table as added
  for each statement
  execute function memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
create or replace trigger tally_bytes_gone after delete on memory.workspace_version referencing old table as gone
  for each statement
  execute function memory.tally_bytes('files', 'bytes', 'until_revision is null and sha256 is not null');
create or replace trigger tally_bytes_added after insert on memory.kept_source referencing new table as added
  for each statement execute function memory.tally_bytes('kept');
create or replace trigger tally_bytes_gone after delete on memory.kept_source referencing old table as gone
  for each statement execute function memory.tally_bytes('kept');
create or replace trigger tally_bytes_added after insert on memory.original referencing new table as added
  for each statement execute function memory.tally_bytes('originals');
create or replace trigger tally_bytes_gone after delete on memory.original referencing old table as gone
  for each statement execute function memory.tally_bytes('originals');

revoke execute on function memory.tally_bytes() from public, memory_service, memory_worker;
