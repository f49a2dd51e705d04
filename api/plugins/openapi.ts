import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { Type } from 'typebox';
import packageJson from '../../package.json' with { type: 'json' };
import { ERRORS } from '../../shared/errors.ts';
import { Problem } from '../../shared/schemas/common.ts';
import { readIdempotencyKey } from './idempotency.ts';

const codes = Object.entries(ERRORS)
  .map(([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |`)
  .join('\n');

const description = `The teams of a company, and the agents that work for them, store here what they learn and find it again.

Send \`Authorization: Bearer <token>\` with a session token, and \`Memory-Team: <teamId>\` if you have access to
several Teams. Every error is \`application/problem+json\`. Clients should check its \`code\`:

| Code | Status | Meaning |
|---|---|---|
${codes}
`;

const TeamHeader = Type.String({
  description: 'id of the Team; required if you have access to several Teams',
});
const KeyHeader = Type.String({
  description: 'for 24 hours, a request with the same key gets the first answer and is not executed again',
});

/** The response for errors, which every route can return. */
const refusal = {
  description: 'An error; clients should check its `code`',
  content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
};

/** The headers of a route, only for the document. The schema does not check them, and other headers are allowed. */
function headersOf(url: string, answersOnce: boolean) {
  if (!/^\/v1\/(team|memory|workspace)(\/|$)/.test(url)) return null;
  return Type.Object({
    'memory-team': Type.Optional(TeamHeader),
    ...(answersOnce ? { 'idempotency-key': Type.Optional(KeyHeader) } : {}),
  });
}

/** Serves the OpenAPI document, which is made from the schemas of the routes, and the page that shows it. */
export default fp(async function openapi(app: FastifyInstance) {
  app.addSchema(Problem);
  // Defined here once, and not for each route.
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/') || route.schema === undefined) return;
    route.schema.response = { ...(route.schema.response as object), default: refusal };
    route.schema.security ??= [{ bearer: [] }];
    const headers = headersOf(route.url, [route.preValidation ?? []].flat().includes(readIdempotencyKey));
    if (headers !== null) route.schema.headers ??= headers;
  });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Team memory', version: packageJson.version, description },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${index}`,
    },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    // Without require-trusted-types-for: Swagger UI writes HTML as text, and shows nothing under that rule.
    transformStaticCSP: () =>
      "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
      "object-src 'none'; base-uri 'self'; frame-ancestors 'none'",
  });
  app.addHook('onSend', async (request, reply) => {
    if (request.url.startsWith('/docs')) reply.header('referrer-policy', 'no-referrer');
  });
});
