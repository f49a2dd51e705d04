import { posix } from 'node:path';
import type { UnreadParts } from '../unread-parts.ts';
import { mathText } from './odf-formula.ts';
import { manifestEntries, OPEN_DOCUMENT_PREFIX } from './package.ts';
import { attributeOf } from './xml.ts';
import type { ZipArchive } from './zip-archive.ts';

/** A link to another file, with a scheme or out of the package. */
const LINK = /^(?:[a-z][a-z\d+.-]{1,50}:|\.\.\/)/i;

/** What documents of OpenDocument embed. Formulas are read before the text, because their place in it is read once. */
export class EmbeddedObjects {
  /** The media types of objects by their paths, without the slash at their ends. */
  readonly #types = new Map<string, string>();
  /** The texts of formulas by the paths of their objects. */
  readonly #formulas = new Map<string, string>();

  /**
   * Reads the formulas of a document.
   * @param pieces the damaged ones are added to it
   */
  static async read(archive: ZipArchive, pieces: UnreadParts): Promise<EmbeddedObjects> {
    const objects = new EmbeddedObjects();
    for (const entry of await manifestEntries(archive)) {
      const type = attributeOf(entry, 'media-type') ?? '';
      const path = pathOf(attributeOf(entry, 'full-path') ?? '');
      if (!type.startsWith(OPEN_DOCUMENT_PREFIX) || path === '') continue;
      objects.#types.set(path, type.slice(OPEN_DOCUMENT_PREFIX.length));
      if (type !== `${OPEN_DOCUMENT_PREFIX}formula`) continue;
      const name = `formula ${path}`;
      const part = posix.join(path, 'content.xml');
      const text = await pieces.readOrAdd(name, () => mathText(archive, part));
      if (text !== null) objects.#formulas.set(path, text);
      else if (!archive.names.has(part)) pieces.add(name, 'damaged');
    }
    return objects;
  }

  /** The text of a formula; null for another object, or one that was not read. */
  formula(reference: string): string | null {
    return this.#formulas.get(pathOf(reference)) ?? null;
  }

  /** What an object is, for `unread`; null for a formula, which is named already, and for a link to another file. */
  nameOf(reference: string): string | null {
    if (LINK.test(reference)) return null;
    const type = this.#types.get(pathOf(reference));
    if (type === 'formula') return null;
    return type === 'chart' ? 'chart' : 'embedded object';
  }
}

/** The path of an object: `./Object 1/` is `Object 1`. */
const pathOf = (reference: string) => posix.join('/', reference).slice(1).replace(/\/$/, '');
