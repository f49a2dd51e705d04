import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';
import {
  type ClientPackage,
  chooseEncoding,
  deeperDocument,
  joinStyles,
  madeScripts,
  PAGE_HEADERS,
  type PageFile,
  packageFiles,
  readClientPackage,
  readWebFile,
  webFilesIn,
} from '../http/pages.ts';
import { requestedBytes } from '../http/requests.ts';
import type { App, Routes } from '../types.ts';

/** The files of a page, by their paths in web/. */
interface PageFiles {
  /** Addresses of the page, of one or two segments. */
  addresses: readonly string[];
  /** The address below which the assets are served. */
  folder: string;
  html: string;
  assets: readonly string[];
  /** Assets that are no files of web/, by their paths in the folder. */
  made?: ReadonlyMap<string, PageFile>;
}

/**
 * Serves a page of web/ and its assets. Only the listed files are served. The document refers to its assets, and
 * scripts to the service, by relative addresses, so that the page works behind a proxy that adds a prefix.
 */
function servePage(app: App, { addresses, folder, html, assets, made = new Map() }: PageFiles): void {
  app.register(async (page) => {
    page.addHook('onRequest', async (_request, reply) => {
      reply.headers(PAGE_HEADERS);
    });
    const serve = (url: string, file: PageFile) =>
      page.get(url, { schema: { hide: true } }, async (request, reply) => {
        reply.type(file.type);
        const encoding = chooseEncoding(request, reply);
        const compressed = encoding === null ? null : await file.compressed(encoding);
        if (encoding === null || compressed === null) return reply.send(file.body);
        return reply.header('content-encoding', encoding).send(compressed);
      });
    for (const address of addresses) {
      serve(address, address.lastIndexOf('/') === 0 ? readWebFile(html) : deeperDocument(html, 1));
    }
    for (const asset of assets) serve(`${folder}/${asset}`, readWebFile(asset));
    for (const [name, file] of made) serve(`${folder}/${name}`, file);
  });
}

/**
 * Serves the terminal client as a package of npm at `/cli.tgz`, and its SHA-256 at `/cli.tgz.sha256`, as `sha256sum`
 * prints it. Both are public, like pages, and contain no data.
 * @param file null if it was not built
 */
export function serveClientPackage(app: FastifyInstance, file: ClientPackage | null): void {
  const builtOrRefused = (): ClientPackage => {
    if (file !== null) return file;
    const detail =
      'The terminal client was not built. Ask the operator to run npm run build and to start the service again';
    throw new ServiceError('not_found', detail);
  };
  const describe = (reply: FastifyReply, type: string) =>
    reply.type(type).header('cache-control', 'no-cache');

  app.get('/cli.tgz', { schema: { hide: true } }, async ({ headers, method }, reply) => {
    const { bytes, sha256 } = builtOrRefused();
    const etag = `"${sha256}"`;
    describe(reply, 'application/gzip').header('etag', etag);
    const { kind } = requestedBytes(headers, { etag, bytes: bytes.length, method });
    if (kind === 'unchanged') return reply.code(304).send();
    // A stream is not compressed once more.
    return reply.header('content-length', bytes.length).send(Readable.from(bytes));
  });

  app.get('/cli.tgz.sha256', { schema: { hide: true } }, async (_request, reply) => {
    const { sha256 } = builtOrRefused();
    return describe(reply, 'text/plain; charset=utf-8').send(`${sha256}  cli.tgz\n`);
  });
}

/** The files that every page for a one-time link loads, in addition to its own script. */
const ASSETS = [
  'shared/page.css',
  'shared/ask-service.js',
  'shared/element.js',
  'shared/page-text.js',
  'shared/session.js',
  'links/link-page.js',
  'links/one-time-link.js',
  'links/password-form.js',
  'links/session-view.js',
];

/**
 * Serves a page for one-time links. The token is in the fragment of the address, so the service does not receive it.
 */
function serveLinkPage(app: App, name: string, scripts: readonly string[]): void {
  servePage(app, {
    addresses: [`/${name}`],
    folder: `/${name}`,
    html: `links/${name}.html`,
    assets: [...scripts, ...ASSETS],
  });
}

/** The addresses of the console. Each is a page in the table of web/console/sections.js; `:id` names a record. */
export const ADDRESSES = [
  '/',
  '/search',
  '/sources',
  '/sources/:id',
  '/review',
  '/memories',
  '/memories/:id',
  '/captures',
  '/imports',
  '/files',
  '/people',
  '/clients',
  '/tokens',
  '/audit',
  '/company',
  '/jobs',
  '/dashboard',
  '/account',
];

/** The scripts of the console: those shared with other pages, its own, and those of the dashboard within it. */
const SCRIPTS = [
  'shared/ask-service.js',
  'shared/polling.js',
  'shared/session.js',
  ...webFilesIn('console', '.js'),
  ...webFilesIn('dashboard', '.js'),
];

/** The shared styles come first, because the others override them. */
const STYLES = [
  'shared/page.css',
  'console/console.css',
  'console/masthead.css',
  ...webFilesIn('console/parts', '.css'),
  ...webFilesIn('console/pages', '.css'),
  ...webFilesIn('dashboard', '.css'),
];

/** Assets that are no files of web/. */
const MADE: ReadonlyMap<string, PageFile> = new Map([
  ...packageFiles(),
  ['console/styles.css', joinStyles('console/styles.css', STYLES)],
]);

export const pageRoutes: Routes = (app) => {
  serveClientPackage(app, readClientPackage());

  serveLinkPage(app, 'reset', ['links/reset.js']);

  serveLinkPage(app, 'join', ['links/join.js', 'links/invite-page.js']);

  serveLinkPage(app, 'accept', ['links/accept.js', 'links/invite-page.js']);

  servePage(app, {
    addresses: ADDRESSES,
    folder: '/assets',
    html: 'console/console.html',
    assets: SCRIPTS,
    made: new Map([...MADE, ...madeScripts()]),
  });
};
