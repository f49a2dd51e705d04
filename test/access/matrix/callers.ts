import assert from 'node:assert/strict';
import type { App } from '../../../api/types.ts';
import { API_TOKEN } from '../../support/app.ts';
import { callerOf } from '../../support/client/client.ts';
import { AGENTS, type AgentName, type AgentTies } from './agents.ts';
import type { PlaceKey } from './canaries.ts';
import type { Place } from './place.ts';
import type { CallerName } from './table.ts';
import { PASSWORD, type Targets, type Ties } from './targets.ts';

/** Someone who asks. */
export interface Caller {
  name: CallerName;
  /** For nobody, an Owner of the Company that is asked. */
  userId: string;
  headers: Record<string, string>;
  /** The Team that the requests name. */
  at: Place;
  /** Where the caller belongs. */
  home: Place;
}

/** Where callers belong, and with what. All name the Team `t`, except the one in the archived Team. */
const CALLER_TIES: Record<
  Exclude<CallerName, 'nobody' | AgentName>,
  Ties & { home: PlaceKey; clientA?: 'read' | 'write' }
> = {
  stranger: { home: 'v', companyRole: 'owner' },
  neighbour: { home: 'u', teamRole: 'member' },
  member: { home: 't', teamRole: 'member' },
  granted: { home: 't', teamRole: 'member', clientA: 'write' },
  reading: { home: 't', teamRole: 'member', clientA: 'read' },
  'Team Admin': { home: 't', teamRole: 'admin' },
  'Team Owner': { home: 't', teamRole: 'owner' },
  Admin: { home: 't', companyRole: 'admin' },
  reader: { home: 't', companyRole: 'admin', grant: 'read' },
  'full Admin': { home: 't', companyRole: 'admin', grant: 'full' },
  Owner: { home: 't', companyRole: 'owner' },
  archived: { home: 'z', companyRole: 'owner' },
};

const isAgent = (name: CallerName): name is AgentName => name in AGENTS;

/** The operator, who has the service's own token: for rows of the kind `SERVICE_TOKEN`, which no caller can use. */
export const operatorAt = (at: Place): Caller => ({
  name: 'nobody',
  userId: at.ownerId,
  headers: { authorization: `Bearer ${API_TOKEN}` },
  at,
  home: at,
});

/** What makes callers. */
export interface CallerTools {
  app: App;
  targets: Targets;
  /** Whether each caller has taken the email that someone with other rights had before. */
  emails: 'own' | 'taken';
}

/** Makes someone new of this name, signed in, in places of which at least `t` is there. */
export async function newCaller(
  tools: CallerTools,
  name: CallerName,
  places: Pick<Record<PlaceKey, Place>, 't'> & Partial<Record<PlaceKey, Place>>,
): Promise<Caller> {
  const { targets, emails } = tools;
  const of = (key: PlaceKey) => {
    const place = places[key];
    assert.ok(place, `a place ${key} for ${name}`);
    return place;
  };
  const at = of(name === 'archived' ? 'z' : 't');
  const team = { 'memory-team': at.teamId };
  if (name === 'nobody') return { name, userId: at.ownerId, headers: team, at, home: at };
  const agent: AgentTies | null = isAgent(name) ? AGENTS[name] : null;
  const { home: key, clientA, ...ties } = CALLER_TIES[isAgent(name) ? AGENTS[name].owner : name];
  const home = of(key);
  const clients = clientA === undefined ? {} : { [home.clientA]: clientA };
  const { userId } = await targets.account(home, { ...ties, clients });
  const session = await targets.session(home.companyId, userId);
  if (emails === 'taken') await takeEmail(tools, home, session.token, ties);
  const token = agent === null ? session.token : await agentToken(tools, session.token, at, agent);
  return { name, userId, headers: { authorization: `Bearer ${token}`, ...team }, at, home };
}

/**
 * Gives the person with this session the email that someone else had before: an Owner of the Company and, if the person
 * has a role in the Team, of the Team; for a Company Owner, someone without a role in the Company.
 */
async function takeEmail(
  tools: CallerTools,
  home: Place,
  session: string,
  { companyRole, teamRole }: Ties,
): Promise<void> {
  const { userId, email } = await tools.targets.account(home, {
    companyRole: companyRole === 'owner' ? 'member' : 'owner',
    // With a role, the email is planted as that of a member of the Team.
    ...(teamRole === undefined ? {} : { teamRole: 'owner' }),
  });
  const [before, after] = email.split('@');
  const other = await tools.targets.session(home.companyId, userId);
  const changed = { email: `${before}.before@${after}`, password: PASSWORD };
  await callerBy(tools, other.token).api.changeAccount(changed);
  await callerBy(tools, session).api.changeAccount({ email, password: PASSWORD });
}

const callerBy = ({ app }: CallerTools, session: string) =>
  callerOf(app, { authorization: `Bearer ${session}` });

/** A new agent token of the person with this session. */
async function agentToken(
  tools: CallerTools,
  session: string,
  at: Place,
  { permissions, layerOnly, expired }: AgentTies,
): Promise<string> {
  const { targets } = tools;
  const { record, token } = await callerBy(tools, session).api.createToken({
    name: targets.canaries.word('token-name', at.key),
    teamId: at.teamId,
    permissions,
    ...(layerOnly && { clientIds: [] }),
  });
  if (expired) await targets.expire(record.id);
  return targets.canaries.secret(token);
}
