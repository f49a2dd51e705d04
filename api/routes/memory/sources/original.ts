import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import { Type } from 'typebox';
import { parseId } from '../../../../core/access/parse-id.ts';
import { findOriginal, readOriginal } from '../../../../core/sources/read-original.ts';
import { ServiceError } from '../../../../shared/errors.ts';
import { safeFileName } from '../../../../shared/formats/file-name.ts';
import { errorCodes } from '../../../openapi/declared-errors.ts';
import { requestedBytes } from '../../../request/byte-range.ts';
import { IdParams } from '../../../request/path-params.ts';
import type { Routes } from '../../../types.ts';

/** If a browser shows the file nevertheless, nothing in it is run or loaded. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; sandbox";

/** For the largest file at 7 kB/s. A caller that receives nothing is disconnected earlier, as on every route. */
const MAX_DOWNLOAD_MS = 3_600_000;

const file = (description: string) => ({
  description,
  content: { '*/*': { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) } },
});

/** GET /v1/memory/sources/:id/original: the file that the source was made of. */
export const originalRoute: Routes = (app, deps) => {
  app.get(
    '/v1/memory/sources/:id/original',
    {
      config: { permission: 'memory:read' },
      handlerTimeout: MAX_DOWNLOAD_MS,
      schema: {
        operationId: 'getOriginal',
        summary: 'The file that a source was made of',
        description:
          'Returns the bytes in the media type of `original` of the source, always as an attachment. The ETag is their ' +
          'SHA-256. Supports `If-None-Match`, and one `Range` of bytes with `If-Range`. 404 if the source has no original.',
        tags: ['memory'],
        params: IdParams,
        response: {
          200: file('The whole file'),
          206: file('The bytes of the requested range; see `Content-Range`'),
          304: Type.Unsafe<undefined>({ type: 'null', description: 'The caller has the file already' }),
        },
        errors: errorCodes('range_not_satisfiable'),
      },
    },
    async ({ params, headers, method, teamScope }, reply) => {
      const id = parseId(params.id);
      const { sha256, bytes, mediaType, filename } = await findOriginal(deps, teamScope, id);
      const etag = `"${sha256}"`;
      const asked = requestedBytes(headers, { etag, bytes, method });
      if (asked.kind === 'unsatisfiable') {
        reply.header('content-range', `bytes */${bytes}`);
        throw new ServiceError('range_not_satisfiable');
      }
      if (asked.kind === 'unchanged') return reply.code(304).header('etag', etag).send(undefined);
      const { start, end } = asked;
      // Before the headers are set: if the file was deleted since, the answer is an error.
      const slices = method === 'HEAD' ? [] : await readOriginal(deps, teamScope, id, sha256, { start, end });
      if (asked.kind === 'part') reply.code(206).header('content-range', `bytes ${start}-${end}/${bytes}`);
      reply.headers({
        etag,
        'accept-ranges': 'bytes',
        'content-type': mediaType,
        'content-length': end + 1 - start,
        'content-disposition': contentDisposition(safeFileName(filename)),
        'content-security-policy': CONTENT_SECURITY_POLICY,
      });
      // One slice is in memory at a time, however slow the caller is.
      return reply.send(Readable.from(slices, { objectMode: false, highWaterMark: 1 }));
    },
  );
};
