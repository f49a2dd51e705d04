import { Type } from 'typebox';
import type { Routes } from '../../types.ts';

/** GET /v1/openapi.json: the document of this API, made from the schemas of the routes. */
export const openApiRoute: Routes = (app) => {
  let text: string | null = null;
  app.get(
    '/v1/openapi.json',
    {
      schema: {
        operationId: 'getOpenApi',
        summary: 'This document',
        tags: ['system'],
        response: { 200: Type.Unsafe<string>({ type: 'object', additionalProperties: true }) },
      },
    },
    async (_request, reply) => {
      text ??= JSON.stringify(app.swagger());
      return reply.type('application/json; charset=utf-8').send(text);
    },
  );
};
