import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as MediaTypesModule from '../../shared/formats/media-types.ts';
import { newId } from '../../shared/ids.ts';
import type * as ChunksModule from '../../shared/text/prepared-chunks.ts';
import type * as DocumentModule from '../../worker/extract/document.ts';
import type * as RegistryModule from '../../worker/extract/registry.ts';

/** What is stored of a file. */
export interface Read {
  title: string | null;
  text: string;
  /** Why it was refused; empty if it was not. */
  fault: string;
}

/** The readers of a checkout. */
export interface Reader {
  name: string;
  read: (filename: string, content: Uint8Array) => Promise<Read>;
}

/**
 * Opens the readers of a checkout. They run in this process.
 * @param folder its root
 */
export async function openReader(name: string, folder: string): Promise<Reader> {
  const load = async <Module>(path: string) =>
    (await import(pathToFileURL(join(resolve(folder), path)).href)) as Module;
  const { importMediaType } = await load<typeof MediaTypesModule>('shared/formats/media-types.ts');
  const { EXTRACTORS } = await load<typeof RegistryModule>('worker/extract/registry.ts');
  const { prepareDocument } = await load<typeof DocumentModule>('worker/extract/document.ts');
  const { fieldsNow } = await load<typeof ChunksModule>('shared/text/prepared-chunks.ts');
  const read: Reader['read'] = async (filename, content) => {
    const mediaType = importMediaType(filename, undefined, false);
    if (mediaType === null) return { title: null, text: '', fault: 'unknown type' };
    try {
      const extract = await EXTRACTORS[mediaType]();
      const extraction = await extract(content, () => undefined, filename);
      const { title } = prepareDocument(extraction, newId(), fieldsNow(filename), 'flag');
      return { title, text: extraction.parts.map(({ text }) => text).join('\n\n'), fault: '' };
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      return { title: null, text: '', fault: code ?? message };
    }
  };
  return { name, read };
}
