import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { requestedPath } from '../requests.ts';
import { declareOwnErrors } from './declared-errors.ts';
import { compressDocsFile, DOCS_LOOK } from './docs-page.ts';
import { OPENAPI_BASE, OpenApiDocument } from './document.ts';

const HEADERS = {
  // Without require-trusted-types-for: Swagger UI writes HTML as text, and shows nothing under that rule.
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "object-src 'none'; base-uri 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** Makes the OpenAPI document from the schemas of the routes, and serves the page that shows it. */
export default fp(async function openapi(app: FastifyInstance) {
  const document = new OpenApiDocument();
  app.addHook('onRoute', declareOwnErrors);
  await app.register(swagger, {
    openapi: OPENAPI_BASE,
    transform: document.schemaOf,
    transformObject: (made) => document.complete('openapiObject' in made ? made.openapiObject : {}),
  });
  await app.register(swaggerUi, { routePrefix: '/docs', ...DOCS_LOOK });
  app.addHook('onSend', async (request, reply, payload) => {
    // The page for an unknown address has a stricter policy of its own.
    const isOfDocs = `${requestedPath(request.url)}/`.startsWith('/docs/');
    if (isOfDocs && !reply.hasHeader('content-security-policy')) reply.headers(HEADERS);
    return request.routeOptions.url === '/docs/static/*'
      ? compressDocsFile(request, reply, payload)
      : payload;
  });
});
