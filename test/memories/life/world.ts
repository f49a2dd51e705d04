import type { Dependencies } from '../../../core/dependencies.ts';
import { NOBODY } from '../../../shared/scope.ts';
import type { SignedIn, TestApp } from '../../support/app.ts';
import { addClient, addPerson, type Caller } from '../../support/team.ts';
import { CALLERS, type CallerName, type Layer, Model } from './model.ts';
import { Words } from './words.ts';

/** Someone of the model, signed in. */
export type Player = Caller & { userId: string };

/** A Company of a run's own, and what the model says of it. */
export interface World {
  service: TestApp & Dependencies;
  company: SignedIn;
  players: Record<CallerName, Player>;
  /** The client of each layer, null for the Team layer. */
  clients: Record<Layer, string | null>;
  model: Model;
  words: Words;
  /** The source of each memory that was ever published, once it is known. */
  sources: Map<string, string>;
  /** How many events tell of how the Company was made. */
  eventsBefore: number;
  /** What was done and answered so far, a line each. */
  told: string[];
}

/** Makes a Company with the callers of the model, and nothing staged. */
export async function openWorld(service: TestApp & Dependencies): Promise<World> {
  const company = await service.company();
  const a = await addClient(service, company);
  const b = await addClient(service, company);
  const players = {
    owner: { ...company, userId: company.ownerId },
    admin: await addPerson(service, company, { teamRole: 'admin' }),
    anna: await addPerson(service, company, { teamRole: 'member', clients: { [a]: 'write' } }),
    ben: await addPerson(service, company, { teamRole: 'member', clients: { [a]: 'read', [b]: 'write' } }),
    reader: await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' }),
  };
  const [events] = await service.database.query<{ n: number }>(
    'select count(*) as n from memory.audit_event where company_id = $1',
    [company.companyId],
  );
  return {
    service,
    company,
    players,
    clients: { team: null, a, b },
    model: new Model(),
    words: new Words(),
    sources: new Map(),
    eventsBefore: events?.n ?? 0,
    told: [],
  };
}

/** Who of the model has an account, or null for none. */
export function callerOf({ players }: World, userId: string | null): CallerName | null {
  // The worker acts as nobody.
  if (userId === null || userId === NOBODY) return null;
  const found = CALLERS.find((name) => players[name].userId === userId);
  if (found === undefined) throw new Error(`no caller has the account ${userId}`);
  return found;
}

/** The layer that a client, or none, is. */
export function layerOf({ clients }: World, clientId: string | null): Layer {
  if (clientId === null) return 'team';
  if (clientId === clients.a) return 'a';
  if (clientId === clients.b) return 'b';
  throw new Error(`no layer is the client ${clientId}`);
}

/** The `scope` of a request that writes to a layer. */
export function scopeFor({ clients }: World, layer: Layer): { clientId?: string } {
  const clientId = clients[layer];
  return clientId === null ? {} : { clientId };
}
