import { newId } from '../../../shared/ids.ts';
import { along } from '../../support/team.ts';
import { deletion, file } from '../../support/workspace.ts';
import {
  ARCHIVED,
  added,
  BODY,
  type Fault,
  FULL_ACCESS,
  fault,
  first,
  IN_TEAM,
  instead,
  invalid,
  invalidFirst,
  LIST_SCOPE,
  MANAGES_COMPANY,
  missing,
  NOT_AUTHOR,
  OWNS_COMPANY,
  parameters,
  READER,
  SCOPE,
  SOURCE_CHANGE,
  scopes,
  sentBy,
  TOKEN,
  UNREADABLE,
  UNSUPPORTED,
} from './faults.ts';

const LONG_METADATA = invalid({ metadata: { a: 'x'.repeat(16_384) } });
const BACKWARDS = invalid({ startedAt: '2026-01-01T00:00:00.001Z', endedAt: '2026-01-01T00:00:00.000Z' });
const RUNNING = instead('409 conflict', 'import', 'running');
const QUEUED_RUNNING = instead('409 conflict', 'queued', 'running');
const RELEASED = instead('409 batch_expired', 'batch', 'released');
const LAST_OWNER = instead('409 last_owner', 'user', 'owner');
const OWNER_INVITED = fault('409 conflict', 'an Owner invited', {
  body: (body, { email }) => ({ ...body, email }),
});
const NO_EMBEDDING = fault('400 query_embedding_required', 'no embedding', {
  body: (body) => ({ ...body, queryEmbedding: undefined }),
});
const NO_SOURCE = fault('404 not_found', 'an unknown source', {
  body: (body) => ({ ...body, sourceIds: [newId()] }),
});
const UNEXPLAINED = [newId(), 'nonsense'].map((id) =>
  fault('404 not_found', `an explained source ${id}`, { body: (body) => ({ ...body, explainSource: id }) }),
);
const UNKNOWN_CLIENT = fault('403 scope_forbidden', 'an unknown client', {
  body: (body) => ({ ...body, scope: { clientId: newId() } }),
});
const THEIR_IMPORT = sentBy('a member', '403 forbidden', { body: added('ids', ({ import: id }) => id) });
const NO_IMPORTS = [newId(), 'nonsense'].map((id) =>
  fault('404 not_found', id, { body: added('ids', () => id) }),
);
const BUSY_IMPORT = fault('409 conflict', 'a running import', { body: added('ids', ({ busy }) => busy) });
const CLAIM_SCOPE = scopes((clientId) => ({ body: (body, ids) => ({ ...body, clientId: clientId(ids) }) }));
const ITEM_SCOPE = [
  ...scopes((clientId) => ({
    body: (body, ids) => first('items', { scope: { clientId: clientId(ids) } })(body),
  })),
  sentBy('a reader', '403 scope_forbidden', { body: first('items', { scope: {} }) }),
];
const EXPIRED_ITEM = invalidFirst('items', { expiresAt: '2020-01-01T00:00:00Z' });
const UNKNOWN_ITEM_CLIENT = fault('403 scope_forbidden', 'an item for an unknown client', {
  body: first('items', { scope: { clientId: newId() } }),
});
const FOREIGN_CHUNK = fault('400 invalid_request', 'a chunk that is not in the batch', {
  body: added('embeddings', () => ({ chunkId: newId(), embedding: along(0) })),
});
const FILE_SCOPE = scopes((clientId) => ({
  body: added('files', (ids) => file(`clients/${clientId(ids)}/a`, 'x')),
}));
const BAD_PATH = fault('400 invalid_path', 'a path', { body: added('files', () => file('team/nul', 'x')) });
const BAD_PULL = fault('400 invalid_path', 'a path', { body: added('files', () => ({ path: 'team/..' })) });
const OLD_VERSION = fault('409 workspace_conflict', 'a version', {
  body: added('files', () => deletion('team/b', 1)),
});
const OWNER_DEMOTED = sentBy('a Team Admin', '403 forbidden', { ids: ({ owner }) => ({ user: owner! }) });
const UNKNOWN_GRANTS = [newId(), 'nonsense'].map((clientId) => ({ clientId, access: 'read' }));
const GRANT_TWICE = fault('400 invalid_request', 'one grant twice', {
  body: (body) => ({ ...body, grants: [UNKNOWN_GRANTS[1], UNKNOWN_GRANTS[1]] }),
});
const NO_CLIENTS = UNKNOWN_GRANTS.map((grant) =>
  fault('404 not_found', `a grant on ${grant.clientId}`, { body: (body) => ({ grants: [grant], ...body }) }),
);

const NO_OWNER = [newId(), 'nonsense'].map((ownerUserId) =>
  fault('404 not_found', `the Owner ${ownerUserId}`, { body: (body) => ({ ownerUserId, ...body }) }),
);

const MANAGED = [...IN_TEAM, ...FULL_ACCESS, ...BODY];
const COMPANY_MANAGED = [TOKEN, ...MANAGES_COMPANY, ...BODY];
const COMPANY_OWNED = [TOKEN, ...OWNS_COMPANY, ...BODY];

/**
 * What is wrong with a request, in the order in which its route refuses it. A row is a method and a path with names of
 * ids, and says what the request is for if its route has several rows.
 */
export const TABLE: Record<string, Fault[]> = {
  'POST /v1/memory/search': [...IN_TEAM, ...BODY, NO_EMBEDDING, ...SCOPE, NO_SOURCE],
  // Whether the route requires Full access is known only when the body has been read.
  'POST /v1/memory/search of a source': [
    ...IN_TEAM,
    ...UNREADABLE,
    ...FULL_ACCESS,
    invalid({ unknown: 1 }),
    NO_EMBEDDING,
    UNKNOWN_CLIENT,
    NO_SOURCE,
    ...UNEXPLAINED,
  ],
  'POST /v1/memory/expand': [...IN_TEAM, ...BODY, ...SCOPE],
  'POST /v1/memory/feedback': [
    ...IN_TEAM,
    ...BODY,
    fault('404 not_found', 'a search of nobody', { body: (body) => ({ ...body, queryId: newId() }) }),
    ARCHIVED,
  ],
  // A large body is not read for a reader, who cannot write anywhere.
  'POST /v1/memory/ingest': [
    ...IN_TEAM,
    READER,
    ...BODY,
    LONG_METADATA,
    invalid({ text: undefined }),
    invalid({ text: undefined, chunks: [{ text: 'x', embedding: [1] }] }),
    ...SCOPE,
    ARCHIVED,
  ],
  'POST /v1/memory/imports': [
    ...IN_TEAM,
    READER,
    ...UNREADABLE,
    ...UNSUPPORTED,
    invalid({ unknown: 1 }),
    invalidFirst('items', { text: 'a\u0000b' }),
    invalidFirst('items', { text: undefined }),
    ...SCOPE,
    ARCHIVED,
  ],
  'GET /v1/memory/imports': [...IN_TEAM, ...parameters('limit=0', 'cursor=x', 'state=x'), ...LIST_SCOPE],
  'GET /v1/memory/imports/:import': [...IN_TEAM, ...missing('import')],
  'DELETE /v1/memory/imports/:import': [...IN_TEAM, ...missing('import'), ...NOT_AUTHOR, ARCHIVED, RUNNING],
  'DELETE /v1/memory/imports/:queued': [
    ...IN_TEAM,
    ...missing('queued'),
    ...NOT_AUTHOR,
    ARCHIVED,
    QUEUED_RUNNING,
  ],
  'POST /v1/memory/imports/:import/retry': [
    ...IN_TEAM,
    ...BODY,
    ...missing('import'),
    ...NOT_AUTHOR,
    ARCHIVED,
    RUNNING,
  ],
  'POST /v1/memory/imports/retry of some': [
    ...IN_TEAM,
    ...BODY,
    invalid({ all: true }),
    THEIR_IMPORT,
    ...NO_IMPORTS,
    ARCHIVED,
    BUSY_IMPORT,
  ],
  'POST /v1/memory/imports/retry of all': [...IN_TEAM, ...BODY, ARCHIVED],
  'GET /v1/memory/sources': [
    ...IN_TEAM,
    ...parameters('limit=0', 'cursor=x', 'state=x', 'kind=x'),
    ...LIST_SCOPE,
  ],
  'GET /v1/memory/sources/:source': [...IN_TEAM, ...parameters('limit=0'), ...missing('source')],
  'GET /v1/memory/sources/:original/original': [...IN_TEAM, ...missing('original')],
  'PATCH /v1/memory/sources/:source': [
    ...IN_TEAM,
    ...BODY,
    ...SOURCE_CHANGE,
    ...missing('source'),
    ...NOT_AUTHOR,
    ARCHIVED,
  ],
  'GET /v1/memory/tags': [...IN_TEAM, ...parameters('limit=0', 'cursor=x'), ...LIST_SCOPE],
  'DELETE /v1/memory/sources/:source': [...IN_TEAM, ...missing('source'), ...NOT_AUTHOR, ARCHIVED],
  'POST /v1/memory/sources/:archived/restore': [
    ...IN_TEAM,
    ...BODY,
    ...missing('archived'),
    ...NOT_AUTHOR,
    ARCHIVED,
    instead('409 conflict', 'archived', 'published'),
  ],
  'POST /v1/memory/sources/:source/purge': [
    ...IN_TEAM,
    ...FULL_ACCESS,
    ...BODY,
    ...missing('source'),
    ARCHIVED,
    instead('409 conflict', 'source', 'published'),
  ],
  'POST /v1/memory/memories/:memory/purge': [
    ...IN_TEAM,
    ...FULL_ACCESS,
    ...BODY,
    ...missing('memory'),
    ARCHIVED,
  ],
  'POST /v1/memory/sources/archive': [
    ...MANAGED,
    invalid({ filter: {} }),
    invalid({ filter: { createdBefore: 'yesterday' } }),
    invalid({ filter: { tag: 'ß'.repeat(50) } }),
    fault('403 scope_forbidden', 'an unknown client', {
      body: (body) => ({ ...body, filter: { clientId: newId() } }),
    }),
    ARCHIVED,
  ],
  'POST /v1/memory/embeddings/claim': [...IN_TEAM, ...BODY, ARCHIVED],
  'POST /v1/memory/embeddings/complete': [
    ...IN_TEAM,
    ...BODY,
    ...missing('vectors'),
    // Whose chunk it is tells only the batch.
    FOREIGN_CHUNK,
    ARCHIVED,
  ],
  'POST /v1/memory/captures': [...IN_TEAM, ...BODY, LONG_METADATA, BACKWARDS, ...SCOPE, READER, ARCHIVED],
  'GET /v1/memory/captures': [...IN_TEAM, ...parameters('limit=0', 'cursor=x', 'state=x', 'sessionId=')],
  'GET /v1/memory/captures/:capture': [...IN_TEAM, ...missing('capture')],
  'POST /v1/memory/consolidation/claim': [...IN_TEAM, ...BODY, ...CLAIM_SCOPE, ARCHIVED],
  'POST /v1/memory/consolidation/complete': [
    ...IN_TEAM,
    ...BODY,
    invalidFirst('items', { content: undefined }),
    invalidFirst('items', { embedding: [1] }),
    EXPIRED_ITEM,
    ...ITEM_SCOPE,
    ...missing('batch'),
    ARCHIVED,
  ],
  // As for the explanation of a search.
  'POST /v1/memory/consolidation/complete that supersedes': [
    ...IN_TEAM,
    ...UNREADABLE,
    ...FULL_ACCESS,
    invalid({ unknown: 1 }),
    invalidFirst('items', { title: undefined }),
    invalidFirst('items', { action: 'review' }),
    EXPIRED_ITEM,
    UNKNOWN_ITEM_CLIENT,
    ...missing('batch', 'memory'),
    ARCHIVED,
  ],
  'POST /v1/memory/consolidation/release': [...IN_TEAM, ...BODY, ...missing('batch'), ARCHIVED, RELEASED],
  'GET /v1/memory/consolidation/batches': [...IN_TEAM, ...parameters('limit=0', 'cursor=x')],
  'GET /v1/memory/memories': [
    ...IN_TEAM,
    ...FULL_ACCESS,
    ...parameters('limit=0', 'cursor=x', 'state=x', 'createdAfter=x'),
    ...LIST_SCOPE.slice(1),
  ],
  'GET /v1/memory/memories/:memory': [...IN_TEAM, ...missing('memory')],
  'GET /v1/memory/memories/:memory/versions': [
    ...IN_TEAM,
    ...parameters('limit=0', 'cursor=x'),
    ...missing('memory'),
  ],
  'POST /v1/memory/memories to restore': [
    ...MANAGED,
    invalid({ version: undefined }),
    ...missing('memory'),
    ARCHIVED,
  ],
  'POST /v1/memory/memories to update': [
    ...MANAGED,
    invalid({ tags: ['ß'.repeat(50)] }),
    ...missing('memory'),
    ARCHIVED,
  ],
  'POST /v1/memory/memories of one': [...MANAGED, ...missing('memory'), ARCHIVED],
  'POST /v1/memory/memories of several': [...MANAGED, ARCHIVED],
  'GET /v1/memory/audit': [...IN_TEAM, ...FULL_ACCESS, ...parameters('limit=0')],

  'POST /v1/workspace/push': [...IN_TEAM, READER, ...BODY, BAD_PATH, ...FILE_SCOPE, ARCHIVED, OLD_VERSION],
  'POST /v1/workspace/pull': [...IN_TEAM, ...BODY, BAD_PULL],
  'GET /v1/workspace/manifest': [...IN_TEAM, ...parameters('limit=0', 'cursor=x', 'since=x'), ...LIST_SCOPE],

  'PATCH /v1/team': [...MANAGED, invalid({ publish: undefined }), ARCHIVED],
  'POST /v1/team/clients': [...MANAGED, ARCHIVED],
  'PATCH /v1/team/clients/:client to rename': [...MANAGED, ...missing('client'), ARCHIVED],
  'PATCH /v1/team/clients/:client to restore': [
    ...MANAGED,
    invalid({ state: undefined }),
    ...missing('client'),
    ARCHIVED,
  ],
  'DELETE /v1/team/clients/:client': [...MANAGED, ...missing('client'), ARCHIVED],
  'PATCH /v1/team/members/:user to an Owner': [
    ...MANAGED,
    sentBy('a Team Admin', '403 forbidden'),
    ...missing('user'),
    ARCHIVED,
  ],
  'PATCH /v1/team/members/:user to an Admin': [
    ...MANAGED,
    ...missing('user'),
    OWNER_DEMOTED,
    ARCHIVED,
    LAST_OWNER,
  ],
  'DELETE /v1/team/members/:user': [...MANAGED, ...missing('user'), LAST_OWNER],
  'POST /v1/team/invites': [
    ...MANAGED,
    invalid({ email: 'nobody' }),
    GRANT_TWICE,
    ...NO_CLIENTS,
    ARCHIVED,
    OWNER_INVITED,
  ],
  'DELETE /v1/team/invites/:invite': [...MANAGED, ...missing('invite')],
  'PUT /v1/team/grants/:user/:client': [...MANAGED, ...missing('user', 'client'), ARCHIVED],
  'DELETE /v1/team/grants/:granted/:client': [...MANAGED, ...missing('granted', 'client')],

  'POST /v1/company/reset-links': [...COMPANY_OWNED, ...missing('team')],
  'PATCH /v1/company/members/:user': [...COMPANY_OWNED, ...missing('user'), LAST_OWNER],
  'DELETE /v1/company/members/:user': [...COMPANY_OWNED, ...missing('user'), LAST_OWNER],
  'POST /v1/company/members/:user/erase': [...COMPANY_OWNED, ...missing('user'), LAST_OWNER],
  'POST /v1/company/members/:user/reset-link': [...COMPANY_OWNED, ...missing('user')],
  'POST /v1/company/invitations': [...COMPANY_OWNED, OWNER_INVITED],
  'DELETE /v1/company/invitations/:invitation': [...COMPANY_OWNED, ...missing('invitation')],
  'POST /v1/company/teams': [
    ...COMPANY_MANAGED,
    invalid({ ownerEmail: 'nobody' }),
    invalid({ ownerEmail: 'a@example.com', ownerUserId: newId() }),
    ...NO_OWNER,
  ],
  'PATCH /v1/company/teams/:team': [...COMPANY_MANAGED, ...missing('team'), ARCHIVED],
  // Only with a quota it requires a Company Owner, which is known only when the body has been read.
  'PATCH /v1/company/teams/:team of the quota': [
    TOKEN,
    ...MANAGES_COMPANY,
    ...UNREADABLE,
    sentBy('a Company Admin', '403 company_role_required'),
    invalid({ unknown: 1 }),
    invalid({ quota: { chunks: '1', bytes: null } }),
    invalid({ quota: { chunks: -1, bytes: null } }),
    invalid({ quota: null }),
    ...missing('team'),
    ARCHIVED,
  ],
  'POST /v1/company/teams/:team/archive': [...COMPANY_MANAGED, ...missing('team')],
  'POST /v1/company/teams/:team/restore': [...COMPANY_MANAGED, ...missing('team')],
  'PUT /v1/company/grants/:admin/:team': [
    ...COMPANY_OWNED,
    ...missing('admin', 'team'),
    ARCHIVED,
    instead('409 conflict', 'admin', 'user'),
  ],
  'POST /v1/company/access-requests': [
    ...COMPANY_MANAGED,
    ...missing('team'),
    sentBy('an Owner', '409 conflict'),
  ],
  'POST /v1/company/access-requests/:request/approve': [...COMPANY_OWNED, ...missing('request'), ARCHIVED],
};
