import { DOCUMENT_BODY_LIMIT } from '../../../../shared/body-limits.ts';
import { importMediaType } from '../../../../shared/formats/media-types.ts';
import type { Import } from '../../../../shared/schemas/imports.ts';
import type { Item } from '../../app/data.ts';
import { type Args, send } from '../../app/request.ts';
import type { Chosen } from '../../app/shell/dropped-files.ts';
import { count, size } from '../../ui/text.tsx';

/* Which files are sent, and how many together. */

/** How an older format of an Office program is saved in one that can be imported. */
const NEWER: Readonly<Record<string, string>> = { doc: 'DOCX', xls: 'XLSX', ppt: 'PPTX' };
/** The largest request of the service, without what is in it besides the files; base64 is a third longer than a file. */
export const MAX_FILE_BYTES = Math.floor(((DOCUMENT_BODY_LIMIT - 16 * 1024) / 4) * 3);
const MAX_NAME_LENGTH = 300;
/** Requests stay small, so that each file shows its progress soon. A single file can be larger. */
const BATCH_BYTES = 2 * 1024 * 1024;
const BATCH_FILES = 50;
/** How many imports, and archived sources, are compared with the files to be sent. */
const MOST_COMPARED = 2000;

export const isActive = (made: Import | undefined) => made?.state === 'queued' || made?.state === 'running';

/** Why a file cannot be imported, and what to do; '' if it can be sent. */
export function faultOf({ name, file }: Chosen): string {
  if (importMediaType(name, undefined, false) === null) {
    const extension = /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase();
    if (extension === undefined) return 'Files without an extension cannot be read.';
    const newer = NEWER[extension];
    return `Files of type .${extension} cannot be read.${newer === undefined ? '' : ` Save it as ${newer}.`}`;
  }
  if (file.size === 0) return 'The file is empty.';
  if (file.size > MAX_FILE_BYTES)
    return `The file has ${size(file.size)}. The largest that can be imported has ${size(MAX_FILE_BYTES)}: divide it.`;
  const length = Array.from(name).length;
  if (length > MAX_NAME_LENGTH)
    return `The name has ${count(length, 'character')}. Give it at most ${MAX_NAME_LENGTH}, folders included.`;
  return '';
}

/** How many of these files are sent in the next request. */
export function batchLength(files: readonly Chosen[]): number {
  let bytes = 0;
  const full = files.findIndex(({ file }, index) => {
    bytes += (file.size / 3) * 4;
    return index === BATCH_FILES || (index > 0 && bytes > BATCH_BYTES);
  });
  return full === -1 ? files.length : full;
}

async function newest<N extends 'listImports' | 'listSources'>(team: string, name: N, query: object) {
  const items: Item<N>[] = [];
  let cursor: string | null = null;
  do {
    const args = [{ ...query, ...(cursor !== null && { cursor }), limit: 200 }] as unknown as Args<N>;
    const page = (await send(team, name, args)) as { items: Item<N>[]; nextCursor: string | null };
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null && items.length < MOST_COMPARED);
  return { items, isWhole: cursor === null };
}

/**
 * Finds the import of a file that the service has already: with the same name and bytes, in the same layer. The lists are
 * read once. What is not found in them is sent: the service then recognizes the file when it reads it.
 */
export function openComparison(team: string) {
  let reading: Promise<[{ items: Import[] }, { items: { id: string }[]; isWhole: boolean }]> | undefined;
  return async (name: string, clientId: string | null, sha256: string): Promise<Import | null> => {
    reading ??= Promise.all([
      newest(team, 'listImports', {}),
      newest(team, 'listSources', { state: 'archived' }),
    ]);
    const [imports, archived] = await reading;
    const same = imports.items.filter(
      (made) => made.sha256 === sha256 && made.filename === name && made.clientId === clientId,
    );
    const isStored = ({ state, sourceId }: Import) =>
      state === 'completed' && sourceId !== null && !archived.items.some(({ id }) => id === sourceId);
    return same.find(isActive) ?? ((archived.isWhole && same.find(isStored)) || null);
  };
}
