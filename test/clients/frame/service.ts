import { after } from 'node:test';
import type { Permission } from '../../../shared/permissions.ts';
import { type Agent, createAgent } from '../../support/agent-tokens.ts';
import { openTestApp, type SignedIn, type TestApp } from '../../support/app.ts';

/** A service that listens, with one Company. */
export interface ListeningService {
  service: TestApp;
  url: string;
  /** The address for MCP. */
  mcp: string;
  owner: SignedIn;
  /** A token that the service accepts. */
  newToken: () => Promise<string>;
  /** A token that was revoked. */
  revokedToken: () => Promise<string>;
}

/** What a program of a person needs: it can read and store. */
const PERMISSIONS: readonly Permission[] = ['memory:read', 'memory:write'];

/** The tools that a program with these permissions sees. */
export const TOOLS = [
  'expand',
  'fetch',
  'forget',
  'import_status',
  'remember',
  'search',
  'stage_session',
  'whoami',
];

/** Starts the service in this process, on a loopback address. Call it at file level. */
export async function listen(): Promise<ListeningService> {
  const service = await openTestApp();
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  after(() => service.app.server.closeAllConnections());
  const owner = await service.company();
  const newAgent = (): Promise<Agent> => createAgent(service, owner, owner, { permissions: PERMISSIONS });
  return {
    service,
    url,
    mcp: `${url}/v1/mcp`,
    owner,
    newToken: async () => (await newAgent()).token,
    revokedToken: async () => {
      const { token, record } = await newAgent();
      await owner.ask.revokeToken(record.id);
      return token;
    },
  };
}
