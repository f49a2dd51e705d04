import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import type { Dependencies } from '../core/dependencies.ts';
import { storeUses } from '../core/feedback/count-uses.ts';
import { DEFAULT_BODY_LIMIT } from '../shared/body-limits.ts';
import { traceExporter } from '../shared/tracing/start-tracing.ts';
import bodyBudget, { withinBodyBudget } from './bodies/body-budget.ts';
import { AJV_OPTIONS } from './bodies/body-schema.ts';
import largeBodies from './bodies/large-bodies.ts';
import unreadBodies from './bodies/unread-bodies.ts';
import { refuseConnection } from './client-errors.ts';
import draining from './draining.ts';
import { MCP_ADDRESS, otherMcpMethods, routedTarget } from './mcp/address.ts';
import { mcpRoute } from './mcp/endpoint.ts';
import { declareErrorsWithin } from './openapi/declared-errors.ts';
import clientAddress from './plugins/client-address.ts';
import connections from './plugins/connections.ts';
import errors, { answerHeaders, refuseAddress } from './plugins/errors.ts';
import {
  declareTokenErrors,
  inTeam,
  managingCompany,
  signedIn,
  stillSignedIn,
  withinToken,
} from './plugins/guards.ts';
import guesses from './plugins/guesses.ts';
import identity from './plugins/identity.ts';
import input from './plugins/input.ts';
import metrics from './plugins/metrics.ts';
import openapi from './plugins/openapi.ts';
import queryEmbedder from './plugins/query-embedder.ts';
import { limitedByAddress } from './plugins/rate-limit.ts';
import recheckGuards, { addGuard } from './plugins/recheck-guards.ts';
import untrustedProxy from './plugins/untrusted-proxy.ts';
import { compressAnswer } from './request/compress-answer.ts';
import { traceRequests } from './request/request-span.ts';
import { sessionRoutes, signInRoutes } from './routes/auth/index.ts';
import { acceptRoute } from './routes/company/accept.ts';
import { companyRoutes } from './routes/company/index.ts';
import { memoryRoutes } from './routes/memory/index.ts';
import { systemRoutes } from './routes/system/index.ts';
import { teamRoutes } from './routes/team/index.ts';
import { workspaceRoutes } from './routes/workspace/index.ts';
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
  await app.register(cors, {
    // If no origin is allowed, OPTIONS is refused like any other method that a route does not support.
    origin: deps.config.allowedOrigins.length > 0 ? [...deps.config.allowedOrigins] : false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    strictPreflight: false,
    exposedHeaders: [
      'x-request-id',
      'retry-after',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'content-disposition',
      'content-range',
      'etag',
    ],
    maxAge: 600,
  });
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
      within(stranger, [...signInRoutes, acceptRoute]);
    });
    await root.register(async (caller) => {
      addGuard(caller, signedIn(deps), stillSignedIn(deps));
      addGuard(caller, withinToken);
      caller.addHook('onRoute', declareTokenErrors);
      caller.addHook('onRequest', withinBodyBudget);
      within(caller, [...sessionRoutes, mcpRoute]);
      await caller.register(async (company) => {
        addGuard(company, managingCompany);
        within(company, companyRoutes);
      });
      await caller.register(async (team) => {
        addGuard(team, inTeam);
        within(team, [...teamRoutes, ...memoryRoutes, ...workspaceRoutes]);
      });
    });
  };
}
