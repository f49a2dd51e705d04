import type { AuditEvent } from '../../../shared/schemas/audit.ts';
import type { Caller } from './callers.ts';
import type { Place } from './place.ts';
import type { Row, Values } from './row.ts';
import { ALL_ROWS } from './rows/all.ts';
import { CALLERS, expectedOf } from './table.ts';
import { methodOf, titleOf } from './walk.ts';

/** A row whose events are looked at. */
export interface EventRow extends Row {
  /** The request is sent once before, so that there is something which it replaces. */
  twice?: true;
}

const decision = { route: 'POST /v1/memory/memories', kind: 'Team, Full access, change', ok: 200 } as const;

/** Requests that get the same answers from everybody as others of the matrix, but write other events. */
const FURTHER_ROWS: readonly EventRow[] = [
  {
    route: 'POST /v1/company/invitations',
    about: 'in the place of another',
    kind: 'Company Owners',
    ok: 201,
    twice: true,
    body: () => ({ email: 'invited@example.com' }),
  },
  {
    route: 'POST /v1/memory/captures',
    about: 'with a number',
    kind: 'Team layer, write',
    ok: 201,
    body: () => ({ sessionId: 's', sequence: 7, summary: 'A summary' }),
  },
  {
    route: 'POST /v1/memory/ingest',
    about: 'in the place of another text',
    kind: 'Team layer, write',
    ok: 200,
    twice: true,
    body: (_values, { canaries, at }) => ({
      title: 'x',
      externalId: 'x',
      text: canaries.word('layer', at.key),
    }),
  },
  {
    route: 'PATCH /v1/memory/sources/:id',
    about: 'of several fields',
    kind: "Team layer, someone else's record",
    ok: 200,
    values: async ({ targets, at }) => ({ id: await targets.library.source(at, null, at.ownerId) }),
    body: () => ({ title: 'Another', tags: ['a tag'] }),
  },
  {
    ...decision,
    about: 'publish as it is',
    values: ({ targets, at }) => targets.library.memory(at, 'to be published'),
    body: ({ memoryId }) => ({ action: 'publish', memoryId }),
  },
  {
    ...decision,
    about: 'update the tags',
    values: ({ targets, at }) => targets.library.memory(at, 'published'),
    body: ({ memoryId }) => ({ action: 'update', memoryId, title: 'Another', tags: ['a tag'] }),
  },
  {
    ...decision,
    about: 'renew',
    values: ({ targets, at }) => targets.library.memory(at, 'published'),
    body: ({ memoryId }) => ({ action: 'renew', memoryId, expiresAt: '2999-01-01T00:00:00.000Z' }),
  },
];

/** Who sends the request of a row: the first who may, and is at home in its Team. */
export const senderOf = (row: Row) =>
  CALLERS.find(
    (name) =>
      !['stranger', 'neighbour', 'archived'].includes(name) && expectedOf(row)[name] === String(row.ok),
  );

/** Every row of a request that someone may send and that is no GET. */
export const EVENT_ROWS: readonly EventRow[] = [...ALL_ROWS, ...FURTHER_ROWS].filter(
  (row) => !['GET', 'HEAD', 'OPTIONS'].includes(methodOf(row)) && senderOf(row) !== undefined,
);

export type Stored = Pick<
  AuditEvent,
  'kind' | 'actorId' | 'teamId' | 'subjectType' | 'subjectId' | 'layer' | 'clientId' | 'detail'
>;

/** What is known of a request by name: its values, and what was answered. */
interface Known {
  at: Place;
  caller: Caller;
  values: Values;
  answer: unknown;
}

/** Whether a text is an id, a hash, a time or a name with a planted word. Those that nothing names are spelled …. */
const isLong = (text: string) => text.length > 20;

/** Says in words what an event says by ids. */
export function spell(event: Stored, { at, caller, values, answer }: Known): string {
  const names = new Map<string, string>();
  const name = (value: unknown, path: string) => {
    if (typeof value === 'string' && isLong(value) && !names.has(value)) names.set(value, path);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) name(inner, path === '' ? key : `${path}.${key}`);
    }
  };
  const { clientA, clientB, archivedClient, teamId, ownerId, companyId } = at;
  name({ Team: teamId, 'client A': clientA, 'client B': clientB, 'archived client': archivedClient }, '');
  name({ caller: caller.userId, Owner: ownerId, Company: companyId }, '');
  name(values, '');
  name(answer, 'answer');
  const nameOf = (text: string) => names.get(text) ?? (isLong(text) ? '…' : text);
  const show = (value: unknown): string => {
    if (typeof value === 'string') return nameOf(value);
    if (Array.isArray(value)) return `[${value.map(show).join(', ')}]`;
    if (typeof value !== 'object' || value === null) return String(value);
    const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${fields.map(([key, inner]) => `${key}: ${show(inner)}`).join(', ')}}`;
  };
  const { kind, actorId, subjectType, subjectId, layer, clientId, detail } = event;
  const team = event.teamId === null ? 'Company' : nameOf(event.teamId);
  const where = clientId !== null ? nameOf(clientId) : layer === 'team' ? 'Team layer' : team;
  // A layer is one of the Team that the request names.
  const place = layer === null || event.teamId === teamId ? where : `${where} of ${team}`;
  const by = actorId === caller.userId && caller.name !== 'nobody' ? '' : ` by ${nameOf(actorId)}`;
  return `${kind}: ${subjectType} ${subjectId === null ? 'none' : nameOf(subjectId)} in ${place}${by} ${show(detail)}`;
}

/** What a row writes, as the longest line of the table says with which its title begins. */
export function eventsOf(row: Row): string[] {
  const title = titleOf(row);
  const known = [...EVENTS.keys()].filter((key) => title.startsWith(key));
  const lines = EVENTS.get(known.sort().at(-1) ?? '');
  if (lines === undefined) throw new Error(`no line says which events are written by ${title}`);
  const layer = /client [AB]|archived client/.exec(title)?.[0] ?? 'Team layer';
  return lines.map((line) => line.replaceAll('LAYER', layer));
}

/**
 * What rows write, by the beginning of their titles: kind, subject, where, and what else is known. `LAYER` is the layer that the
 * title names, or else the Team layer. Rows without events change nothing, or only lend.
 */
const EVENTS = new Map<string, string[]>();
for (const line of `
  POST /v1/auth/join
    auth.join: account answer.user.id in Team by answer.user.id {grants: [], inviteId: …, newAccount: true, role: member, sessionId: …}
  POST /v1/auth/join (with the session)
    auth.join: account caller in Team {grants: [], inviteId: …, newAccount: false, role: member, sessionId: …}
  POST /v1/auth/reset
    auth.password_reset: account answer.user.id in Company by answer.user.id {linkId: …, revokedTokens: 0, sessionId: …}
  POST /v1/auth/login
    auth.login: session … in Company by answer.user.id {}
  POST /v1/company/invitations/accept
    company.accept: account answer.user.id in Company by answer.user.id {grants: [], inviteId: …, newAccount: true, role: admin, sessionId: …}
  POST /v1/company/invitations/accept (with the session)
    company.accept: account caller in Company {grants: [], inviteId: …, newAccount: false, role: admin, sessionId: …}
  POST /v1/auth/logout
    auth.logout: session … in Company {everywhere: false}
  POST /v1/auth/logout (everywhere)
    auth.logout: session … in Company {everywhere: true}
  DELETE /v1/auth/sessions/:id
    auth.session_end: session id in Company {}
  PATCH /v1/company
    company.rename: company Company in Company {from: Test Company, to: answer.name}
  PATCH /v1/auth/account
    auth.account_change: account caller in Company {changed: [name]}
  POST /v1/auth/password
    auth.password_change: account caller in Company {}
  PATCH /v1/company/members/:userId
    company.member_role: account userId in Company {deniedRequests: [], from: member, revokedInvites: [], to: admin}
  DELETE /v1/company/members/:userId
    company.member_remove: account userId in Company {deniedRequests: [], revokedInvites: [], role: member}
  POST /v1/company/members/:userId/erase
    company.member_erase: account userId in Company {deletedInvites: [], deletedTokens: [], deniedRequests: [], revokedInvites: [], role: member, wasRemoved: false}
  POST /v1/company/members/:userId/reset-link
    company.reset_link: account userId in Company {linkId: …, ttlSeconds: 3600}
  POST /v1/company/reset-links
    company.reset_link: account … in Team {linkId: …, ttlSeconds: 3600}
  POST /v1/company/invitations
    company.invite: invite answer.invitation.id in Company {expiresAt: answer.invitation.expiresAt, grants: [], replaced: [], role: admin}
  POST /v1/company/invitations (in the place of another)
    company.invite: invite answer.invitation.id in Company {expiresAt: answer.invitation.expiresAt, grants: [], replaced: […], role: admin}
  POST /v1/company/invitations/:id/resend
    company.invite_resend: invite id in Company {}
  POST /v1/company/mail/test
    company.mail_test: account caller in Company {}
  POST /v1/auth/forgot
  DELETE /v1/company/invitations/:id
    company.invite_revoke: invite id in Company {}
  POST /v1/company/teams
    team.create: team answer.team.id in answer.team.id {name: answer.team.name, ownerId: null}
    team.invite: invite answer.invite.id in answer.team.id {expiresAt: answer.invite.expiresAt, grants: [], replaced: [], role: owner}
  POST /v1/company/teams (for a member)
    team.create: team answer.team.id in answer.team.id {name: answer.team.name, ownerId: ownerUserId}
  PATCH /v1/company/teams/:id
    team.rename: team id in id {from: …, to: answer.name}
  PATCH /v1/company/teams/:id (quota)
    team.quota: team id in id {from: {bytes: null, chunks: null}, to: {bytes: null, chunks: 1000000}}
  POST /v1/company/teams/:id/archive
    team.archive: team id in id {}
  POST /v1/company/teams/:id/restore
    team.restore: team id in id {}
  DELETE /v1/company/teams/:id
    team.delete: team id in id {name: …}
  POST /v1/company/access-requests
    company.access_request: access_request answer.id in Team {access: read}
  POST /v1/company/access-requests (in full)
    company.access_request: access_request answer.id in Team {access: full}
  POST /v1/company/access-requests/:id/approve
    company.access_approve: access_request id in Team {access: read, userId: answer.userId}
  POST /v1/company/access-requests/:id/deny
    company.access_deny: access_request id in Team {access: read, userId: answer.userId}
  PUT /v1/company/grants/:userId/:teamId
    company.grant: account userId in Team {access: full, revokedInvites: []}
  DELETE /v1/company/grants/:userId/:teamId
    company.grant_revoke: account userId in Team {revokedInvites: []}
  PATCH /v1/team
    team.settings: team Team in Team {from: {publish: anyone}, to: {publish: review}}
  PATCH /v1/team (renames it)
    team.rename: team Team in Team {from: Test Team, to: answer.name}
  POST /v1/team/clients
    team.client_create: client answer.id in Team {}
  PATCH /v1/team/clients/:id
    team.client_change: client id in Team {changed: [name]}
  PATCH /v1/team/clients/:id (brings an archived one back)
    team.client_change: client id in Team {changed: [state], state: active}
  DELETE /v1/team/clients/:id
    team.client_archive: client id in Team {}
  PATCH /v1/team/members/:userId
    team.member_role: account userId in Team {from: member, revokedInvites: [], to: admin}
  PATCH /v1/team/members/:userId (makes a Team Owner)
    team.member_role: account userId in Team {from: member, revokedInvites: [], to: owner}
  PATCH /v1/team/members/:userId (of a Team Owner)
    team.member_role: account userId in Team {from: owner, revokedInvites: [], to: member}
  DELETE /v1/team/members/:userId
    team.member_remove: account userId in Team {revokedInvites: [], role: member}
  DELETE /v1/team/members/:userId (a Team Owner)
    team.member_remove: account userId in Team {revokedInvites: [], role: owner}
  POST /v1/team/invites
    team.invite: invite answer.invite.id in Team {expiresAt: answer.invite.expiresAt, grants: [{access: write, clientId: clientId}], replaced: [], role: member}
  POST /v1/team/invites (adds a member of the Company)
    team.member_add: account userId in Team {from: null, grants: [], replaced: [], role: member}
  POST /v1/team/invites (adds a Team Owner)
    team.member_add: account userId in Team {from: null, grants: [], replaced: [], role: owner}
  POST /v1/team/invites/:id/resend
    team.invite_resend: invite id in Team {}
  DELETE /v1/team/invites/:id
    team.invite_revoke: invite id in Team {}
  PUT /v1/team/grants/:userId/:clientId
    team.grant: account userId in Team {access: write, clientId: clientId}
  POST /v1/auth/tokens
    auth.token_create: agent_token answer.record.id in Team {clientIds: null, expiresAt: answer.record.expiresAt, permissions: [memory:read]}
  POST /v1/auth/tokens (for client A)
    auth.token_create: agent_token answer.record.id in Team {clientIds: [client A], expiresAt: answer.record.expiresAt, permissions: [memory:read]}
  DELETE /v1/team/grants/:userId/:clientId
    team.grant_revoke: account userId in Team {clientId: clientId}
  POST /v1/auth/tokens/:id/rotate
    auth.token_rotate: agent_token id in Team {overlapHours: 1}
  DELETE /v1/auth/tokens/:id
    auth.token_revoke: agent_token id in Team {reason: revoked, userId: caller}
  DELETE /v1/team/tokens/:id
    auth.token_revoke: agent_token id in Team {reason: revoked, userId: Owner}
  DELETE /v1/company/tokens/:id
    auth.token_revoke: agent_token id in Team {reason: revoked, userId: Owner}
  POST /v1/memory/feedback
    memory.feedback: source answer.sourceId in LAYER {chunkId: chunkId, queryId: queryId, verdict: wrong}
  DELETE /v1/memory/sources/:id
    memory.archive: source id in LAYER {chunks: 1}
  PATCH /v1/memory/sources/:id
    memory.update: source id in LAYER {updated: [title]}
  PATCH /v1/memory/sources/:id (someone else's to client B)
    memory.move: source id in client B {from: null, to: client B}
  PATCH /v1/memory/sources/:id (out of client A)
    memory.move: source id in Team {from: client A, to: null}
  PATCH /v1/memory/sources/:id (of several fields)
    memory.update: source id in Team layer {updated: [title, tags]}
  POST /v1/memory/sources/:id/restore
    memory.restore: source id in LAYER {chunks: 1}
  POST /v1/memory/sources/:id/versions/:version/restore
    memory.replace: source id in LAYER {chunks: 1, embedded: 0, restored: 1}
  POST /v1/memory/memories
    memory.delete: memory id in LAYER {sourceId: sourceId, version: 2}
  POST /v1/memory/memories (publish one of client A)
    memory.publish: memory id in client A {chunks: 1, edited: true, embedded: 0, sourceId: answer.memory.sourceId, version: 2}
  POST /v1/memory/memories (discard one of client A)
    memory.discard: memory id in client A {version: 2}
  POST /v1/memory/memories (update one of client A)
    memory.update: memory id in client A {chunks: 1, contentChanged: true, sourceId: sourceId, titleChanged: false, version: 2}
  POST /v1/memory/memories (reopen one of client A)
    memory.reopen: memory id in client A {version: 3}
  POST /v1/memory/memories (unpublish one of client A)
    memory.unpublish: memory id in client A {sourceId: sourceId, version: 2}
  POST /v1/memory/memories (restore)
    memory.restore: memory id in Team layer {restoredVersion: 1, sourceId: sourceId, version: 2}
  POST /v1/memory/memories (publish in the place of another)
    memory.delete: memory supersedes in Team layer {sourceId: …, supersededBy: id, version: 2}
    memory.publish: memory id in Team layer {chunks: 1, edited: true, embedded: 0, sourceId: answer.memory.sourceId, supersedes: supersedes, version: 2}
  POST /v1/memory/memories (move to client A)
    memory.move: memory id in client A {from: null, to: client A, version: 2}
  POST /v1/memory/memories (move from client A to client B)
    memory.move: memory id in Team {from: client A, to: client B, version: 2}
  POST /v1/memory/memories (keep a source of client A)
    memory.keep: source memoryId in client A {settled: 1}
  POST /v1/memory/memories (publish as it is)
    memory.publish: memory id in Team layer {chunks: 1, edited: false, embedded: 1, sourceId: answer.memory.sourceId, version: 2}
  POST /v1/memory/memories (update the tags)
    memory.update: memory id in Team layer {contentChanged: false, sourceId: sourceId, tagsChanged: true, titleChanged: true, version: 2}
  POST /v1/memory/memories (renew)
    memory.renew: memory id in Team layer {sourceId: sourceId, version: 2}
  POST /v1/memory/sources/:id/purge
    memory.purge: source id in LAYER {chunks: 1, importIds: []}
  POST /v1/memory/memories/:id/purge
    memory.purge: memory id in LAYER {captureIds: [], sourceId: …, version: 1}
  POST /v1/memory/sources/archive
    memory.archive: source none in LAYER {chunks: 1, filter: {}, sourceIds: […]}
  POST /v1/memory/sources/batch
    memory.update: source id in Team layer {batchId: …, updated: [tags]}
  POST /v1/memory/captures
    memory.capture: capture answer.capture.id in LAYER {}
  POST /v1/memory/captures (with a number)
    memory.capture: capture answer.capture.id in Team layer {sequence: 7}
  POST /v1/memory/consolidation/complete
    memory.publish: memory answer.results.0.memoryId in LAYER {batchId: batchId, captureIds: [captureId], chunks: 1, embedded: 1, sourceId: …, version: 1}
    memory.review: memory answer.results.1.memoryId in LAYER {batchId: batchId, captureIds: [captureId], version: 1}
    memory.discard: batch batchId in LAYER {captureIds: [captureId]}
  POST /v1/memory/consolidation/complete (of a capture in client A, for the Team layer)
    memory.publish: memory answer.results.0.memoryId in Team layer {batchId: batchId, captureIds: [captureId], chunks: 1, embedded: 1, sourceId: …, version: 1}
    memory.review: memory answer.results.1.memoryId in Team layer {batchId: batchId, captureIds: [captureId], version: 1}
    memory.discard: batch batchId in client A {captureIds: [captureId]}
  POST /v1/memory/consolidation/complete (that discards captures of the Team layer and of client A)
    memory.discard: batch batchId in Team layer {captureIds: [captureId]}
    memory.discard: batch batchId in client A {captureIds: [besideId]}
  POST /v1/memory/consolidation/complete (in the place of another memory)
    memory.delete: memory supersedes in Team layer {sourceId: …, supersededBy: answer.results.0.memoryId, version: 2}
    memory.publish: memory answer.results.0.memoryId in Team layer {batchId: batchId, captureIds: [captureId], chunks: 1, embedded: 1, sourceId: …, supersedes: supersedes, version: 1}
    memory.review: memory answer.results.1.memoryId in Team layer {batchId: batchId, captureIds: [captureId], version: 1}
    memory.discard: batch batchId in Team layer {captureIds: [captureId]}
  POST /v1/memory/consolidation/claim
    memory.claim: batch answer.batch.id in LAYER {captureIds: [answer.batch.captures.0.id]}
  POST /v1/memory/consolidation/claim (client B)
    memory.claim: batch answer.batch.id in client B {captureIds: [answer.batch.captures.0.id, answer.batch.captures.1.id]}
  POST /v1/memory/consolidation/release
    memory.release: batch batchId in LAYER {captureIds: [captureId]}
  POST /v1/memory/search
    memory.search: query answer.queryId in Team {hitsHash: …, scope: {include: [team, client]}, topK: 50}
  POST /v1/memory/ingest
    memory.ingest: source answer.source.id in LAYER {chunks: 1, embedded: 0}
  POST /v1/memory/ingest (in the place of another text)
    memory.replace: source answer.source.id in Team layer {chunks: 1, embedded: 0}
  POST /v1/memory/imports
    memory.import: import answer.imports.0.id in LAYER {bytes: 58, mediaType: text/plain}
  POST /v1/memory/imports/:id/retry
    memory.import_retry: import id in LAYER {attempts: 0}
  POST /v1/memory/imports/retry
    memory.import_retry: import id in LAYER {attempts: 0}
  DELETE /v1/memory/imports/:id
    memory.import_cancel: import id in LAYER {attempts: 0}
  POST /v1/memory/embeddings/complete
    memory.embed: batch batchId in Team {embedded: 0, model: Xenova/bge-m3}
  POST /v1/workspace/push (into Team layer)
    workspace.write: file … in Team layer {bytes: 51, path: answer.files.0.path, version: 1}
    workspace.write: file … in Team layer {bytes: 1, path: beside, version: 1}
  DELETE /v1/memory/imports/:id (failed
    memory.import_forget: import id in LAYER {attempts: 0}
  POST /v1/workspace/push (into client
    workspace.write: file … in LAYER {bytes: 54, path: answer.files.0.path, version: 1}
    workspace.write: file … in Team layer {bytes: 1, path: beside, version: 1}
  POST /v1/memory/imports (client
    memory.import: import answer.imports.0.id in LAYER {bytes: 61, mediaType: text/plain}
  POST /v1/memory/search (client
    memory.search: query answer.queryId in LAYER {hitsHash: …, scope: {clientId: LAYER, include: [client]}, topK: 50}
  POST /v1/memory/search (explained for
    memory.search: query answer.queryId in Team {hitsHash: …, scope: {}, topK: 50}
  POST /v1/memory/sources/archive (of client
    memory.archive: source none in LAYER {chunks: 1, filter: {clientId: LAYER}, sourceIds: […]}
  POST /v1/memory/sources/batch (to client
    memory.move: source id in LAYER {batchId: …, from: null, to: LAYER}
  POST /v1/memory/consolidation/complete (of a capture in the Team layer, for client
    memory.publish: memory answer.results.0.memoryId in LAYER {batchId: batchId, captureIds: [captureId], chunks: 1, embedded: 1, sourceId: …, version: 1}
    memory.review: memory answer.results.1.memoryId in LAYER {batchId: batchId, captureIds: [captureId], version: 1}
    memory.discard: batch batchId in Team layer {captureIds: [captureId]}
  PATCH /v1/memory/sources/:id (to client
    memory.move: source id in LAYER {from: null, to: LAYER}
  POST /v1/workspace/push (of a deletion
    workspace.delete: file … in LAYER {path: answer.files.0.path, version: 2}
  POST /v1/auth/link
  POST /v1/mcp
  POST /v1/memory/expand
  POST /v1/workspace/pull
  POST /v1/memory/embeddings/claim
`.split('\n')) {
  if (/^ {2}\S/.test(line)) EVENTS.set(line.trim(), []);
  else if (line !== '') [...EVENTS.values()].at(-1)?.push(line.trim());
}
