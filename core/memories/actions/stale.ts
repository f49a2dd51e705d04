import { ServiceError } from '../../../shared/errors.ts';
import type { Memory } from '../../../shared/schemas/library.ts';
import type { ContentInput } from '../../../shared/text/memory-content.ts';

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
