import { globSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Encoding, MIN_COMPRESSED_BYTES } from './accepted-encoding.ts';
import { PACKAGES, resolvePackages } from './packages.ts';

const WEB = new URL('../../web/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const brotli = promisify(brotliCompress);
/** The best quality takes four seconds for the 1.7 MB of Swagger UI. This one takes 0.2, and the result is 10 % longer. */
const QUICK_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const MAX_BEST_BYTES = 100_000;

const COMPRESS = {
  br: (body: Buffer) => (body.length > MAX_BEST_BYTES ? brotli(body, QUICK_BROTLI) : brotli(body)),
  gzip: promisify(gzip),
};

/** A text that browsers load. */
export interface PageFile {
  type: string;
  body: Buffer;
  /** The compressed text, made once; null if the text is too short to compress. */
  compressed(encoding: Encoding): Promise<Buffer> | null;
}

/**
 * A file of a page.
 * @param path below the folder of the page; it tells the type
 */
export function pageFile(path: string, text: string): PageFile {
  const body = Buffer.from(text);
  const made = new Map<Encoding, Promise<Buffer>>();
  return {
    type: TYPES[extname(path)] ?? 'text/plain; charset=utf-8',
    body,
    compressed(encoding) {
      if (body.length <= MIN_COMPRESSED_BYTES) return null;
      const compressed = made.get(encoding) ?? COMPRESS[encoding](body);
      made.set(encoding, compressed);
      return compressed;
    },
  };
}

const webFiles = new Map<string, PageFile>();

/** Reads a file of web/, once for the process, so that it is also compressed only once. */
export function readWebFile(path: string): PageFile {
  let file = webFiles.get(path);
  if (file === undefined) {
    const text = read(new URL(path, WEB));
    file = pageFile(path, extname(path) === '.js' ? resolvePackages(path, text) : text);
    webFiles.set(path, file);
  }
  return file;
}

/**
 * The files of web/ in a folder and the folders below it.
 * @param ending of their names, such as `.js`
 * @returns their paths, in an order that is always the same
 */
export function webFilesIn(folder: string, ending: string): string[] {
  return globSync(`${folder}/**/*${ending}`, { cwd: fileURLToPath(WEB) })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}

/**
 * A document for an address in a folder: it refers to its assets relative to the root.
 * @param path of the document in web/
 * @param depth how many folders are above the address
 */
export function deeperDocument(path: string, depth: number): PageFile {
  const text = readWebFile(path).body.toString();
  return pageFile(path, text.replaceAll(/(href|src)="assets\//g, `$1="${'../'.repeat(depth)}assets/`));
}

/** Several style sheets as one: a browser then loads one file in place of many. */
export function joinStyles(path: string, parts: readonly string[]): PageFile {
  return pageFile(path, parts.map((part) => readWebFile(part).body.toString()).join('\n'));
}

/** The scripts of the packages, by the paths at which pages find them. */
export function packageFiles(): Map<string, PageFile> {
  return new Map(
    Object.entries(PACKAGES).map(([name, path]) => {
      const text = read(import.meta.resolve(name));
      // The map that it names is not served.
      const end = text.lastIndexOf('//# sourceMappingURL=');
      return [path, pageFile(path, resolvePackages(path, end === -1 ? text : text.slice(0, end)))];
    }),
  );
}

const read = (url: string | URL) => readFileSync(fileURLToPath(url), 'utf8');
