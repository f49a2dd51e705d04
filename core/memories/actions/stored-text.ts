import type { TeamTransaction } from '../../../db/driver/database.ts';
import { findCreationDay } from '../../../db/queries/memory/source-library.ts';
import type { Memory } from '../../../shared/schemas/library.ts';
import type { ContentInput } from '../../../shared/text/memory-content.ts';

/** The text of a memory to be cut, with the day of its source if it has one, and with edits in place of its own text. */
export async function storedText(
  tx: TeamTransaction,
  { sourceId, ...own }: Memory,
  edits: { title?: string | undefined; content?: string | undefined } = {},
): Promise<ContentInput> {
  const day = sourceId === null ? null : await findCreationDay(tx, { id: sourceId });
  return { title: edits.title ?? own.title, content: edits.content ?? own.content, day };
}
