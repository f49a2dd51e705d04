import type { TeamTransaction } from '../../db/driver/database.ts';
import type { LockedMemory } from '../../db/queries/memories.ts';
import { findSourceDays } from '../../db/queries/sources/lists.ts';
import { ServiceError } from '../../shared/errors.ts';
import { dayOfMoment, type Moment } from '../../shared/formats/times.ts';
import { lowestOrigin, type Origin } from '../../shared/origin.ts';
import type { Decision, Memory } from '../../shared/schemas/memories.ts';
import type { LayerId } from '../../shared/scope.ts';
import type { ContentInput, PreparedContent } from '../../shared/text/memory-content.ts';
import type { Recorded } from '../access/run-command.ts';

/** A parsed decision: its ids are known ones, in lower case, and its tags are normalized. */
export type ParsedDecision = Omit<
  Decision,
  'supersedes' | 'tags' | 'occurredAt' | 'expiresAt' | 'clientId'
> & {
  supersedes: string | null;
  /** Null: not given. */
  tags: string[] | null;
  /** Undefined: not given; null: unknown. */
  occurredAt: Moment | null | undefined;
  /** Undefined: not given; null: never. */
  expiresAt: Date | null | undefined;
  /** The layer to move it to. Undefined: not given. */
  target: LayerId | undefined;
};

/** Optional fields of a decision that only some actions accept. */
export const ACTION_FIELDS = [
  'tags',
  'title',
  'content',
  'supersedes',
  'baseVersion',
  'occurredAt',
  'expiresAt',
  'clientId',
] as const;
export type ActionField = (typeof ACTION_FIELDS)[number];

/** What an action finds before its transaction. */
export interface Found {
  /** The text that the action makes searchable, which is cut before the transaction. */
  text?: ContentInput | null;
  /** Of the version that it restores. */
  origin?: Origin;
  /** Another memory that the action changes. It is locked too. */
  otherId?: string | null;
}

/** The locked memories of a decision. */
export interface LockedDecision {
  own: LockedMemory;
  /** Null if no other was found, or it is not in a layer that the caller can write. */
  other: Memory | null;
}

/** A decision, and what was prepared for it. */
export interface Deciding {
  decision: ParsedDecision;
  /** The memory as it was when the text was found. It can have changed since. */
  present: Memory;
  /** The text that was found. */
  text: ContentInput | null;
  /** Of the version to restore. */
  origin: Origin | undefined;
  /** The text to store: that which was found, maybe with masks in place of credentials. */
  storable: ContentInput | null;
  /** What was made of the text to store. */
  prepared: PreparedContent | null;
  model: string;
}

/** What an action has done. */
export interface Acted extends Recorded<Memory> {
  /** The layers in which it wrote chunks. Absent if the action changes nothing that searches find. */
  indexed?: readonly LayerId[];
  /** Whether the terms of its text can be outdated: by another title or another date. */
  isOutdated?: boolean;
}

/** One action of POST /v1/memory/memories. `ACTIONS` lists all of them. */
export interface DecisionAction {
  fields: readonly ActionField[];
  /** Whether `version` names a version to restore. The version that the decision is based on is `baseVersion` then. */
  namesVersion?: boolean;
  /** Whether it can store more text than before, so that it must stay within the quota. */
  addsText?: boolean;
  /** As in: "A discarded memory cannot be published". */
  participle: string;
  /** Refuses a malformed decision with `invalid_request`. */
  assertComplete?: (decision: Decision) => void;
  /** Reads what the action needs before the transaction. */
  find?: (tx: TeamTransaction, decision: ParsedDecision, present: Memory) => Promise<Found>;
  /** Refuses the locked memories with `not_found` or `invalid_request`, whatever their states are. */
  assertLocked?: (locked: LockedDecision, decision: ParsedDecision) => void;
  /** Acts on the locked memory, whose state allows the action. */
  act: (tx: TeamTransaction, locked: LockedDecision, deciding: Deciding) => Promise<Acted>;
}

/** The refusal of a decision that is based on another version than the memory has now. */
export function versionConflict(version: number): ServiceError {
  return new ServiceError('version_conflict', `The memory is now at version ${version}`);
}

/**
 * Refuses to publish the content that a memory had when it was found, if it has another one now.
 * @throws ServiceError `version_conflict`
 */
export function assertSameContent(now: Memory, found: ContentInput | null): void {
  if (now.content !== found?.content) throw versionConflict(now.version);
}

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
