import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../shared/errors.ts';

/*
 * Every response that a test receives from the app is compared with what its route declares, so that the OpenAPI
 * document lists every status and every code that a route can return. A process of tests fails when it ends if a response
 * was not declared. No hook of the tests fails, because those after it would not run, and what they close stays open.
 */

/** What was returned and not declared, with what to do. */
export const undeclared = new Set<string>();

/** The code of a problem document. */
function codeOf(payload: unknown): string | null {
  if (typeof payload !== 'string') return null;
  const { code } = JSON.parse(payload) as { code?: unknown };
  return typeof code === 'string' ? code : null;
}

/** What is missing in the declaration of a route for this response; null if nothing is missing. */
export function findUndeclared(
  {
    method,
    routeOptions,
  }: Pick<FastifyRequest, 'method'> & {
    routeOptions: Pick<FastifyRequest['routeOptions'], 'url' | 'schema' | 'config'>;
  },
  status: number,
  code: string | null,
): string | null {
  const { url, schema, config } = routeOptions;
  // A route without declared errors is not of the product.
  if (url === undefined || schema === undefined || schema.hide === true || config.errors === undefined)
    return null;
  const route = `${method} ${url}`;
  if (code !== null) {
    if (config.errors.has(code as ErrorCode)) return null;
    return `${route} returned ${status} ${code}: add '${code}' to \`errors\` of its schema, or to the guard that refuses`;
  }
  if (Object.keys((schema.response ?? {}) as object).includes(String(status))) return null;
  return `${route} returned ${status}: add it to \`response\` of its schema`;
}

function watch(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.is404) return;
    const isProblem = String(reply.getHeader('content-type')).startsWith('application/problem+json');
    const missing = findUndeclared(request, reply.statusCode, isProblem ? codeOf(payload) : null);
    if (missing !== null) undeclared.add(missing);
  });
}

// Each app in the process, from before its first route: a hook that is added later does not see those of a context.
diagnostics.subscribe('fastify.initialization', (message) => {
  watch((message as { fastify: FastifyInstance }).fastify);
});

process.on('exit', () => {
  if (undeclared.size === 0) return;
  process.exitCode = 1;
  process.stderr.write(`responses that their routes do not declare:\n${[...undeclared].sort().join('\n')}\n`);
});
