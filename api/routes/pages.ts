import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';
import {
  type ClientPackage,
  PAGE_HEADERS,
  readBuiltConsole,
  readClientPackage,
  sendDocument,
  sendFile,
} from '../http/pages.ts';
import { encodedPath, requestedBytes } from '../http/requests.ts';
import type { Routes } from '../types.ts';

/** The addresses of the console, by its router in web/src/app. `:id` names a record. */
export const ADDRESSES = [
  '/',
  '/search',
  '/sources',
  '/sources/:id',
  '/memories',
  '/memories/:id',
  '/files',
  '/imports',
  '/review',
  '/captures',
  '/people',
  '/clients',
  '/tokens',
  '/activity',
  '/audit',
  '/settings',
  '/company',
  '/jobs',
  '/dashboard',
  '/account',
  '/join',
  '/accept',
  '/reset',
];

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

export const pageRoutes: Routes = (app) => {
  // Read at start-up: no request waits for it.
  const built = readBuiltConsole();
  for (const address of ADDRESSES)
    app.get(address, { schema: { hide: true } }, async (request, reply) =>
      sendDocument(reply, encodedPath(request.url)),
    );

  app.get<{ Params: { '*': string } }>('/assets/*', { schema: { hide: true } }, async (request, reply) => {
    const file = built?.assets.get(request.params['*']);
    if (file === undefined) return reply.callNotFound();
    // Its name tells its content.
    reply.headers(PAGE_HEADERS).header('cache-control', 'public, max-age=31536000, immutable');
    return sendFile(request, reply, file);
  });

  serveClientPackage(app, readClientPackage());
};
