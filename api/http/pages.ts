import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify';
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
 * A page loads only scripts, styles, pictures and fonts of this service, starts only its own worker, and sends requests only
 * to this service. Text cannot become HTML or code: a browser that supports trusted types refuses innerHTML and similar
 * calls; their one policy makes the address of the worker.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types console-worker',
].join('; ');

/** Headers of every page and its assets. */
export const PAGE_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
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
 * @param kept what was compressed when the page was built
 */
export function pageFile(
  path: string,
  text: string | Buffer,
  kept: readonly (readonly [Encoding, Buffer])[] = [],
): PageFile {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  const made = new Map<Encoding, Promise<Buffer>>(
    kept.map(([encoding, bytes]) => [encoding, Promise.resolve(bytes)]),
  );
  return {
    type: TYPES[extname(path)] ?? 'text/plain; charset=utf-8',
    body,
    compressed(encoding) {
      // A font is compressed already.
      if (body.length <= MIN_COMPRESSED_BYTES || path.endsWith('.woff2')) return null;
      const compressed = made.get(encoding) ?? COMPRESS[encoding](body);
      made.set(encoding, compressed);
      return compressed;
    },
  };
}

const DIST = new URL('../../web/dist/', import.meta.url);

/** The console as `npm run build` made it. */
export interface BuiltConsole {
  /** The document for an address that is so many folders deep. */
  document(depth: number): string;
  /** The assets, by their paths in the folder of assets. Their names change with their contents. */
  assets: ReadonlyMap<string, PageFile>;
}

let builtConsole: BuiltConsole | null | undefined;

/**
 * Reads the console once for the process, so that its files are kept and compressed only once.
 * @returns null if it was not built
 */
export function readBuiltConsole(): BuiltConsole | null {
  if (builtConsole === undefined) builtConsole = openBuiltConsole();
  return builtConsole;
}

function openBuiltConsole(): BuiltConsole | null {
  const found = globSync('assets/**/*.*', { cwd: fileURLToPath(DIST) }).map((path) =>
    path.replaceAll('\\', '/'),
  );
  const names = found.filter((name) => !name.endsWith('.br'));
  if (names.length === 0) return null;
  const html = read(new URL('index.html', DIST));
  return {
    // Not kept: addresses without a page can be of any depth.
    document: (depth) => html.replaceAll('"./assets/', `"${'../'.repeat(depth)}assets/`),
    assets: new Map(
      names.map((name) => {
        const bytes = (path: string) => readFileSync(new URL(path, DIST));
        const kept = found.includes(`${name}.br`) ? ([['br', bytes(`${name}.br`)]] as const) : [];
        return [name.slice('assets/'.length), pageFile(name, bytes(name), kept)];
      }),
    ),
  };
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

/** Sends a file of a page, compressed as the browser accepts it. */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: PageFile) {
  reply.type(file.type);
  const encoding = chooseEncoding(request, reply);
  const compressed = encoding === null ? null : await file.compressed(encoding);
  if (encoding === null || compressed === null) return reply.send(file.body);
  return reply.header('content-encoding', encoding).send(compressed);
}

/**
 * Sends the document of the console, which shows what the address names, or that there is no such page. It refers to its
 * assets by relative addresses, so that it works behind a proxy that adds a prefix. It is too short to compress.
 * @param path of the requested address, as the browser resolves relative addresses against it
 * @param built null if it was not built: then a line says what to do
 */
export function sendDocument(
  reply: FastifyReply,
  path: string,
  built: BuiltConsole | null = readBuiltConsole(),
): FastifyReply {
  if (built === null)
    return reply
      .code(503)
      .type('text/plain; charset=utf-8')
      .send('The console was not built. Run npm run build, and start the service again.\n');
  const document = built.document(path.split('/').length - 2);
  return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(document);
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
 * also in a secret of the answer, but only who can send requests as somebody else learns anything by that. A page of
 * another site cannot: browsers do not send the cookie of the console for it (SameSite=Strict), and the cookie counts only
 * with a header that no preflight allows. All other requests carry their token themselves.
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
