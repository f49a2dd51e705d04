import { randomUUID } from 'node:crypto';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import type { Dependencies } from '../core/dependencies.ts';
import { storeUses } from '../core/feedback/commands.ts';
import { DEFAULT_BODY_LIMIT } from '../shared/body-limits.ts';
import { traceExporter } from '../shared/tracing/start-tracing.ts';
import bodyBudget, { withinBodyBudget } from './http/bodies/body-budget.ts';
import { AJV_OPTIONS } from './http/bodies/body-schema.ts';
import largeBodies from './http/bodies/large-bodies.ts';
import unreadBodies from './http/bodies/unread-bodies.ts';
import clientAddress from './http/client-address.ts';
import connections from './http/connections.ts';
import crossOrigin from './http/cross-origin.ts';
import draining from './http/draining.ts';
import errors, { answerHeaders, refuseAddress, refuseConnection } from './http/errors.ts';
import identity, {
  declareTokenErrors,
  inTeam,
  managingCompany,
  signedIn,
  stillSignedIn,
  withinToken,
} from './http/guards.ts';
import input from './http/input.ts';
import guesses, { limitedByAddress } from './http/limits.ts';
import metrics from './http/metrics.ts';
import { declareErrorsWithin } from './http/openapi/declared-errors.ts';
import openapi from './http/openapi/openapi.ts';
import { compressAnswer } from './http/pages.ts';
import queryEmbedder from './http/query-embedder.ts';
import recheckGuards, { addGuard } from './http/recheck-guards.ts';
import { traceRequests } from './http/request-span.ts';
import { MCP_ADDRESS } from './http/requests.ts';
import untrustedProxy from './http/untrusted-proxy.ts';
import { mcpRoute, otherMcpMethods, routedTarget } from './mcp/endpoint.ts';
import { companyRoutes, signedInRoutes, signedOutRoutes, systemRoutes, teamRoutes } from './routes/index.ts';
import type { App, Routes } from './types.ts';

/**
 * Builds the HTTP app. It does not listen; the caller uses `listen` or `inject`.
 * @param options Fastify options, for a process that builds many apps
 */
export async function buildApp(
  deps: Dependencies,
  options: Pick<FastifyServerOptions, 'schemaController'> = {},
): Promise<App> {
  const app: App = Fastify({
    ...options,
    loggerInstance: deps.logger as FastifyBaseLogger,
    // One log line per request (see onResponse below). Fastify would log two, with the whole URL.
    logController: new LogController({ disableRequestLogging: true }),
    // Not a UUIDv7: nothing is sorted by request id, and Node caches random bits for many UUIDs.
    genReqId: () => randomUUID(),
    bodyLimit: DEFAULT_BODY_LIMIT,
    // Fastify's time-outs are off by default, so a silent caller would keep its connection forever.
    // Longer than the largest ingest on a slow machine: its caller receives nothing until everything is stored.
    connectionTimeout: 300_000,
    requestTimeout: 120_000,
    // The largest ingest takes about a minute. A handler that takes five is not expected to end.
    handlerTimeout: 300_000,
    // A request without a Host is refused by a hook: Node's own refusal has no body.
    http: { requireHostHeader: false },
    trustProxy: deps.config.trustedProxies.length > 0 ? [...deps.config.trustedProxies] : false,
    ajv: { customOptions: AJV_OPTIONS },
    // Longer than any address can be, so that an id of any length is looked up and is 404 like every unknown id.
    routerOptions: { maxParamLength: 65_536 },
    rewriteUrl: routedTarget,
    frameworkErrors: refuseAddress,
    clientErrorHandler: refuseConnection,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
  }).withTypeProvider<TypeBoxTypeProvider>();

  if (traceExporter(deps.config) !== 'none') traceRequests(app);
  await app.register(clientAddress, { trustedProxies: deps.config.trustedProxies });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(answerHeaders(request.url, request.id));
  });
  await app.register(draining);
  app.addHook('onClose', async () => {
    await storeUses(deps.database).catch((error: unknown) =>
      deps.logger.warn({ err: error }, 'the last uses of sources could not be stored'),
    );
  });
  app.addHook('onSend', compressAnswer);
  // No redaction: the fields below contain no secret, and searching them took longer than writing the line.
  const answered = deps.logger.child({}, { redact: [] });
  app.addHook('onResponse', async (request, reply) => {
    // A signal can change the level of a logger, but not that of its children.
    if (answered.levelVal !== deps.logger.levelVal) answered.level = deps.logger.level;
    // Only the path of the route, because a query string can contain what a person searched for.
    answered.info(
      {
        reqId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    );
  });
  await app.register(metrics);
  await app.register(guesses, deps);
  await app.register(errors);
  await app.register(connections, { maxConnections: deps.config.maxConnections });
  await app.register(unreadBodies);
  const { bodyMegabytes, embeddingModel, rateLimits } = deps.config;
  await app.register(largeBodies, { embeddingModel });
  await app.register(input);
  await app.register(bodyBudget, { bodyMegabytes, rateLimits });
  await app.register(recheckGuards);
  await app.register(identity);
  await app.register(queryEmbedder, deps);
  await app.register(openapi);
  await app.register(untrustedProxy, { trustedProxies: deps.config.trustedProxies });
  await app.register(crossOrigin, { allowedOrigins: deps.config.allowedOrigins });
  await app.register(routes(deps));
  return app;
}

/** Registers the routes in nested contexts. Each context is named for the callers that its guards admit. */
function routes(deps: Dependencies): FastifyPluginAsync {
  return async (root) => {
    const within = (app: FastifyInstance, files: readonly Routes[]) => {
      for (const file of files) file(app as App, deps);
    };
    within(root, systemRoutes);
    await root.register(otherMcpMethods(deps), { prefix: MCP_ADDRESS });
    // Each of these routes checks its own secret, and ignores a session token.
    await root.register(async (stranger) => {
      const limit = limitedByAddress(deps);
      declareErrorsWithin(stranger, limit.errors);
      if (deps.config.rateLimits) stranger.addHook('onRequest', limit);
      within(stranger, signedOutRoutes);
    });
    await root.register(async (caller) => {
      addGuard(caller, signedIn(deps), stillSignedIn(deps));
      addGuard(caller, withinToken);
      caller.addHook('onRoute', declareTokenErrors);
      caller.addHook('onRequest', withinBodyBudget);
      within(caller, [...signedInRoutes, mcpRoute]);
      await caller.register(async (company) => {
        addGuard(company, managingCompany);
        within(company, companyRoutes);
      });
      await caller.register(async (team) => {
        addGuard(team, inTeam);
        within(team, teamRoutes);
      });
    });
  };
}
