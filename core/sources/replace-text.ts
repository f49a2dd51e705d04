import { type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { lockSourceNames } from '../../db/queries/sources/sources.ts';
import { hasText } from '../../db/queries/sources/texts.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Moment } from '../../shared/formats/times.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import { layerOf, type TeamScope } from '../../shared/scope.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { makeWay } from './expiry.ts';
import { commitIngest, stageIngest } from './ingest.ts';
import { lockSourceForChange } from './lock.ts';
import { deleteStagedSource } from './store.ts';
import { readSentText } from './texts.ts';

type Needed = Pick<Dependencies, 'config' | 'database' | 'queue'>;

/** The new text of a source, and what else changes with it. Fields that are absent or null do not change. */
export interface NewText {
  text: string;
  title?: string | null;
  tags?: readonly string[] | null;
  /** Null: unknown. */
  occurredAt?: Moment | null;
  /** Null: never. */
  expiresAt?: Date | null;
  /** When the source was last changed that the caller has seen. Absent: it does not matter. */
  baseUpdatedAt?: Date;
  /** The version that it restores. */
  restored?: number;
}

/**
 * Replaces the text of a source, and keeps the text before as a version. It is checked, cut and indexed as an ingested one.
 * @param signal of the request: nothing more is cut after it is closed
 * @returns the source as it is now
 * @throws ServiceError `unauthenticated`, `team_forbidden`; `not_found`; `forbidden` unless the caller can write to the layer of
 *   the source and has created it or has Full access; `team_archived`; `conflict` for a source that was not sent as one text,
 *   that is archived, or if another active source of the layer has the text; `version_conflict` if the source changed since
 *   `baseUpdatedAt`; `secret_detected`, `quota_exceeded`; `invalid_request` for too many passages
 */
export async function replaceText(
  deps: Needed,
  scope: TeamScope,
  id: string,
  { text, title, tags = null, occurredAt, expiresAt, baseUpdatedAt, restored }: NewText,
  signal: AbortSignal,
): Promise<Source & { redactions: Redaction[] }> {
  const { database, config } = deps;
  // First, so that nothing is prepared for a caller who cannot change the source.
  const present = await lockedNow(deps, scope, id);
  const layerId = layerOf(scope, present.clientId);
  return runCommand(database, scope, {
    prepare: () =>
      stageIngest(deps, scope, {
        body: { title: title ?? present.title, text, ...(tags === null ? {} : { tags: [...tags] }) },
        embeddings: [],
        tags: tags === null ? null : [...tags],
        occurredAt,
        expiresAt,
        layerId,
        replaces: { id, externalId: present.externalId },
        signal,
      }),
    lock: (tx, { staged }) => lockSourceForChange(tx, id, 'change', () => lockSourceNames(tx, staged.source)),
    quota: config,
    apply: async (tx, { source, contentHash }, { staged, redactions }) => {
      assertHasText(source);
      if (baseUpdatedAt !== undefined && Date.parse(source.updatedAt) !== baseUpdatedAt.getTime()) {
        throw new ServiceError(
          'version_conflict',
          `The source was changed at ${source.updatedAt}; read it again, and send that time as baseUpdatedAt`,
        );
      }
      if (layerOf(tx.scope, source.clientId) !== layerId) {
        throw new ServiceError('conflict', 'The source was moved at the same time; send the text again');
      }
      const { contentHash: hash } = staged.source;
      const isSame = contentHash.equals(hash);
      if (!isSame) await assertReadable(tx, source);
      // A source with an external id can have the text of another.
      const isUnnamed = source.externalId === null;
      const expired =
        isSame || !isUnnamed ? [] : await makeWay(tx, { layerId, externalId: null, contentHash: hash });
      const detail = restored === undefined ? {} : { restored };
      const { result, audit, ...jobs } = await commitIngest(tx, deps, staged, detail);
      return { ...jobs, audit: [...expired, ...audit], result: { ...result.source, redactions } };
    },
    deleteStaged: ({ staged }) => deleteStagedSource(database, scope, staged),
  });
}

/**
 * Restores a former text of a source: the present one becomes a version.
 * @throws ServiceError as `replaceText`; `not_found` for a version that is not kept
 */
export async function restoreSourceVersion(
  deps: Needed,
  scope: TeamScope,
  id: string,
  version: number,
  signal: AbortSignal,
): Promise<Source> {
  await lockedNow(deps, scope, id);
  const { text } = await readSentText(deps, scope, id, version);
  if (text === null) throw new ServiceError('conflict', 'The text of this version cannot be read');
  const { redactions: _, ...source } = await replaceText(
    deps,
    scope,
    id,
    { text, restored: version },
    signal,
  );
  return source;
}

/** The source as it is now, if the caller can change its text now. It is checked again when the text is replaced. */
async function lockedNow({ database }: Needed, scope: TeamScope, id: string): Promise<Source> {
  const { source } = await transaction(database, scope, (tx) => lockSourceForChange(tx, id, 'change'));
  assertHasText(source);
  return source;
}

function assertHasText({ kind, state }: Source): void {
  if (kind !== 'ingest') {
    throw new ServiceError('conflict', 'Only the text of a source that was ingested can be changed');
  }
  if (state === 'archived') throw new ServiceError('conflict', 'An archived source cannot be changed');
}

/** Refuses a source whose text nobody can read: to replace it would lose it. */
async function assertReadable(tx: TeamTransaction, { id }: Source): Promise<void> {
  if (await hasText(tx, id)) return;
  throw new ServiceError(
    'conflict',
    'The source was sent as chunks, or its text is longer than 8 MiB; ingest it again under its externalId instead',
  );
}
