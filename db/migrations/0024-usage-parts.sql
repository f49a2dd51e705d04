-- A part of the usage is a label of a metric, which anyone with the token of the metrics reads: it names no one.
alter table memory.usage_tally add constraint usage_tally_part_check check (part ~ '^[a-z_]+$');

-- Its one caller drops the original itself.
drop function if exists memory.drop_originals(uuid, uuid[]);
