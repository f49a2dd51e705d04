import { newId } from '../../../shared/ids.ts';
import type { Scene } from '../../support/access-changes.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import { stageCapture } from '../../support/captures.ts';
import { claimAll, lend } from '../../support/consolidation.ts';
import { searchByWords } from '../../support/feedback.ts';
import { IMPORTS, plantImport } from '../../support/import-records.ts';
import { givePassword, newEmail } from '../../support/invites.ts';
import { addMemory } from '../../support/memories.ts';
import { addSource, archived } from '../../support/source-library.ts';
import { along, CLAIM } from '../../support/team.ts';
import { deletion, file, workspaceOf } from '../../support/workspace.ts';
import { DECISIONS, LATE } from './decisions.ts';
import type { LateScene, Part, Service } from './scene.ts';

const INGEST = 'POST /v1/memory/ingest';
const CLAIMS = 'POST /v1/memory/consolidation/claim';
const COMPLETE = 'POST /v1/memory/consolidation/complete';
const RELEASE = 'POST /v1/memory/consolidation/release';
const PUSH = 'POST /v1/workspace/push';
const TEXT = { title: 'A text', text: 'What came late.' };

type Author = 'person' | 'company';
type Layer = 'team' | 'client';
const BOTH: Layer[] = ['team', 'client'];
const scopeOf = (layer: Layer, { clientId }: Scene) => (layer === 'team' ? {} : { clientId });

/** Stages captures of the person or of the Owner, and returns their ids. */
function stage(author: Author, layers: Layer[], scene: Scene, service: Service) {
  return Array.fromAsync(layers, async (layer) => {
    const { id } = await stageCapture(service, scene[author], { scope: scopeOf(layer, scene) });
    return id;
  });
}

/** A claim of captures that are staged before. */
const claim =
  (author: Author, layers: Layer[], body: (scene: Scene) => object = () => ({})): Part<object> =>
  async (scene, service) => {
    await stage(author, layers, scene, service);
    return body(scene);
  };

/** A complete of a batch with captures of the Owner's in both layers. Its item is made of those in `layers`. */
const complete =
  (layers: Layer[], action: 'publish' | 'review' | 'discard', scope?: object): Part<object> =>
  async (scene, service) => {
    const [team, client] = await stage('company', BOTH, scene, service);
    const { batchId } = await claimAll(service, scene.person);
    const captureIds = layers.map((layer) => ({ team, client })[layer]);
    const more = action === 'discard' ? {} : { ...LATE, ...(scope === undefined ? {} : { scope }) };
    return { batchId, items: [{ captureIds, action, ...more }] };
  };

/** The route of a source: of the person in the client, or of the Owner in the Team layer. */
const ofSource =
  (method: 'DELETE' | 'PATCH') =>
  (author: Author, layer: Layer): Part<string> =>
  async (scene, service) => {
    const { id } = await addSource(service, scene[author], { scope: scopeOf(layer, scene) });
    return `${method} /v1/memory/sources/${id}`;
  };
const archival = ofSource('DELETE');
const change = ofSource('PATCH');

/** The route that restores a source, which was archived. */
const restoral =
  (author: Author, layer: Layer): Part<string> =>
  async (scene, service) => {
    const { id } = await addSource(service, scene[author], { scope: scopeOf(layer, scene) });
    await archived(service, scene[author], id);
    return `POST /v1/memory/sources/${id}/restore`;
  };

/** The route that purges a memory or a source of the client, which the Owner made. */
const purge =
  (what: 'memories' | 'sources'): Part<string> =>
  async (scene, service) => {
    const { company, clientId } = scene;
    const { id } =
      what === 'sources'
        ? await addSource(service, company, { scope: { clientId } })
        : await addMemory(service, company, 'published', {}, clientId);
    return `POST /v1/memory/${what}/${id}/purge`;
  };

/** Archives the sources of the client, or of all layers: there is one of the client. */
const bulkArchive =
  (filter: (scene: Scene) => object): Part<object> =>
  async (scene, service) => {
    const { company, clientId } = scene;
    await addSource(service, company, { scope: { clientId } });
    return { filter: filter(scene), dryRun: false };
  };

/** A part with the id of an import: of a person with a grant, in the client; otherwise of the Owner, in the Team layer. */
const withImport =
  <T>(state: 'failed' | 'queued', part: (id: string) => T) =>
  async (scene: LateScene, service: Service): Promise<T> => {
    const own = { clientId: scene.clientId, author: scene.person.userId };
    scene.importId = await plantImport(service, scene.company, { state, ...(scene.hasGrant ? own : {}) });
    return part(scene.importId);
  };

/** A push to a workspace that has a file of the client. */
const push =
  (files: (path: string) => object[]): Part<object> =>
  async ({ company, clientId }, service) => {
    const path = `clients/${clientId}/a`;
    await workspaceOf(service.app, company.headers).push([file(path, 'early')]);
    return { files: files(path) };
  };

const ownRole =
  (place: 'company' | 'team') =>
  ({ person }: Scene) =>
    `PATCH /v1/${place}/members/${person.userId}`;

export type LateRequest = readonly [route: Part<string>, body?: Part<object>];

/** The requests of the table. All of them are sent by the person of the scene. */
export const REQUESTS = {
  'a change of the own Company role': [ownRole('company'), { role: 'owner' }],
  'a change of an unknown Company member': ['PATCH /v1/company/members/no-one', { role: 'admin' }],
  'a reset link for another Owner': [
    ({ company }) => `POST /v1/company/members/${company.ownerId}/reset-link`,
    {},
  ],
  'an erasure of another Owner': [({ company }) => `POST /v1/company/members/${company.ownerId}/erase`],
  'an invitation': ['POST /v1/company/invitations', () => ({ email: newEmail() })],
  'an access request': [
    'POST /v1/company/access-requests',
    ({ company }) => ({ teamId: company.teamId, access: 'full' }),
  ],
  'a new Team': ['POST /v1/company/teams', { name: 'New' }],
  'a new Team with an owner': ['POST /v1/company/teams', () => ({ name: 'New', ownerEmail: newEmail() })],
  'an invite': ['POST /v1/team/invites', () => ({ email: newEmail(), role: 'member' })],
  'an agent token for the client': [
    'POST /v1/auth/tokens',
    ({ company: { teamId }, clientId }) => ({
      name: 'Late',
      teamId,
      clientIds: [clientId],
      permissions: ['memory:read'],
    }),
  ],
  'rotating an own agent token': [
    async ({ company, person }, service) => {
      const { record } = await createAgent(service, person, company);
      return `POST /v1/auth/tokens/${record.id}/rotate`;
    },
    { overlapHours: 1 },
  ],
  'revoking an agent token of another person': [
    async ({ company }, service) => {
      const { record } = await createAgent(service, company, company);
      return `DELETE /v1/team/tokens/${record.id}`;
    },
  ],
  'revoking an agent token of the Company': [
    async ({ company }, service) => {
      const { record } = await createAgent(service, company, company);
      return `DELETE /v1/company/tokens/${record.id}`;
    },
  ],
  'a change of the own Team role': [ownRole('team'), { role: 'admin' }],
  'a change of an unknown member': ['PATCH /v1/team/members/no-one', { role: 'admin' }],
  'making an unknown member Owner': [() => `PATCH /v1/team/members/${newId()}`, { role: 'owner' }],
  'a search': ['POST /v1/memory/search', { query: 'late', scope: {}, queryEmbedding: along(1), ...CLAIM }],
  'a change of the password': [
    'POST /v1/auth/password',
    async ({ person }, service) => {
      const currentPassword = 'a password of this test';
      await givePassword(service, person.userId, currentPassword);
      return { currentPassword, newPassword: 'another password of this test' };
    },
  ],
  'a change of the own name': ['PATCH /v1/auth/account', { name: 'Late' }],
  'a change of the name of the Company': ['PATCH /v1/company', { name: 'Late' }],
  'a change of the settings of the Team': ['PATCH /v1/team', { publish: 'review' }],
  'a change of the name of the Team': ['PATCH /v1/team', { name: 'Late' }],
  'an ingest into the Team layer': [INGEST, { ...TEXT, scope: {} }],
  'an ingest into the client': [INGEST, ({ clientId }) => ({ ...TEXT, scope: { clientId } })],
  'an import into the client': [
    `POST ${IMPORTS}`,
    ({ clientId }) => ({ items: [{ filename: 'a.txt', text: 'late' }], scope: { clientId } }),
  ],
  'changing an own source of the client': [change('person', 'client'), { title: 'New', tags: ['x'] }],
  'changing a source of another person': [change('company', 'team'), { tags: ['x'] }],
  'moving an own source out of the client': [change('person', 'client'), { clientId: null }],
  'moving an own source into the client': [change('person', 'team'), ({ clientId }) => ({ clientId })],
  'moving a source of another person': [change('company', 'team'), ({ clientId }) => ({ clientId })],
  'feedback on a hit of the client': [
    'POST /v1/memory/feedback',
    async ({ company, person, clientId }, service) => {
      const scope = { clientId };
      await addSource(service, company, { text: 'A heron.', scope });
      const { queryId, hits } = await searchByWords(service, person, 'heron', { scope });
      return { queryId, chunkId: hits[0]?.chunk_id, verdict: 'wrong' };
    },
  ],
  'archiving an own source of the client': [archival('person', 'client')],
  'archiving a source of another person': [archival('company', 'team')],
  'restoring an own source of the client': [restoral('person', 'client')],
  'restoring a source of another person': [restoral('company', 'team')],
  'archiving the sources of the client': [
    'POST /v1/memory/sources/archive',
    bulkArchive(({ clientId }) => ({ clientId })),
  ],
  'archiving the sources of all layers': [
    'POST /v1/memory/sources/archive',
    bulkArchive(() => ({ kind: 'ingest' })),
  ],
  'purging a source of the client': [purge('sources')],
  'purging a memory of the client': [purge('memories')],
  'a retry of an import': [withImport('failed', (id) => `POST ${IMPORTS}/${id}/retry`)],
  'a retry of several imports': [`POST ${IMPORTS}/retry`, withImport('failed', (id) => ({ ids: [id] }))],
  'a retry of all imports': [`POST ${IMPORTS}/retry`, withImport('failed', () => ({ all: true }))],
  'a cancel of an import': [withImport('queued', (id) => `DELETE ${IMPORTS}/${id}`)],
  'a removal of an import': [withImport('failed', (id) => `DELETE ${IMPORTS}/${id}`)],
  'a push to both layers': [PUSH, push((path) => [file('team/a', 'late'), file(path, 'late', 1)])],
  'a push that deletes a file of the client': [PUSH, push((path) => [deletion(path, 1)])],
  'a capture for the client': [
    'POST /v1/memory/captures',
    ({ clientId }) => ({ sessionId: 'late', sequence: 1, summary: 'What came late.', scope: { clientId } }),
  ],
  'a claim for the client': [CLAIMS, claim('person', ['client'], ({ clientId }) => ({ clientId }))],
  'a claim of captures of the client': [CLAIMS, claim('person', ['client'])],
  'a claim of captures of both layers': [CLAIMS, claim('person', BOTH)],
  'a claim of captures of another person': [CLAIMS, claim('company', BOTH)],
  'a complete': [
    COMPLETE,
    async ({ person, clientId }, service) => {
      const { batchId, captureIds } = await lend(service, person, [clientId]);
      return { batchId, items: [{ captureIds, action: 'publish', ...LATE }] };
    },
  ],
  'a complete that supersedes a memory': [
    COMPLETE,
    async ({ company, person }, service) => {
      const { id: supersedes } = await addMemory(service, company, 'published');
      const { batchId, captureIds } = await lend(service, person);
      return { batchId, items: [{ captureIds, action: 'publish', supersedes, ...LATE }] };
    },
  ],
  'a complete for the client': [COMPLETE, complete(['client'], 'publish')],
  'a complete for the Team with a capture of the client': [COMPLETE, complete(['client'], 'review', {})],
  'a complete for the Team with captures of both layers': [COMPLETE, complete(BOTH, 'publish', {})],
  'a complete that discards captures of both layers': [COMPLETE, complete(BOTH, 'discard')],
  'a release of captures of the client': [
    RELEASE,
    async ({ person, clientId }, service) => {
      const { batchId } = await lend(service, person, [clientId]);
      return { batchId };
    },
  ],
  ...DECISIONS,
} as const satisfies Record<string, LateRequest>;

export type RequestName = keyof typeof REQUESTS;
