import { MAX_TEXT_BYTES } from '../../../shared/body-limits.ts';
import type { SourceVersion } from '../../../shared/schemas/sources.ts';
import type { TextForm } from '../../../shared/text/text-form.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { inScope, isActive, scopeValues, type VersionPart, wireTime } from '../common.ts';
import { queryList } from '../query-list.ts';

/** A stored text: `exactText` makes the text as it was sent of it. Without a form, it is joined from passages. */
export interface StoredText {
  /** Null: the source has no text of its own, or a longer one than can be read. */
  plain: string | null;
  form: TextForm | null;
}

/** Finds the text of a source within the scope; null if the source does not exist. */
export async function findText(tx: TeamTransaction, id: string): Promise<StoredText | null> {
  const [row] = await tx.query<StoredText>(
    `select memory.source_text(s.id, $4) as plain, s.text_form as form from memory.source s
      where ${inScope('s')} and s.id = $3 and s.state <> 'loading'`,
    [...scopeValues(tx.scope), id, MAX_TEXT_BYTES],
  );
  return row ?? null;
}

/** Whether a source of the scope's Team has a text that can be read. */
export async function hasText(tx: TeamTransaction, id: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>('select memory.source_text($1, $2) is not null as found', [
    id,
    MAX_TEXT_BYTES,
  ]);
  return row?.found === true;
}

/** Finds a former text of an active source within the scope; null if it is not kept. */
export async function findFormerText(
  tx: TeamTransaction,
  id: string,
  version: number,
): Promise<StoredText | null> {
  const [row] = await tx.query<StoredText>(
    `select case when ${isActive('s')} then v.text end as plain, v.text_form as form
       from memory.source s join memory.source_version v on v.team_id = s.team_id and v.source_id = s.id
      where ${inScope('s')} and ${inScope('v')} and s.id = $3 and v.version = $4`,
    [...scopeValues(tx.scope), id, version],
  );
  return row ?? null;
}

/** Lists the former texts of a source within the scope, newest first. */
export async function listSourceVersions(
  tx: TeamTransaction,
  id: string,
  { before, ...part }: VersionPart,
): Promise<SourceVersion[]> {
  const rows = await queryList<Omit<SourceVersion, 'at'> & { at: Date }>(
    tx,
    { ...part, after: before },
    `select v.version, v.at, v.actor_id as "actorId",
            coalesce((v.text_form ->> 'characters')::int, char_length(v.text)) as characters
       from memory.source_version v
      where ${inScope('v')} and v.source_id = $3 and ($after::int is null or v.version < $after)
      order by v.version desc limit $limit`,
    {},
    [...scopeValues(tx.scope), id],
  );
  return rows.map((row) => ({ ...row, at: wireTime(row.at) }));
}
