import { globSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, type PageFile, pageFile } from '../pages.ts';

/** How the page of the API looks: as one of this service, without the bar and the logo of Swagger UI. */
export const DOCS_LOOK = {
  uiConfig: { layout: 'BaseLayout' },
  theme: {
    title: 'Team memory · API',
    // Empty: without an icon, browsers request /favicon.ico.
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
