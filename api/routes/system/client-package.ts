import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';
import { type ClientPackage, readClientPackage } from '../../pages/client-package.ts';
import { requestedBytes } from '../../request/byte-range.ts';
import type { Routes } from '../../types.ts';

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

/** The package of the terminal client, in the version that fits this service. */
export const clientPackageRoutes: Routes = (app) => serveClientPackage(app, readClientPackage());
