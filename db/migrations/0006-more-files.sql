-- Files of more kinds are read: see shared/formats/media-types.ts. Those that no reader could read are decided on again, by
-- memory.queue_files.
drop function if exists memory.queue_files(uuid, text[], int);
update memory.workspace_version set indexed = null
 where indexed = 'no' and until_revision is null and sha256 is not null and bytes > 0;
