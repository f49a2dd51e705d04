import { readOnce } from '../../db/driver/database.ts';
import { countTags } from '../../db/queries/memory/tags.ts';
import { readFromReplica } from '../../db/replica/read-from-replica.ts';
import { invalidField } from '../../shared/errors.ts';
import { normalizeTag } from '../../shared/formats/tags.ts';
import type { TagCount } from '../../shared/schemas/tags.ts';
import { narrowToClient, type TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/** A page of the list of tags, as the query of the request asks for it. */
interface TagPage {
  limit: number;
  cursor: string | undefined;
  /** With a client, only the sources of its layer are counted. */
  clientId: string | undefined;
}

/**
 * Lists the tags of the active sources that the caller can read, in the order of their characters, each with the number
 * of these sources that have it.
 * @throws ServiceError `invalid_request` for a cursor of another list, `scope_forbidden` for a client that the
 *   caller cannot read
 */
export async function listTags(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { limit, cursor, clientId }: TagPage,
): Promise<{ items: TagCount[]; nextCursor: string | null }> {
  const after = parseTagCursor(cursor);
  const narrowed = narrowToClient(scope, clientId);
  // One more than the page has, to find out whether there is a next page.
  const found = await readFromReplica(database, narrowed, (from) =>
    readOnce(from, narrowed, (tx) => countTags(tx, { after, limit: limit + 1 })),
  );
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last ? cursorOf(last.tag) : null };
}

/** The cursor is the last tag shown, so that a new tag does not shift the pages. */
function cursorOf(tag: string): string {
  return Buffer.from(tag).toString('base64url');
}

function parseTagCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const tag = Buffer.from(cursor, 'base64url').toString();
  // Decoding ignores or replaces what is not valid, so the cursor is compared with the encoding of its tag.
  if (tag === '' || tag.includes('\0') || normalizeTag(tag) !== tag || cursorOf(tag) !== cursor) {
    throw invalidField('/cursor', 'is not a cursor of this list');
  }
  return tag;
}
