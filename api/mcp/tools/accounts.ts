import { Type } from 'typebox';
import { getSession } from '../../../core/accounts/sign-in.ts';
import { listClients } from '../../../core/clients/queries.ts';
import { SessionInfo } from '../../../shared/schemas/accounts.ts';
import { Id, Nullable, OneOf, Time } from '../../../shared/schemas/common.ts';
import { clientsIn } from '../../../shared/scope.ts';
import { countFitting, countJsonTokens, NOTE, type Note } from '../text.ts';
import { callerTool, isPermitted, MAX_ANSWER_TOKENS, READS, type TeamCall } from '../tool.ts';

/** More clients than fit into an answer. */
const MAX_CLIENTS = 1000;

const ReachedClient = Type.Object({
  id: Id,
  name: Type.String(),
  access: OneOf(['read', 'write'], 'write: you can store there, and the credential permits it'),
});

/** The active clients of the Team that the caller can read, as far as they can fit into an answer. */
async function reachedClients({ deps, scope, identity }: TeamCall) {
  const clients = await listClients(deps, scope, { limit: MAX_CLIENTS, after: null }, 'active');
  const canStore = isPermitted(identity, ['memory:write', 'memory:curate']);
  return clients.map(({ id, name, access }) => ({
    id,
    name,
    access: canStore ? access : ('read' as const),
  }));
}

/** Where `remember` can store. */
function writableLayers({ team, scope, identity }: TeamCall): { teamLayer: boolean; clients: number } {
  if (team.state !== 'active' || !isPermitted(identity, 'memory:write'))
    return { teamLayer: false, clients: 0 };
  return { teamLayer: scope.writes.includes(team.id), clients: clientsIn(scope, scope.writes).length };
}

/** Who asks, and what they can reach. */
export const whoami = callerTool({
  name: 'whoami',
  title: 'Who am I',
  description:
    'Returns the person you act for, their Teams, the clients of the Team that you can reach, where you can store, ' +
    'what the credential permits and when it expires, and whether searches compare meanings or only words. Call it to ' +
    'find the ids and names that the arguments `team` and `client` of other tools take.',
  permission: 'any',
  annotations: READS,
  input: {},
  output: {
    person: SessionInfo.properties.user,
    company: SessionInfo.properties.company,
    permissions: Nullable(Type.Array(Type.String()), 'what the agent token permits; null for a person'),
    expiresAt: Nullable(
      Time,
      'when the credential expires: that of a session moves with each use; null: never',
    ),
    teams: SessionInfo.properties.teams,
    team: Nullable(Id, 'the Team that is selected; null if none of several is named'),
    clients: Type.Array(ReachedClient, { description: 'of the selected Team' }),
    canWrite: Type.Object(
      { teamLayer: Type.Boolean(), clients: Type.Integer({ description: 'number of clients' }) },
      { description: 'where `remember` can store in the selected Team' },
    ),
    embedding: Type.Object({
      mode: OneOf(
        ['server', 'client-provided'],
        'server: the service makes vectors; client-provided: only programs that call the API do',
      ),
      model: Type.String(),
      search: OneOf(
        ['server', 'keyword'],
        'server: `search` compares meanings and words; keyword: only words',
      ),
    }),
    ...NOTE,
  },
  run: async ({ deps: { config }, identity, selected }) => {
    const info = getSession(identity);
    const clients = selected === null ? [] : await reachedClients(selected);
    const answer = {
      person: info.user,
      company: info.company,
      permissions: info.permissions ?? null,
      expiresAt: info.expiresAt,
      teams: info.teams,
      team: selected?.team.id ?? null,
      clients,
      canWrite: selected === null ? { teamLayer: false, clients: 0 } : writableLayers(selected),
      embedding: {
        mode: config.serverEmbeddings ? ('server' as const) : ('client-provided' as const),
        model: config.embeddingModel,
        search: config.serverEmbeddings ? ('server' as const) : ('keyword' as const),
      },
    };
    return fitted(answer, selected === null ? 0 : clientsIn(selected.scope, selected.scope.reads).length);
  },
});

/**
 * Leaves out clients, and then Teams, that do not fit.
 * @param clientCount of all clients in reach
 */
function fitted<T extends { clients: object[]; teams: object[] }>(answer: T, clientCount: number): T & Note {
  const frame = { ...answer, teams: [], clients: [], note: 'x'.repeat(300) };
  const room = MAX_ANSWER_TOKENS - countJsonTokens(frame);
  const teams = answer.teams.slice(0, countFitting(answer.teams, room));
  const left = room - countJsonTokens(teams);
  const clients = answer.clients.slice(0, countFitting(answer.clients, Math.max(left, 0)));
  const missing = clientCount - clients.length;
  const missingTeams = answer.teams.length - teams.length;
  if (missing + missingTeams === 0) return answer;
  return {
    ...answer,
    teams,
    clients,
    note:
      `${missingTeams} Teams and ${missing} clients are not listed. Other tools take their names too. ` +
      'GET /v1/auth/session and GET /v1/team/clients list all.',
  };
}
