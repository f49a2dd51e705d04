import type { TeamTransaction } from '../../../db/driver/database.ts';
import type { LockedMemory } from '../../../db/queries/memory/memories.ts';
import { findSourceDays } from '../../../db/queries/memory/source-library.ts';
import { dayOfMoment, type Moment } from '../../../shared/formats/times.ts';
import { lowestOrigin, type Origin } from '../../../shared/origin.ts';
import type { Memory } from '../../../shared/schemas/library.ts';
import type { ContentInput } from '../../../shared/text/memory-content.ts';

/** What a decision changes in the text of a memory. Absent fields do not change. */
interface Edits {
  title?: string | undefined;
  content?: string | undefined;
  /** Null: not given. */
  tags?: readonly string[] | null;
  /** Null: unknown. */
  occurredAt?: Moment | null | undefined;
}

/** The text of a memory to be cut, with the day of its date, and with edits in place of its own text. */
export async function storedText(
  tx: TeamTransaction,
  { sourceId, ...own }: Memory,
  edits: Edits = {},
): Promise<ContentInput> {
  const { title = own.title, content = own.content, occurredAt = own.occurredAt } = edits;
  const tags = edits.tags ?? own.tags;
  if (occurredAt !== null) return { title, content, tags, day: dayOfMoment(occurredAt) };
  const days = sourceId === null ? null : await findSourceDays(tx, { id: sourceId });
  return { title, content, tags, day: days?.creation ?? null };
}

/**
 * The origin of a memory after a decision: that of the caller if the decision gives another content, and the lower one if it
 * gives only another title.
 */
export function editedOrigin(
  tx: TeamTransaction,
  { memory, origin }: LockedMemory,
  { title = memory.title, content = memory.content }: Pick<Edits, 'title' | 'content'>,
): Origin {
  if (content !== memory.content) return tx.scope.origin;
  return title === memory.title ? origin : lowestOrigin(origin, tx.scope.origin);
}
