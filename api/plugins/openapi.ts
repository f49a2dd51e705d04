import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import packageJson from '../../package.json' with { type: 'json' };
import { ERRORS } from '../../shared/errors.ts';
import { Problem } from '../../shared/schemas/common.ts';

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

/** The OpenAPI document, made from the routes' own schemas, and the page that browses it. */
export default fp(async function openapi(app: FastifyInstance) {
  app.addSchema(Problem);
  // What every route may answer besides its own: stated once, here, and not at each route.
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/') || route.schema === undefined) return;
    route.schema.response = { ...(route.schema.response as object), default: { $ref: 'Problem#' } };
    route.schema.security ??= [{ bearer: [] }];
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
    transformStaticCSP: () =>
      "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
      "object-src 'none'; base-uri 'self'; frame-ancestors 'none'",
  });
  app.addHook('onSend', async (request, reply) => {
    if (request.url.startsWith('/docs')) reply.header('referrer-policy', 'no-referrer');
  });
});
