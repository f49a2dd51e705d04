import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Dependencies } from '../core/dependencies.ts';

/** The Fastify app, with schemas of TypeBox as the types of requests and replies. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Registers the routes of one file. */
export type Routes = (app: App, deps: Dependencies) => void;
