import { readTable } from '../../support/tables.ts';
import { AGENT_NAMES, AGENTS, type AgentName, refusalOf } from './agents.ts';

/** The people who ask, in the order of the tables' columns. */
const PEOPLE = [
  'nobody',
  'stranger',
  'neighbour',
  'member',
  'granted',
  'reading',
  'Team Admin',
  'Team Owner',
  'Admin',
  'reader',
  'full Admin',
  'Owner',
  'archived',
] as const;
type PersonName = (typeof PEOPLE)[number];
export type CallerName = PersonName | AgentName;
/** Everyone who asks: people, and agent tokens. */
export const CALLERS: readonly CallerName[] = [...PEOPLE, ...AGENT_NAMES];

/** What the cells of the table stand for. `ok` is the 2xx of the route. */
const OUTCOMES: Record<string, string> = {
  401: '401 unauthenticated',
  team: '403 team_forbidden',
  role: '403 company_role_required',
  full: '403 full_access_required',
  scope: '403 scope_forbidden',
  forbidden: '403 forbidden',
  404: '404 not_found',
  405: '405 method_not_allowed',
  conflict: '409 conflict',
  archived: '409 team_archived',
};

/**
 * Who gets what, by hand. All name the same Team, in which there are clients A and B:
 *
 * - nobody: no token
 * - stranger: an Owner of another Company
 * - neighbour: a member of another Team of the Company
 * - member: a Team Member without a grant; granted, reading: with the grant `write`, `read` on client A
 * - Admin: a Company Admin without a grant; reader, full Admin: with one for the Team
 * - Owner: a Company Owner without a role in the Team
 * - archived: a Company Owner who names an archived Team instead
 *
 * A kind says who may do it, not to what: "Team, Full access, change" is any change that needs Full access, and
 * "client A, own record" any change of something in client A that the caller made, whatever it is. A last part says how it
 * differs: `change` is refused in an archived Team, `by id` and `not there` are 404 where a caller sees nothing. `service token`
 * is for the operator, who has that token and is none of the callers.
 */
const TABLE = readTable(`
  kind of route                          | nobody | stranger | neighbour | member | granted | reading   | Team Admin | Team Owner | Admin    | reader   | full Admin | Owner    | archived
  open                                   | ok     | ok       | ok        | ok     | ok      | ok        | ok         | ok         | ok       | ok       | ok         | ok       | ok
  open, into a Team                      | ok     | ok       | ok        | ok     | ok      | ok        | ok         | ok         | ok       | ok       | ok         | ok       | archived
  no session                             | 401    | 401      | 401       | 401    | 401     | 401       | 401        | 401        | 401      | 401      | 401        | 401      | 401
  no method of any route                 | 405    | 405      | 405       | 405    | 405     | 405       | 405        | 405        | 405      | 405      | 405        | 405      | 405
  signed in                              | 401    | ok       | ok        | ok     | ok      | ok        | ok         | ok         | ok       | ok       | ok         | ok       | ok
  service token                          | 401    | forbidden | forbidden | forbidden | forbidden | forbidden | forbidden  | forbidden  | forbidden | forbidden | forbidden | forbidden | forbidden
  the invited person                     | 401    | forbidden | ok       | ok     | ok      | ok        | ok         | ok         | ok       | ok       | ok         | ok       | ok
  the invited person, into a Team        | 401    | forbidden | ok       | ok     | ok      | ok        | ok         | ok         | ok       | ok       | ok         | ok       | archived
  Company Admins                         | 401    | ok       | role      | role   | role    | role      | role       | role       | ok       | ok       | ok         | ok       | ok
  Company Admins, by id                  | 401    | 404      | role      | role   | role    | role      | role       | role       | ok       | ok       | ok         | ok       | ok
  Company Admins, change of a Team       | 401    | 404      | role      | role   | role    | role      | role       | role       | ok       | ok       | ok         | ok       | archived
  Company Admins, not in this state      | 401    | 404      | role      | role   | role    | role      | role       | role       | conflict | conflict | conflict   | conflict | conflict
  Company Owners                         | 401    | ok       | role      | role   | role    | role      | role       | role       | role     | role     | role       | ok       | ok
  Company Owners, by id                  | 401    | 404      | role      | role   | role    | role      | role       | role       | role     | role     | role       | ok       | ok
  Company Owners, change of a Team       | 401    | 404      | role      | role   | role    | role      | role       | role       | role     | role     | role       | ok       | archived
  Company Owners, not in this state      | 401    | 404      | role      | role   | role    | role      | role       | role       | role     | role     | role       | conflict | conflict
  asks for read access                   | 401    | 404      | role      | role   | role    | role      | role       | role       | ok       | conflict | conflict   | conflict | conflict
  asks for full access                   | 401    | 404      | role      | role   | role    | role      | role       | role       | ok       | ok       | conflict   | conflict | conflict
  Team                                   | 401    | team     | team      | ok     | ok      | ok        | ok         | ok         | team     | ok       | ok         | ok       | ok
  Team, own work                         | 401    | team     | team      | ok     | ok      | ok        | ok         | ok         | team     | ok       | ok         | ok       | archived
  Team, Full access                      | 401    | team     | team      | full   | full    | full      | ok         | ok         | team     | full     | ok         | ok       | ok
  Team, Full access, change              | 401    | team     | team      | full   | full    | full      | ok         | ok         | team     | full     | ok         | ok       | archived
  Team, Full access, not there           | 401    | team     | team      | full   | full    | full      | 404        | 404        | team     | full     | 404        | 404      | 404
  Team, Full access, hidden from others  | 401    | team     | team      | 404    | 404     | 404       | ok         | ok         | team     | 404      | ok         | ok       | ok
  Team, Full access, archived client     | 401    | team     | team      | full   | full    | full      | scope      | scope      | team     | full     | scope      | scope    | scope
  Team Owners, change                    | 401    | team     | team      | full   | full    | full      | forbidden  | ok         | team     | full     | forbidden  | ok       | archived
  Team Owners, removal                   | 401    | team     | team      | full   | full    | full      | forbidden  | ok         | team     | full     | forbidden  | ok       | ok
  Team layer, write                      | 401    | team     | team      | ok     | ok      | ok        | ok         | ok         | team     | scope    | ok         | ok       | archived
  Team layer, own record                 | 401    | team     | team      | ok     | ok      | ok        | ok         | ok         | team     | forbidden | ok         | ok       | archived
  Team layer, someone else's record      | 401    | team     | team      | forbidden | forbidden | forbidden | ok         | ok         | team     | forbidden | ok         | ok       | archived
  client A, read                         | 401    | team     | team      | scope  | ok      | ok        | ok         | ok         | team     | ok       | ok         | ok       | ok
  client A, read by id                   | 401    | team     | team      | 404    | ok      | ok        | ok         | ok         | team     | ok       | ok         | ok       | ok
  client A, own work                     | 401    | team     | team      | 404    | ok      | ok        | ok         | ok         | team     | ok       | ok         | ok       | archived
  client A, write                        | 401    | team     | team      | scope  | ok      | scope     | ok         | ok         | team     | scope    | ok         | ok       | archived
  client A, own record                   | 401    | team     | team      | 404    | ok      | forbidden | ok         | ok         | team     | forbidden | ok         | ok       | archived
  client A, own record, taken out        | 401    | team     | team      | 404    | ok      | forbidden | ok         | ok         | team     | scope    | ok         | ok       | archived
  client A, someone else's record        | 401    | team     | team      | 404    | forbidden | forbidden | ok         | ok         | team     | forbidden | ok         | ok       | archived
  client B, read                         | 401    | team     | team      | scope  | scope   | scope     | ok         | ok         | team     | ok       | ok         | ok       | ok
  client B, read by id                   | 401    | team     | team      | 404    | 404     | 404       | ok         | ok         | team     | ok       | ok         | ok       | ok
  client B, own work                     | 401    | team     | team      | 404    | 404     | 404       | ok         | ok         | team     | ok       | ok         | ok       | archived
  client B, write                        | 401    | team     | team      | scope  | scope   | scope     | ok         | ok         | team     | scope    | ok         | ok       | archived
  client B, write, someone else's record | 401    | team     | team      | scope  | scope   | scope     | ok         | ok         | team     | scope    | ok         | ok       | archived
  client B, someone else's record        | 401    | team     | team      | 404    | 404     | 404       | ok         | ok         | team     | forbidden | ok         | ok       | archived
  archived client                        | 401    | team     | team      | scope  | scope   | scope     | scope      | scope      | team     | scope    | scope      | scope    | scope
  archived client, by id                 | 401    | team     | team      | 404    | 404     | 404       | 404        | 404        | team     | 404      | 404        | 404      | 404
`);

/** The kind of routes that only the service's own token can use. */
export const SERVICE_TOKEN = 'service token';

/** Kinds of routes that do not look at the token of the request. */
const UNGUARDED = ['open', 'open, into a Team', 'no session', 'no method of any route'];

/** What a row answers each caller: status and code. */
export function expectedOf(row: { route: string; kind: string; ok: number }): Record<CallerName, string> {
  const { route, kind, ok } = row;
  const cells = TABLE.find((candidate) => candidate['kind of route'] === kind);
  if (cells === undefined) throw new Error(`there is no kind of route “${kind}”`);
  const ofPerson = (person: PersonName) => {
    const cell = cells[person] ?? '';
    const outcome = cell === 'ok' && ok !== 404 ? String(ok) : OUTCOMES[cell === 'ok' ? ok : cell];
    if (outcome === undefined) throw new Error(`“${kind}” says “${cell}” of ${person}`);
    return outcome;
  };
  const ofAgent = (agent: AgentName) => {
    const refusal = UNGUARDED.includes(kind) ? null : refusalOf(agent, { route, kind });
    return refusal ?? ofPerson(AGENTS[agent].like);
  };
  return Object.fromEntries([
    ...PEOPLE.map((person) => [person, ofPerson(person)]),
    ...AGENT_NAMES.map((agent) => [agent, ofAgent(agent)]),
  ]) as Record<CallerName, string>;
}

/** The kinds that stand in the table. */
export const KINDS = TABLE.map((row) => row['kind of route'] ?? '');
