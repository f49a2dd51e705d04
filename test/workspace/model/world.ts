import { after } from 'node:test';
import type { App } from '../../../api/types.ts';
import type { Dependencies } from '../../../core/dependencies.ts';
import type { SignedIn, TestApp } from '../../support/app.ts';
import { databaseError, openFailingApp } from '../../support/failing-database.ts';
import { addClient, addPerson } from '../../support/team.ts';
import { type Workspace, workspaceOf } from '../../support/workspace.ts';
import { type CallerName, type ClientName, type Layer, Model, type Place } from './model.ts';

type Service = TestApp & Dependencies;

/** The service, beside it a second process, and what the second is to fail at: a part of a statement. */
export interface Stage {
  service: Service;
  apps: readonly [App, App];
  failing: { at: string | null };
}

/** Opens the second process. Call it at file level: it is closed when the file is done. */
export async function openStage(service: Service): Promise<Stage> {
  const failing: Stage['failing'] = { at: null };
  const second = await openFailingApp({ after }, service, (statement) =>
    failing.at !== null && statement.includes(failing.at) ? databaseError('XX000') : null,
  );
  return { service, apps: [service.app, second], failing };
}

/** A push that was accepted, as it was sent. */
export interface Accepted {
  by: CallerName;
  key: string;
  files: object[];
  layers: Layer[];
  answer: unknown;
}

/** A Company of a run's own, and what the model says of it. */
export interface World extends Stage {
  company: SignedIn;
  userIds: Record<CallerName, string>;
  /** What each sees of the files through one of the processes. */
  workspaces: Record<CallerName, readonly [Workspace, Workspace]>;
  clients: Record<ClientName, string>;
  model: Model;
  accepted: Accepted[];
  /** What was done and answered so far, a line each. */
  told: string[];
}

/** Makes a Company with the callers of the model, and no file. */
export async function openWorld(stage: Stage): Promise<World> {
  const { service, apps } = stage;
  const company = await service.company();
  const clients = { a: await addClient(service, company), b: await addClient(service, company) };
  const model = new Model();
  const member = async (name: 'anna' | 'ben') => {
    const grants = Object.entries(model.grants[name]).map(([client, access]) => [
      clients[client as ClientName],
      access,
    ]);
    return addPerson(service, company, { teamRole: 'member', clients: Object.fromEntries(grants) });
  };
  const people = {
    owner: { ...company, userId: company.ownerId },
    anna: await member('anna'),
    ben: await member('ben'),
    reader: await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' }),
  };
  const seenBy = ({ headers }: { headers: Record<string, string> }) =>
    [workspaceOf(apps[0], headers), workspaceOf(apps[1], headers)] as const;
  const { owner, anna, ben, reader } = people;
  return {
    ...stage,
    company,
    userIds: { owner: owner.userId, anna: anna.userId, ben: ben.userId, reader: reader.userId },
    workspaces: { owner: seenBy(owner), anna: seenBy(anna), ben: seenBy(ben), reader: seenBy(reader) },
    clients,
    model,
    accepted: [],
    told: [],
  };
}

/** The scope that a layer is over the wire. */
export function prefixOf({ clients }: Pick<World, 'clients'>, layer: Layer): string {
  return layer === 'team' ? 'team' : `clients/${clients[layer]}`;
}

/** The path of a file over the wire. */
export function pathOf(world: Pick<World, 'clients'>, { layer, name }: Place): string {
  return `${prefixOf(world, layer)}/${name}`;
}
