-- The current versions of files that could not be indexed, which a search without hits looks through.
create index workspace_version_failed on memory.workspace_version (team_id, id)
  where indexed = 'failed' and until_revision is null and sha256 is not null;
