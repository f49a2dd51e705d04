import { PERMISSION_NAMES, type Permission } from '../../shared/permissions.ts';
import type { IssuedToken } from '../../shared/schemas/tokens.ts';
import type { TestApp } from './app.ts';
import { callerOf, type TeamCaller } from './client/client.ts';
import type { TestCompany } from './needs/database.ts';
import { type Caller } from './team.ts';

/** A program with an agent token, which names its Team. */
export interface Agent extends TeamCaller {
  token: string;
  record: IssuedToken['record'];
}

/** The caller with this agent token. */
export function agentOf({ app }: Pick<TestApp, 'app'>, { token, record }: IssuedToken): Agent {
  const headers = { authorization: `Bearer ${token}`, 'memory-team': record.teamId };
  return { ...callerOf(app, headers), token, record };
}

/** Creates an agent token through the API, with every permission unless others are given. */
export async function createAgent(
  service: Pick<TestApp, 'app'>,
  owner: Caller,
  { teamId }: Pick<TestCompany, 'teamId'>,
  given: { permissions?: readonly Permission[]; clientIds?: readonly string[]; name?: string } = {},
): Promise<Agent> {
  const draft = { name: 'An agent', permissions: PERMISSION_NAMES, teamId, ...given };
  return agentOf(service, await owner.api.createToken(draft));
}

/** Moves the end of an agent token into the past. */
export async function expire({ database }: Pick<TestApp, 'database'>, { record }: Agent): Promise<void> {
  await database.query(
    `update identity.agent_token set expires_at = now() - interval '1 second' where id = $1`,
    [record.id],
  );
}
