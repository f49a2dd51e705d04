import type { Original } from '../../../shared/schemas/memory.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { isActive } from '../fragments/expiry.ts';
import { inScope, scopeValues } from '../fragments/layers.ts';

/** The file that a source was made of, and the name that it was imported with. */
export interface OriginalFile extends Original {
  filename: string;
}

/**
 * Makes a stored content the original of a source.
 * @returns false if the source has one already, is not active or is not of kind `import`
 */
export async function attachOriginal(
  tx: TeamTransaction,
  sourceId: string,
  { sha256, bytes, mediaType }: Original,
): Promise<boolean> {
  const [row] = await tx.query<{ attached: boolean }>(
    `select memory.attach_original($1, decode($2, 'hex'), $3, $4) as attached`,
    [sourceId, sha256, bytes, mediaType],
  );
  return row?.attached === true;
}

/** Finds the original of an active source within the scope; null without one. */
export async function findOriginal(tx: TeamTransaction, sourceId: string): Promise<OriginalFile | null> {
  const [row] = await tx.query<OriginalFile>(
    `select encode(s.original_sha256, 'hex') as sha256, s.original_bytes as bytes, s.original_media_type as "mediaType",
            coalesce(s.metadata ->> 'filename', s.title) as filename
       from memory.source s
      where ${inScope('s')} and s.id = $3 and ${isActive('s')} and s.original_sha256 is not null`,
    [...scopeValues(tx.scope), sourceId],
  );
  return row ?? null;
}
