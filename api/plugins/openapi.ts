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

const description = `Where a company's teams, and the agents that work for them, keep what they learn and find it again.

Send \`Authorization: Bearer <token>\` with a session token, and \`Memory-Team: <teamId>\` when several Teams are
open to you. Every refusal is \`application/problem+json\`; switch on its \`code\`:

| Code | Status | Meaning |
|---|---|---|
${codes}
`;

const TeamHeader = Type.String({ description: 'the Team that is meant, where several are open to you' });
const KeyHeader = Type.String({
  description: 'for 24 hours the same key replays the first answer instead of doing it again',
});

/** What every route may answer besides its own. */
const refusal = {
  description: 'A refusal: switch on its `code`',
  content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
};

/** The headers that a route reads, for the document: they are checked by hand, and every other is let through. */
function headersOf(url: string, answersOnce: boolean) {
  if (!/^\/v1\/(team|memory|workspace)(\/|$)/.test(url)) return null;
  return Type.Object({
    'memory-team': Type.Optional(TeamHeader),
    ...(answersOnce ? { 'idempotency-key': Type.Optional(KeyHeader) } : {}),
  });
}

/** The OpenAPI document, made from the routes' own schemas, and the page that browses it. */
export default fp(async function openapi(app: FastifyInstance) {
  app.addSchema(Problem);
  // Stated once, here, and not at each route.
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
