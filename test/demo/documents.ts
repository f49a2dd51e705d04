import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { importMediaType } from '../../shared/formats/media-types.ts';
import { DemoError, reason } from './failure.ts';

/** A document as it lies on disk. */
export interface Document {
  /** Its path, with slashes: its title and its name for ever. */
  name: string;
  bytes: Buffer;
  /** Whether it is plain text, so that no format has to be read. */
  plain: boolean;
}

const ROOT = join(import.meta.dirname, '..', '..');
const SAMPLES = join(import.meta.dirname, '../../docs/guide/samples');
/** A demo, not a migration: more would only make it long. */
const MOST_DOCUMENTS = 100;
const MOST_BYTES = 5 * 1024 * 1024;

/** The documents of a folder at any depth, or without one the project's own README.md and the samples. */
export async function readDocuments(folder: string | null): Promise<Document[]> {
  if (folder !== null) return readFolder(folder);
  const readme = await readFile(join(ROOT, 'README.md'));
  return [{ name: 'README.md', bytes: readme, plain: true }, ...(await readFolder(SAMPLES))];
}

async function readFolder(folder: string): Promise<Document[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw new DemoError(`${folder} cannot be read (${reason(error)})`);
  });
  const documents: Document[] = [];
  for (const entry of entries.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))) {
    const name = relative(folder, pathOf(entry)).split(sep).join('/');
    // Nobody means what lies in hidden folders or was installed.
    if (!entry.isFile() || /(^|\/)(\.|node_modules\/)/.test(name)) continue;
    const mediaType = importMediaType(name, undefined, false);
    if (mediaType === null) continue;
    const bytes = await readFile(pathOf(entry));
    if (bytes.length === 0 || bytes.length > MOST_BYTES) continue;
    documents.push({ name, bytes, plain: /^text\/(plain|markdown)$/.test(mediaType) });
    if (documents.length === MOST_DOCUMENTS) break;
  }
  if (documents.length === 0) throw new DemoError(`${folder} holds no document that can be stored`);
  return documents;
}

function pathOf(entry: { parentPath: string; name: string }): string {
  return join(entry.parentPath, entry.name);
}
