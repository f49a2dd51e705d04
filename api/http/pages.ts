import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { extname, posix } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import type { FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify';
import { IMPORT_FORMATS } from '../../shared/formats/media-types.ts';
import { QUEUE_NAMES, queueDefinition } from '../../shared/queues.ts';
import { AUDIT_KINDS } from '../../shared/schemas/audit.ts';
import { placeParts } from '../../shared/schemas/sources.ts';
import { UNREAD_REASONS, unreadLine, unreadWords } from '../../shared/schemas/unread.ts';
import { acceptedWeights, addVary } from './requests.ts';

/** The encodings in which pages and long answers are sent, the best one first. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Shorter texts gain nothing from compression. */
const MIN_COMPRESSED_BYTES = 1000;

/**
 * Chooses the encoding of an answer, and tells caches that it depends on the request.
 * @returns the best one that the browser accepts, by its header Accept-Encoding; null if it accepts none
 */
export function chooseEncoding(request: FastifyRequest, reply: FastifyReply): Encoding | null {
  addVary(reply, 'Accept-Encoding');
  const weights = acceptedWeights(request.headers['accept-encoding']);
  return ENCODINGS.find((encoding) => (weights.get(encoding) ?? 0) > 0) ?? null;
}

/**
 * A page loads only scripts and styles of this service, and sends requests only to this service. Only its script sends
 * forms: a form that the browser sends could put a password into an address.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // For the empty icon. Without an icon, browsers request /favicon.ico.
  'img-src data:',
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  // Text cannot become HTML or code: a browser that supports this directive refuses innerHTML and similar calls.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Headers of every page and its assets. */
export const PAGE_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

/**
 * The packages that scripts import by name, with the paths at which pages find them. Browsers resolve no names, and an
 * import map would be an inline script, which the policy of the pages forbids.
 */
const PACKAGES = {
  preact: 'packages/preact.js',
  'preact/hooks': 'packages/preact-hooks.js',
  htm: 'packages/htm.js',
  // Three files that import each other by relative paths, so they lie as in the package.
  'diff/lib/diff/word.js': 'packages/diff/diff/word.js',
  'diff/lib/diff/base.js': 'packages/diff/diff/base.js',
  'diff/lib/util/string.js': 'packages/diff/util/string.js',
} as const;

/**
 * Replaces the names of packages in the imports of a script with relative paths.
 * @param path of the script, below the folder of its page
 */
function resolvePackages(path: string, script: string): string {
  let resolved = script;
  for (const [name, target] of Object.entries(PACKAGES)) {
    const relative = `./${posix.relative(posix.dirname(path), target)}`;
    // Packages are minified, so there can be no space.
    for (const before of ['from', 'from ']) {
      for (const quote of ["'", '"']) {
        resolved = resolved.replaceAll(
          `${before}${quote}${name}${quote}`,
          `${before}${quote}${relative}${quote}`,
        );
      }
    }
  }
  return resolved;
}

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
function pageFile(path: string, text: string): PageFile {
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

/** The package of the terminal client, which `npm run build` makes. */
export interface ClientPackage {
  bytes: Buffer;
  /** Of the bytes, in hexadecimal digits. */
  sha256: string;
}

const FILE = new URL('../../cli/dist/cli.tgz', import.meta.url);

let kept: ClientPackage | null | undefined;

/**
 * Reads the package once for the process, so that its bytes and its digest are of the same build.
 * @returns null if it was not built
 */
export function readClientPackage(): ClientPackage | null {
  if (kept === undefined) kept = readPackage();
  return kept;
}

function readPackage(): ClientPackage | null {
  try {
    const bytes = readFileSync(FILE);
    return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The label of each queue, in the order in which they are shown. */
const queueLabels = () => Object.fromEntries(QUEUE_NAMES.map((name) => [name, queueDefinition(name).label]));

/** What each kind of audit event means. */
const auditMeanings = () =>
  Object.fromEntries(Object.entries(AUDIT_KINDS).map(([kind, { meaning }]) => [kind, meaning]));

/** The label and the extensions of each format that can be imported. */
const importFormats = () =>
  Object.values(IMPORT_FORMATS).map(({ label, extensions }) => ({ label, extensions }));

/**
 * Modules of the console with what the service knows, by their paths: the exports by their names, each with its value, or
 * with a function that needs nothing but its arguments and the exports above it.
 */
const MODULES: Readonly<Record<string, Readonly<Record<string, () => unknown>>>> = {
  'dashboard/figures/queue-labels.js': { QUEUE_LABELS: queueLabels },
  'console/pages/audit/audit-kinds.js': { AUDIT_MEANINGS: auditMeanings },
  'console/parts/place-parts.js': { placeParts: () => placeParts },
  'console/parts/imported-files.js': {
    IMPORT_FORMATS: importFormats,
    UNREAD_REASONS: () => UNREAD_REASONS,
    unreadWords: () => unreadWords,
    unreadLine: () => unreadLine,
  },
  'console/client-package.js': { CLIENT_SHA256: () => readClientPackage()?.sha256 ?? null },
};

/** A value as JSON; a function as the text that Node runs, without its types and without indentation. */
const sourceOf = (value: unknown) =>
  typeof value === 'function' ? String(value).replaceAll(/  +/g, ' ') : JSON.stringify(value);

/** The scripts that the service makes, by the paths at which the console finds them. */
export function madeScripts(): Map<string, PageFile> {
  return new Map(
    Object.entries(MODULES).map(([path, exports]) => [
      path,
      pageFile(
        path,
        Object.entries(exports)
          .map(([name, value]) => `export const ${name} = ${sourceOf(value())};\n`)
          .join(''),
      ),
    ]),
  );
}

/** How the page of the API looks: as one of this service, without the bar and the logo of Swagger UI. */
export const DOCS_LOOK = {
  uiConfig: { layout: 'BaseLayout' },
  theme: {
    title: 'Team memory · API',
    // Empty, as on the other pages.
    favicon: [
      {
        filename: 'icon.svg',
        rel: 'icon',
        type: 'image/svg+xml',
        sizes: 'any',
        content: '<svg xmlns="http://www.w3.org/2000/svg"/>',
      },
    ],
    css: [
      {
        filename: 'look.css',
        content: `.swagger-ui .info { margin: 2rem 0 1rem; }
.swagger-ui .scheme-container { margin: 0 0 1rem; padding: 1rem 0; }
.swagger-ui .info summary { cursor: pointer; font-weight: 600; }
.swagger-ui .info table { display: block; overflow-x: auto; }
`,
      },
    ],
  },
} satisfies FastifySwaggerUiOptions;

const FOLDER = new URL('static/', import.meta.resolve('@fastify/swagger-ui'));

/** The names of the texts of the page. Only these are kept, whatever names are requested. */
const NAMES = new Set(globSync('*.{js,css,svg}', { cwd: fileURLToPath(FOLDER) }));

const files = new Map<string, PageFile>();

function readDocsFile(name: string): PageFile {
  const file = files.get(name) ?? pageFile(name, readFileSync(new URL(name, FOLDER), 'utf8'));
  files.set(name, file);
  return file;
}

/**
 * Compresses a file of the page of the API: @fastify/swagger-ui sends them as they are, and has no option for it.
 * @returns what is sent in place of `payload`
 */
export async function compressDocsFile(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const { '*': name = '' } = request.params as { '*'?: string };
  if (!NAMES.has(name)) return payload;
  // Also for 206 and 304, so that caches know that the answer depends on the request.
  const encoding = chooseEncoding(request, reply);
  if (!(payload instanceof Readable) || reply.statusCode !== 200) return payload;
  const compressed = encoding === null ? null : await readDocsFile(name).compressed(encoding);
  if (encoding === null || compressed === null) return payload;
  payload.destroy();
  // A range is one of the uncompressed file.
  reply.removeHeader('accept-ranges');
  reply.headers({ 'content-encoding': encoding, 'content-length': compressed.length });
  return compressed;
}

const JSON_TYPES = ['application/problem+json', 'application/json'];
const JSON_RANGES = ['application/*', '*/*'];

/**
 * Whether the sender of a request would rather read a page than a problem document. Browsers name `text/html` when a person
 * opens an address. They do not for scripts, styles and pictures, which must not become HTML.
 */
export function prefersPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const weights = acceptedWeights(headers.accept);
  const weightOf = (types: string[]) => Math.max(...types.map((type) => weights.get(type) ?? 0));
  const page = weights.get('text/html') ?? 0;
  return page > weightOf(JSON_TYPES) && page >= weightOf(JSON_RANGES);
}

/**
 * Sends the page of the console that says that there is no such page. It is the console's document: its script reads in
 * the address that there is no page.
 * @param path of the requested address, as the browser resolves relative addresses against it
 */
export function sendUnknownPage(reply: FastifyReply, path: string): FastifyReply {
  const { type, body } = deeperDocument('console/console.html', path.split('/').length - 2);
  return reply.code(404).headers(PAGE_HEADERS).type(type).send(body);
}

const zip = promisify(gzip);
/**
 * The defaults are for texts that are compressed once and sent often. For ten hits of a search, these take 0.1 ms of
 * CPU time, and the result is 3 % longer.
 */
const ANSWER_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };
const QUICK_GZIP = { level: 3 };

/**
 * Compresses a long answer. The length of a compressed answer can tell an observer whether a text of the request is
 * also in a secret of the answer, but only who can send requests as somebody else learns anything by that. Here no
 * browser can: requests carry their token themselves, and no cookie does.
 */
export const compressAnswer: onSendAsyncHookHandler = async (request, reply, payload) => {
  // Streams are the files of sources, which are sent byte for byte and in ranges.
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  if (Buffer.byteLength(payload) <= MIN_COMPRESSED_BYTES) return payload;
  // Pages and the document of the API are compressed once, and kept.
  if (reply.hasHeader('content-encoding')) return payload;
  const encoding = chooseEncoding(request, reply);
  if (encoding === null) return payload;
  reply.header('content-encoding', encoding);
  return encoding === 'br' ? brotli(payload, ANSWER_BROTLI) : zip(payload, QUICK_GZIP);
};
