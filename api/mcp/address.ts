import type { IncomingMessage } from 'node:http';
import type { FastifyPluginAsync } from 'fastify';
import type { Dependencies } from '../../core/dependencies.ts';
import { signedIn } from '../plugins/guards.ts';
import { requestedPath } from '../request/requested-path.ts';

/** The address of the Model Context Protocol. */
export const MCP_ADDRESS = '/v1/mcp';

/** The target of a request for the router. Programs also send the address with a slash at the end; it is the same address. */
export function routedTarget({ url = '/' }: IncomingMessage): string {
  if (requestedPath(url) !== `${MCP_ADDRESS}/`) return url;
  const query = url.indexOf('?');
  return query === -1 ? MCP_ADDRESS : MCP_ADDRESS + url.slice(query);
}

/**
 * Refuses the other methods of the address. A caller without a valid credential gets 401 before 405: programs that begin with
 * GET would otherwise show a status that does not tell what is wrong.
 */
export function otherMcpMethods(deps: Dependencies): FastifyPluginAsync {
  const authenticate = signedIn(deps);
  return async (app) => {
    app.addHook('onRequest', async function (request, reply) {
      if (requestedPath(request.url) === MCP_ADDRESS) await authenticate.call(this, request, reply);
    });
    app.setNotFoundHandler((request, reply) => app.refuseRoute(request, reply));
  };
}
