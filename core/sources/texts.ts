import { type TeamTransaction, transaction } from '../../db/driver/database.ts';
import type { VersionPart } from '../../db/queries/common.ts';
import { readList } from '../../db/queries/query-list.ts';
import { findReadableSources } from '../../db/queries/sources/lists.ts';
import {
  findFormerText,
  findText,
  type StoredText,
  listSourceVersions as selectVersions,
} from '../../db/queries/sources/texts.ts';
import { MAX_TEXT_BYTES } from '../../shared/body-limits.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SourceVersion } from '../../shared/schemas/sources.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { exactText } from '../../shared/text/text-form.ts';
import type { Dependencies } from '../dependencies.ts';

/** The text of a source, as it is sent to readers. */
export interface SentText {
  /** Null: the source was not sent as one text, is archived, or its text is too long. */
  text: string | null;
  /** Whether it is the text as it was sent, or as masking left it. False for one that is joined from passages. */
  exact: boolean;
}

type Needed = Pick<Dependencies, 'database'>;

/**
 * Reads the text of a source as it was sent, or a former one.
 * @param version of the former text; null for the present one
 * @throws ServiceError `not_found` if the source or the version does not exist
 */
export async function readSentText(
  { database }: Needed,
  scope: TeamScope,
  id: string,
  version: number | null,
): Promise<SentText> {
  const stored = await transaction(database, scope, (tx) => findSentText(tx, id, version));
  if (stored === null) throw new ServiceError('not_found');
  return toSentText(stored);
}

/** Finds a text as `readSentText` does, in a transaction. */
export function findSentText(
  tx: TeamTransaction,
  id: string,
  version: number | null,
): Promise<StoredText | null> {
  return version === null ? findText(tx, id) : findFormerText(tx, id, version);
}

/** Makes the text that is sent to readers of a stored one. */
export async function toSentText({ plain, form }: StoredText): Promise<SentText> {
  if (plain === null) return { text: null, exact: false };
  const text = form === null ? plain : await exactText(plain, form);
  return Buffer.byteLength(text) > MAX_TEXT_BYTES
    ? { text: null, exact: false }
    : { text, exact: form !== null };
}

/**
 * Lists the former texts of a source, newest first.
 * @throws ServiceError `not_found` if the source does not exist
 */
export async function listSourceVersions(
  { database }: Needed,
  scope: TeamScope,
  id: string,
  { limit, ...part }: VersionPart,
): Promise<{ items: SourceVersion[]; hasMore: boolean }> {
  const known = await transaction(database, scope, (tx) => findReadableSources(tx, [id]));
  if (!known.has(id)) throw new ServiceError('not_found');
  const found = await readList(database, scope, part, (tx) =>
    selectVersions(tx, id, { ...part, limit: limit + 1 }),
  );
  return { items: found.slice(0, limit), hasMore: found.length > limit };
}
