import assert from 'node:assert/strict';
import type { App } from '../../api/types.ts';
import type { TestApp } from './app.ts';
import { callerOf, type Caller as FullCaller, type Method } from './client/client.ts';

type Caller = Pick<FullCaller, 'headers'>;

/** A person with access to a Team and to one of its clients, and the Company whose Owner changes that. */
export interface Scene {
  company: Caller & { teamId: string };
  person: Caller & { userId: string };
  clientId: string;
  /** The import that a request is about. */
  importId?: string;
}

export type Request = readonly [caller: Caller, method: Method, url: string, body?: object | undefined];

const teamMember = ({ person }: Scene) => `/v1/team/members/${person.userId}`;
const companyMember = ({ person }: Scene) => `/v1/company/members/${person.userId}`;
const grant = ({ person, clientId }: Scene) => `/v1/team/grants/${person.userId}/${clientId}`;
const companyGrant = ({ company, person }: Scene) => `/v1/company/grants/${person.userId}/${company.teamId}`;
const importOf = ({ importId }: Scene) => `/v1/memory/imports/${importId}`;

/** What can happen to the access of a person, as the requests that make it happen. */
const CHANGES = {
  'the Team was archived': ({ company }) => [
    [company, 'POST', `/v1/company/teams/${company.teamId}/archive`],
  ],
  'the client was archived': ({ company, clientId }) => [[company, 'DELETE', `/v1/team/clients/${clientId}`]],
  'the grant was deleted': (scene) => [[scene.company, 'DELETE', grant(scene)]],
  'the grant was lowered': (scene) => [[scene.company, 'PUT', grant(scene), { access: 'read' }]],
  'the role was lowered': (scene) => [[scene.company, 'PATCH', teamMember(scene), { role: 'member' }]],
  'the role was lowered to admin': (scene) => [
    [scene.company, 'PATCH', teamMember(scene), { role: 'admin' }],
  ],
  'the member was removed from the Team': (scene) => [[scene.company, 'DELETE', teamMember(scene)]],
  'the Company grant was deleted': (scene) => [[scene.company, 'DELETE', companyGrant(scene)]],
  'the Company grant was lowered': (scene) => [
    [scene.company, 'PUT', companyGrant(scene), { access: 'read' }],
  ],
  'the Company role was lowered to admin': (scene) => [
    [scene.company, 'PATCH', companyMember(scene), { role: 'admin' }],
  ],
  'the Company role was lowered to member': (scene) => [
    [scene.company, 'PATCH', companyMember(scene), { role: 'member' }],
  ],
  'the account was closed': (scene) => [[scene.company, 'DELETE', companyMember(scene)]],
  'the session was ended': ({ person }) => [[person, 'POST', '/v1/auth/logout']],
  'the import was deleted': (scene) => [[scene.company, 'DELETE', importOf(scene)]],
  'the import was cancelled and deleted': (scene) => [
    [scene.company, 'DELETE', importOf(scene)],
    [scene.company, 'DELETE', importOf(scene)],
  ],
} as const satisfies Record<string, (scene: Scene) => readonly Request[]>;

export type AccessChange = keyof typeof CHANGES;

/** Sends a request to a process, whatever comes of it. */
export const sendTo = (process: { app: App }, [caller, method, url, body]: Request) =>
  callerOf(process.app, caller.headers).send(method, url, body);

/** Changes the access of a person. Each request of it must succeed. */
export async function changeAccess(
  service: Pick<TestApp, 'app'>,
  change: AccessChange,
  scene: Scene,
): Promise<void> {
  const requests: readonly Request[] = CHANGES[change](scene);
  for (const request of requests) {
    const answer = await sendTo(service, request);
    assert.ok(answer.statusCode < 300, answer.body);
  }
}
