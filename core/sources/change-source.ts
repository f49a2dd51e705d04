import type { TeamTransaction } from '../../db/driver/database.ts';
import {
  type GivenFields,
  type SourceField,
  updateSourceFields,
} from '../../db/queries/memory/source-fields.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { parseTags } from '../../shared/formats/tags.ts';
import { assertFuture, parseExpiry } from '../../shared/formats/times.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { SourceChange } from '../../shared/schemas/library.ts';
import type { Source } from '../../shared/schemas/memory.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { redactFields } from '../redaction/redact-fields.ts';
import { redactionMode } from '../redaction/redaction-mode.ts';
import { enqueueIndexing } from './enqueue-indexing.ts';
import { lockSourceForChange } from './lock-source.ts';

/**
 * Parses the change of a source.
 * @throws ServiceError `invalid_request`
 */
export function parseSourceChange({ title, tags, expiresAt }: SourceChange): GivenFields {
  if (title === undefined && tags === undefined && expiresAt === undefined) {
    throw invalidField('/', 'must have title, tags or expiresAt');
  }
  const expiry = parseExpiry(expiresAt, '/expiresAt');
  assertFuture(expiry);
  return {
    title: title ?? null,
    tags: tags === undefined ? null : parseTags(tags),
    ...(expiry === undefined ? {} : { expiresAt: expiry }),
  };
}

/**
 * Changes the title, the tags and the expiry of a source. Fields that are not given do not change.
 * @returns the source as it is now
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `not_found`; `forbidden` unless the caller
 *   can write to the layer of the source and has created it or has Full access; `team_archived`; `conflict` if the source
 *   belongs to a memory, or is archived, or for the title or the expiry of a file; `secret_detected`
 */
export async function changeSource(
  { config, database, queue }: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  scope: TeamScope,
  id: string,
  change: SourceChange,
): Promise<Source & { redactions: Redaction[] }> {
  const { fields, redactions, assertAllowed } = await redactFields(redactionMode(config, scope), change);
  const given = parseSourceChange(fields);
  const source = await runCommand(database, scope, {
    lock: (tx) => lockSourceForChange(tx, id, 'change'),
    apply: async (tx, source) => {
      const { updated, ...applied } = await apply(tx, source, given, assertAllowed);
      if (!updated.includes('title')) return applied;
      return { ...applied, enqueue: () => enqueueIndexing(tx, queue, config, [], true) };
    },
  });
  return { ...source, redactions };
}

async function apply(
  tx: TeamTransaction,
  source: Source,
  given: GivenFields,
  assertAllowed: () => void,
): Promise<Applied<Source> & { updated: SourceField[] }> {
  const { id, kind, state, clientId } = source;
  if (kind === 'memory') {
    throw new ServiceError('conflict', 'The source belongs to a memory; update the memory instead');
  }
  if (kind === 'file' && given.title !== null && given.title !== undefined) {
    throw new ServiceError('conflict', 'The title is the name of the file; push the file under another name');
  }
  if (kind === 'file' && given.expiresAt !== undefined) {
    throw new ServiceError('conflict', 'A workspace file does not expire; delete the file instead');
  }
  if (state === 'archived') throw new ServiceError('conflict', 'An archived source cannot be changed');
  assertAllowed();
  const changed = await updateSourceFields(tx, id, given);
  if (changed === null) return { result: source, audit: [], updated: [] };
  const { updated } = changed;
  return {
    result: changed.source,
    updated,
    audit: [
      { kind: 'memory.update', subjectType: 'source', subjectId: id, layerId: clientId, detail: { updated } },
    ],
  };
}
