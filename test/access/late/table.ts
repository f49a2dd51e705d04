import type { AccessChange } from '../../support/access-changes.ts';
import type { Ties } from '../../support/team.ts';
import type { RequestName } from './requests.ts';

/*
 * Requests whose caller loses access while they run. A row reads: a sender, a request, where it waits, its answer if
 * nothing changes while it waits, and its answer if one of these things changes instead. A status of success means that
 * the request did what was asked. With every other answer it has changed nothing.
 *
 * The guards let every request of the table in. What refuses it is the recheck of the guards (a late body), or the
 * recheck of the command in its own transaction.
 */

/** What ties the sender to the Company. `client` is the grant on the client of the scene. */
export const SENDERS = {
  'a Company Owner': { companyRole: 'owner' },
  'a Company Admin': { companyRole: 'admin' },
  'a Company Admin with a full grant': { companyRole: 'admin', companyGrant: 'full' },
  'a Team Admin': { teamRole: 'admin' },
  'a member with a grant': { teamRole: 'member', client: 'write' },
} as const satisfies Record<string, Omit<Ties, 'clients'> & { client?: 'write' }>;

/** Where a request waits. The numbers are transactions: the first one resolves the caller. */
export const WAITS = {
  body: 'before its body arrived',
  2: 'before its second transaction',
  3: 'before its third transaction',
} as const;

/** The answers of one request, by what changed while it waited. */
type Answers = Partial<Record<AccessChange, string>>;

export type Row = readonly [
  sender: keyof typeof SENDERS,
  request: RequestName,
  waits: keyof typeof WAITS,
  unchanged: string | null,
  changed: Answers,
];

const OWNER = 'a Company Owner';
const ADMIN = 'a Company Admin';
const GRANTEE = 'a Company Admin with a full grant';
const TEAM_ADMIN = 'a Team Admin';
const MEMBER = 'a member with a grant';

const SIGNED_OUT = { 'the session was ended': '401 unauthenticated' };
const CLOSED = { 'the account was closed': '401 unauthenticated' };
const GONE = { 'the member was removed from the Team': '403 team_forbidden', ...CLOSED };
const TEAM = { 'the Team was archived': '409 team_archived', ...GONE };

const OWNER_TO_ADMIN = { 'the Company role was lowered to admin': '403 company_role_required' };
const TO_MEMBER = { 'the Company role was lowered to member': '403 company_role_required' };
const lowered = (answer: string) => ({ 'the role was lowered': answer });
const LOWERED = lowered('403 full_access_required');
/** Here the caller gets the role that the request requires. */
const RAISED = { 'the role was raised': '404 not_found' };

/** A write to the client, or to it and to the Team layer. */
const WRITE = {
  ...TEAM,
  'the client was archived': '403 scope_forbidden',
  'the grant was deleted': '403 scope_forbidden',
  'the grant was lowered': '403 scope_forbidden',
};
/** A change of something that the request names by its id: if the caller cannot read it, it does not exist. */
const WRITE_BY_ID = {
  ...TEAM,
  'the client was archived': '404 not_found',
  'the grant was deleted': '404 not_found',
  'the grant was lowered': '403 forbidden',
};
const IMPORT = { ...WRITE_BY_ID, 'the import was deleted': '404 not_found' };
const QUEUED_IMPORT = { ...WRITE_BY_ID, 'the import was cancelled and deleted': '404 not_found' };
const DECISION = { ...TEAM, 'the client was archived': '404 not_found', ...LOWERED };
/** The request names the client, which is refused before anything is looked up. */
const CLIENT_NAMED = { ...DECISION, 'the client was archived': '403 scope_forbidden' };
/** The only source was that of the client. */
const NONE_LEFT = { 'the client was archived': '200 {"count":0}' };
const TWO_DECISIONS = Object.fromEntries(
  Object.entries(DECISION).map(([change, answer]) => [change, `${answer}, ${answer}`]),
);
const ADMIN_WRITE = lowered('403 scope_forbidden');
const ADMIN_COMPLETE = { 'the client was archived': '403 scope_forbidden', ...ADMIN_WRITE };

/** What the caller cannot reach any longer is left out, and nothing is left. */
const NO_BATCH = '200 {"batch":null}';
const NO_IMPORTS = '202 {"imports":[]}';
const leftOut = (answer: string) => ({
  'the client was archived': answer,
  'the grant was deleted': answer,
  'the grant was lowered': answer,
});
/** A batch is the caller's own: it is released whatever became of the layer of its captures. */
const RELEASE = { ...TEAM, ...leftOut('200') };

/** What only readers of a client can do: for others it does not exist. */
const READ_BY_ID = {
  ...TEAM,
  'the client was archived': '404 not_found',
  'the grant was deleted': '404 not_found',
};

/** The loss of access has revoked the token. */
const ROTATION = { 'the member was removed from the Team': '409 conflict', ...CLOSED };

export const TABLE: readonly Row[] = [
  // The Company
  [OWNER, 'a change of the own Company role', 'body', null, TO_MEMBER],
  [OWNER, 'a change of an unknown Company member', 'body', '404 not_found', OWNER_TO_ADMIN],
  [OWNER, 'a reset link for another Owner', 'body', '201', CLOSED],
  [OWNER, 'an erasure of another Owner', 2, '200', { ...OWNER_TO_ADMIN, ...CLOSED }],
  [OWNER, 'an invitation', 2, '201', OWNER_TO_ADMIN],
  [ADMIN, 'an access request', 2, '201', TO_MEMBER],
  [ADMIN, 'a new Team', 2, '201', CLOSED],
  [ADMIN, 'a new Team with an owner', 2, '201', TO_MEMBER],
  [GRANTEE, 'an invite', 2, '201', { 'the Company role was lowered to member': '403 team_forbidden' }],

  [OWNER, 'a change of the name of the Company', 2, '200', { ...OWNER_TO_ADMIN, ...CLOSED }],

  // Roles in the Team
  [TEAM_ADMIN, 'a change of the own Team role', 'body', null, LOWERED],
  [TEAM_ADMIN, 'a change of an unknown member', 'body', '404 not_found', LOWERED],
  [TEAM_ADMIN, 'making an unknown member Owner', 'body', '404 not_found', RAISED],

  [TEAM_ADMIN, 'a change of the settings of the Team', 2, '200', { ...TEAM, ...LOWERED }],
  [TEAM_ADMIN, 'a change of the name of the Team', 2, '200', { ...TEAM, ...LOWERED }],

  // Agent tokens
  [MEMBER, 'an agent token for the client', 2, '201', READ_BY_ID],
  [MEMBER, 'rotating an own agent token', 2, '201', ROTATION],
  [TEAM_ADMIN, 'revoking an agent token of another person', 2, '204', { ...GONE, ...LOWERED }],
  [OWNER, 'revoking an agent token of the Company', 2, '204', { ...OWNER_TO_ADMIN, ...CLOSED }],

  // The session
  [MEMBER, 'a search', 'body', '200', SIGNED_OUT],
  [MEMBER, 'a change of the password', 'body', '204', SIGNED_OUT],
  [MEMBER, 'a change of the own name', 2, '200', CLOSED],

  // Sources and imports
  [MEMBER, 'an ingest into the Team layer', 'body', '201', TEAM],
  [MEMBER, 'an ingest into the client', 'body', '201', WRITE],
  [MEMBER, 'an ingest into the client', 2, '201', WRITE],
  [MEMBER, 'changing an own source of the client', 'body', '200', WRITE_BY_ID],
  [MEMBER, 'changing an own source of the client', 2, '200', WRITE_BY_ID],
  [TEAM_ADMIN, 'changing an own source of the client', 2, '200', lowered('404 not_found')],
  [TEAM_ADMIN, 'changing a source of another person', 2, '200', lowered('403 forbidden')],
  [MEMBER, 'moving an own source out of the client', 2, '200', WRITE_BY_ID],
  [MEMBER, 'moving an own source into the client', 2, '200', WRITE],
  [TEAM_ADMIN, 'moving a source of another person', 2, '200', lowered('403 scope_forbidden')],
  [MEMBER, 'feedback on a hit of the client', 2, '201', READ_BY_ID],
  [MEMBER, 'archiving an own source of the client', 2, '204', WRITE_BY_ID],
  [TEAM_ADMIN, 'archiving an own source of the client', 2, '204', lowered('404 not_found')],
  [TEAM_ADMIN, 'archiving a source of another person', 2, '204', lowered('403 forbidden')],
  [MEMBER, 'restoring an own source of the client', 2, '200', WRITE_BY_ID],
  [TEAM_ADMIN, 'restoring an own source of the client', 2, '200', lowered('404 not_found')],
  [TEAM_ADMIN, 'restoring a source of another person', 2, '200', lowered('403 forbidden')],
  [TEAM_ADMIN, 'archiving the sources of the client', 2, '200', CLIENT_NAMED],
  [TEAM_ADMIN, 'archiving the sources of all layers', 2, '200', { ...TEAM, ...LOWERED, ...NONE_LEFT }],
  [TEAM_ADMIN, 'purging a source of the client', 2, '204', DECISION],
  [TEAM_ADMIN, 'purging a memory of the client', 2, '204', DECISION],
  [MEMBER, 'an import into the client', 2, '202', WRITE],
  [MEMBER, 'a retry of an import', 2, '202', IMPORT],
  [MEMBER, 'a retry of several imports', 2, '202', IMPORT],
  [MEMBER, 'a retry of all imports', 2, '202', { ...TEAM, ...leftOut(NO_IMPORTS) }],
  [MEMBER, 'a removal of an import', 2, '204', IMPORT],
  [MEMBER, 'a cancel of an import', 2, '204', QUEUED_IMPORT],
  [TEAM_ADMIN, 'a retry of an import', 2, '202', lowered('403 forbidden')],
  [TEAM_ADMIN, 'a retry of several imports', 2, '202', lowered('403 forbidden')],
  [TEAM_ADMIN, 'a retry of all imports', 2, '202', lowered(NO_IMPORTS)],
  [TEAM_ADMIN, 'a removal of an import', 2, '204', lowered('403 forbidden')],
  [TEAM_ADMIN, 'a cancel of an import', 2, '204', lowered('403 forbidden')],

  // Workspace files
  [MEMBER, 'a push to both layers', 'body', '200', WRITE],
  [MEMBER, 'a push to both layers', 2, '200', WRITE],
  [MEMBER, 'a push that deletes a file of the client', 2, '200', WRITE],
  [TEAM_ADMIN, 'a push to both layers', 2, '200', { ...ADMIN_WRITE, ...GONE }],

  // Captures and claims
  [MEMBER, 'a capture for the client', 'body', '201', WRITE],
  [MEMBER, 'a capture for the client', 2, '201', WRITE],
  [TEAM_ADMIN, 'a capture for the client', 2, '201', ADMIN_WRITE],
  [MEMBER, 'a claim for the client', 'body', '200', WRITE],
  [MEMBER, 'a claim for the client', 2, '200', WRITE],
  [MEMBER, 'a claim of captures of the client', 2, '200', leftOut(NO_BATCH)],
  [MEMBER, 'a claim of captures of both layers', 2, '200', TEAM],
  [TEAM_ADMIN, 'a claim of captures of another person', 2, '200', lowered(NO_BATCH)],

  // Consolidation
  [MEMBER, 'a complete', 'body', '200', WRITE],
  [MEMBER, 'a complete', 2, '200', WRITE],
  [TEAM_ADMIN, 'a complete for the client', 2, '200', ADMIN_COMPLETE],
  [TEAM_ADMIN, 'a complete for the Team with a capture of the client', 2, '200', ADMIN_COMPLETE],
  [TEAM_ADMIN, 'a complete for the Team with captures of both layers', 2, '200', ADMIN_COMPLETE],
  [TEAM_ADMIN, 'a complete that discards captures of both layers', 2, '200', ADMIN_COMPLETE],
  [TEAM_ADMIN, 'a complete that supersedes a memory', 2, '200', LOWERED],
  [MEMBER, 'a release of captures of the client', 'body', '200', RELEASE],
  [MEMBER, 'a release of captures of the client', 2, '200', RELEASE],
  [TEAM_ADMIN, 'a release of captures of the client', 2, '200', { ...GONE, ...lowered('200') }],

  // Decisions on memories of the client
  [TEAM_ADMIN, 'publishing a memory', 2, '200', DECISION],
  [TEAM_ADMIN, 'publishing a memory', 3, '200', DECISION],
  [TEAM_ADMIN, 'discarding a memory', 3, '200', DECISION],
  [TEAM_ADMIN, 'updating a memory', 2, '200', DECISION],
  [TEAM_ADMIN, 'updating a memory', 3, '200', DECISION],
  [TEAM_ADMIN, 'deleting a memory', 'body', '200', DECISION],
  [TEAM_ADMIN, 'keeping a source', 3, '200', DECISION],
  [TEAM_ADMIN, 'deleting a memory', 3, '200', DECISION],
  [TEAM_ADMIN, 'moving a memory out of the client', 3, '200', DECISION],
  [TEAM_ADMIN, 'moving a memory into the client', 3, '200', CLIENT_NAMED],
  [TEAM_ADMIN, 'a list of one decision', 2, '200', DECISION],
  [TEAM_ADMIN, 'a list of two decisions', 2, '200', TWO_DECISIONS],
];
