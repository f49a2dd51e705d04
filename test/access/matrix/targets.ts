import { runCommand } from '../../../core/access/run-command.ts';
import { createResetLink } from '../../../core/accounts/links.ts';
import type { Dependencies } from '../../../core/dependencies.ts';
import { type InviteDraft, issueInvite } from '../../../core/people/invites.ts';
import { transaction } from '../../../db/driver/database.ts';
import { claimPendingChunks } from '../../../db/queries/embeddings.ts';
import { failImport, insertImport } from '../../../db/queries/imports.ts';
import { databaseBlobs } from '../../../db/queries/workspace/contents.ts';
import { allocateRevision, insertVersions } from '../../../db/queries/workspace/files.ts';
import { workspacePath } from '../../../shared/formats/workspace-path.ts';
import { newId } from '../../../shared/ids.ts';
import { companyScope } from '../../../shared/scope.ts';
import { hashToken, newToken } from '../../../shared/tokens.ts';
import type { TestApp } from '../../support/app.ts';
import { ownerScope } from '../../support/scopes.ts';
import { linkToken } from '../../support/sign-in.ts';
import { sha256 } from '../../support/workspace.ts';
import type { Canaries } from './canaries.ts';
import { LibraryTargets } from './library-targets.ts';
import { companyKey, type Place, pathThingOf, thingOf } from './place.ts';

/** What ties someone to a Company and one Team of it. */
export interface Ties {
  companyRole?: 'owner' | 'admin' | 'member';
  teamRole?: 'owner' | 'admin' | 'member';
  grant?: 'full' | 'read';
  /** Access by client id. */
  clients?: Record<string, 'read' | 'write'>;
}

/** The password of everyone. */
export const PASSWORD = 'a password of this walk';

/** Where links lead. */
const BASE = 'http://127.0.0.1:8787';

type Service = Pick<TestApp & Dependencies, 'config' | 'database' | 'queue'>;

/** Makes, in the database, what single requests are about: new for each, and named for where it lies. */
export class Targets {
  readonly canaries: Canaries;
  readonly library: LibraryTargets;
  /**
   * The Team of another Company in which each account, client, Team and invite gets a twin, of the same email or name; and the
   * password of the accounts there.
   */
  twins: { companyId: string; teamId: string; ownerId: string; passwordHash: string } | null = null;
  private readonly service: Service;
  private readonly passwordHash: string;

  constructor(service: Service, canaries: Canaries, passwordHash: string) {
    this.service = service;
    this.canaries = canaries;
    this.library = new LibraryTargets(service.database, canaries);
    this.passwordHash = passwordHash;
    canaries.secret(PASSWORD);
  }

  /** An account, with a role in the Team where one is given. */
  async account(place: Place, ties: Ties = {}): Promise<{ userId: string; email: string }> {
    const { companyId, teamId } = place;
    const userId = newId();
    const [thing, key] =
      ties.teamRole === undefined
        ? (['staff', companyKey(place)] as const)
        : (['people', place.key] as const);
    const word = this.canaries.word(thing, key);
    const twins = this.twinsOf(place);
    const email = `${twins === null ? word : this.canaries.sharedWord(thing, key)}@example.com`;
    if (twins !== null)
      await this.write('account', {
        company_id: twins.companyId,
        id: newId(),
        email,
        name: this.canaries.word('staff', 'v'),
        role: 'member',
        password_hash: twins.passwordHash,
      });
    await this.write('account', {
      company_id: companyId,
      id: userId,
      email,
      name: word,
      role: ties.companyRole ?? 'member',
      password_hash: this.passwordHash,
    });
    const member = { company_id: companyId, team_id: teamId, user_id: userId };
    if (ties.teamRole !== undefined) await this.write('team_member', { ...member, role: ties.teamRole });
    if (ties.grant !== undefined) await this.write('company_grant', { ...member, access: ties.grant });
    for (const [clientId, access] of Object.entries(ties.clients ?? {})) {
      await this.write('client_grant', { ...member, client_id: clientId, access });
    }
    return { userId, email };
  }

  /** A session of someone. */
  async session(companyId: string, userId: string): Promise<{ id: string; token: string }> {
    const token = this.canaries.secret(newToken());
    const session = { company_id: companyId, id: newId(), user_id: userId };
    await this.write('session', { ...session, token_hash: hashToken(token) });
    return { id: session.id, token };
  }

  /** An agent token of someone for the Team, without a secret. */
  async agentToken(place: Place, userId: string): Promise<string> {
    const id = this.canaries.mark(newId(), 'token-name', place.key);
    await this.write('agent_token', {
      company_id: place.companyId,
      team_id: place.teamId,
      id,
      user_id: userId,
      name: this.canaries.word('token-name', place.key),
      permissions: ['memory:read'],
      expires_at: new Date(Date.now() + 3_600_000),
    });
    return id;
  }

  /** Has an agent token end in the past. */
  async expire(tokenId: string): Promise<void> {
    await this.service.database.query(
      `update identity.agent_token set expires_at = now() - interval '1 second' where id = $1`,
      [tokenId],
    );
  }

  /** One more client of the Team, which no grant reaches. */
  async client(place: Place, state: 'active' | 'archived' = 'active'): Promise<string> {
    const id = this.canaries.mark(newId(), 'client-b', place.key);
    const twins = this.twinsOf(place);
    const name =
      twins === null
        ? this.canaries.word('client-b', place.key)
        : this.canaries.sharedWord('client-b', place.key);
    const of = { name, folded_name: id, state };
    await this.write('client', { company_id: place.companyId, team_id: place.teamId, id, ...of });
    if (twins !== null)
      await this.write('client', {
        company_id: twins.companyId,
        team_id: twins.teamId,
        id: this.canaries.mark(newId(), 'client-b', 'v'),
        ...of,
      });
    return id;
  }

  /** One more Company of the deployment, without accounts and Teams. */
  async otherCompany(): Promise<{ id: string; name: string }> {
    const company = { id: newId(), name: 'Another Company' };
    await this.write('company', company);
    return company;
  }

  /** One more Team of the Company. */
  async team(place: Place, state: 'active' | 'archived' = 'active'): Promise<string> {
    const key = place.key === 'v' ? 'v' : 'u';
    const id = this.canaries.mark(newId(), 'team-name', key);
    const twins = this.twinsOf(place);
    const name =
      twins === null ? this.canaries.word('team-name', key) : this.canaries.sharedWord('team-name', key);
    const of = { name, folded_name: id, state };
    await this.write('team', { company_id: place.companyId, id, ...of });
    if (twins !== null) {
      const twin = this.canaries.mark(newId(), 'team-name', 'v');
      await this.write('team', { company_id: twins.companyId, id: twin, ...of });
    }
    return id;
  }

  /** An open invite into the Team; its email is planted as what it is told as. */
  async invite(
    place: Place,
    thing: 'invited' | 'people' = 'invited',
  ): Promise<{ id: string; token: string }> {
    const email = `${this.canaries.word(thing, place.key)}@example.com`;
    const { id, token } = await this.issue(place, { teamId: place.teamId, email, role: 'member' });
    return { id: this.canaries.mark(id, 'invited', place.key), token };
  }

  /** An open invitation to become an Admin of the Company. */
  async invitation(place: Place, thing: 'invitation' | 'staff' = 'invitation') {
    const key = companyKey(place);
    const email = `${this.canaries.word(thing, key)}@example.com`;
    const { id, token } = await this.issue(place, { teamId: null, email, role: 'admin' });
    return { id: this.canaries.mark(id, 'invitation', key), token };
  }

  /**
   * An open invite for the address of this person's account, whatever role they have by now.
   * @param to the Team, or the Company, for a Company Admin
   */
  async inviteOf(place: Place, userId: string, to: 'team' | 'company'): Promise<{ token: string }> {
    const token = this.canaries.secret(newToken());
    // With mail, the link that a response has shown can be used with the session only for a verified address.
    const [account] = await this.service.database.query<{ email: string }>(
      'update identity.account set verified_at = coalesce(verified_at, now()) where id = $1 returning email',
      [userId],
    );
    await this.write('invite', {
      company_id: place.companyId,
      id: newId(),
      team_id: to === 'team' ? place.teamId : null,
      email: account?.email,
      role: to === 'team' ? 'member' : 'admin',
      grants: '[]',
      token_hash: hashToken(token),
      expires_at: new Date(Date.now() + 3_600_000),
      created_by: place.ownerId,
    });
    return { token };
  }

  /** The beginning of the Team in a list of Teams. */
  async listedTeam({ teamId }: Place): Promise<string> {
    const [team] = await this.service.database.query<{ id: string; name: string }>(
      'select id, name from identity.team where id = $1',
      [teamId],
    );
    return JSON.stringify(team).slice(1, -1);
  }

  /** An open request of some Company Admin for access to the Team. */
  async accessRequest(place: Place): Promise<string> {
    const { userId } = await this.account(place, { companyRole: 'admin' });
    const key = companyKey(place);
    const id = newId();
    const { companyId, teamId } = place;
    const reason = this.canaries.word('reason', key);
    const request = { company_id: companyId, id, user_id: userId, team_id: teamId, access: 'read', reason };
    await this.write('access_request', request);
    return id;
  }

  /** The token of an open reset link. */
  async resetToken(place: Place): Promise<string> {
    const { userId } = await this.account(place);
    const scope = companyScope({ companyId: place.companyId, userId: place.ownerId });
    const { url } = await runCommand(this.service.database, scope, {
      lock: async () => {},
      apply: (tx) => createResetLink(tx, { userId, base: BASE, ttlSeconds: 600 }),
    });
    return this.canaries.secret(linkToken(url));
  }

  /** The only chunk of a source of the Owner's. It waits for its embedding. */
  chunk(place: Place, clientId: string | null = null): Promise<string> {
    return this.library.chunk(place, clientId);
  }

  /** An import without a job: the Owner's and queued, unless told otherwise. */
  async import(
    place: Place,
    clientId: string | null = null,
    { userId = place.ownerId, state = 'queued' }: { userId?: string; state?: 'queued' | 'failed' } = {},
  ): Promise<string> {
    const title = this.canaries.word(thingOf(place, clientId), place.key);
    const id = newId();
    const scope = ownerScope({ ...place, ownerId: userId }, clientId === null ? [] : [clientId]);
    const content = Buffer.from(`walrus ${title}`);
    const file = { filename: `${title}.txt`, title, mediaType: 'text/plain', content };
    await transaction(this.service.database, scope, async (tx) => {
      await insertImport(tx, { id, layerId: clientId ?? place.teamId, ...file });
      if (state === 'failed')
        await failImport(tx, id, { code: 'no_text', message: 'The file holds no text.' });
    });
    return id;
  }

  /** A file of the Owner's: its first version has a content, the second deletes it. @returns its path in the layer */
  async file(place: Place, clientId: string | null, state: 'live' | 'deleted'): Promise<string> {
    const { database } = this.service;
    const name = this.canaries.word(pathThingOf(place, clientId), place.key);
    const content = Buffer.from(`walrus ${this.canaries.word(thingOf(place, clientId), place.key)}`);
    const scope = ownerScope(place, clientId === null ? [] : [clientId]);
    const blob = { sha256: sha256(content), content };
    await databaseBlobs(database).store(scope, [blob]);
    const file = { clientId, name, path: workspacePath(clientId, name), fileId: newId() };
    const first = newId();
    const versions = [
      {
        ...file,
        id: first,
        before: null,
        version: 1,
        sha256: blob.sha256,
        bytes: content.length,
        indexed: null,
      },
      { ...file, id: newId(), before: first, version: 2, sha256: null, bytes: 0, indexed: null },
    ];
    await transaction(database, scope, async (tx) => {
      for (const version of state === 'live' ? versions.slice(0, 1) : versions) {
        await insertVersions(tx, await allocateRevision(tx), [version]);
      }
    });
    return name;
  }

  /** A batch of a chunk to be embedded, lent to someone. */
  async batch(place: Place, userId: string): Promise<string> {
    await this.chunk(place);
    const id = newId();
    const scope = ownerScope({ ...place, ownerId: userId });
    const batch = await transaction(this.service.database, scope, (tx) =>
      claimPendingChunks(tx, { id, limit: 1, leaseSeconds: 600 }),
    );
    if (batch === null) throw new Error('there is nothing to embed');
    return id;
  }

  /** Where a place has its twins; null if it has none. */
  private twinsOf({ companyId }: Place) {
    return this.twins === null || this.twins.companyId === companyId ? null : this.twins;
  }

  /** Also into an archived Team, where no request could make one. */
  private async issue(place: Place, draft: Omit<InviteDraft, 'base'>) {
    const twins = this.twinsOf(place);
    if (twins !== null) {
      this.canaries.share(draft.email.replace('@example.com', ''));
      await this.issueIn(twins, { ...draft, teamId: draft.teamId && twins.teamId });
    }
    return this.issueIn(place, draft);
  }

  private async issueIn(
    { companyId, ownerId: userId }: Pick<Place, 'companyId' | 'ownerId'>,
    draft: Omit<InviteDraft, 'base'>,
  ) {
    const scope = companyScope({ companyId, userId });
    const { invite, token } = await runCommand(this.service.database, scope, {
      lock: async () => {},
      apply: (tx) => issueInvite(tx, { ...draft, base: BASE }, this.service),
    });
    return { id: invite.id, token: this.canaries.secret(token) };
  }

  /** Has the ids of all that Teams hold tell of their layers. */
  async markHoldings(places: readonly Place[]): Promise<void> {
    for (const place of places) {
      const rows = await this.service.database.query<{ id: string; clientId: string | null }>(
        `select id, nullif(layer_id, team_id) as "clientId" from memory.source where team_id = $1
         union all select id, nullif(layer_id, team_id) from memory.chunk where team_id = $1
         union all select id, nullif(layer_id, team_id) from memory.import where team_id = $1
         union all select file_id, nullif(layer_id, team_id) from memory.workspace_version where team_id = $1`,
        [place.teamId],
      );
      for (const { id, clientId } of rows) {
        const thing = thingOf(place, clientId);
        this.canaries.mark(id, thing === 'shelf' ? 'shelf-ids' : thing, place.key);
      }
      await this.library.markHoldings(place);
    }
  }

  private async write(table: string, row: Record<string, unknown>): Promise<void> {
    const columns = Object.keys(row);
    const values = columns.map((_, index) => `$${index + 1}`);
    await this.service.database.query(
      `insert into identity.${table} (${columns.join(', ')}) values (${values.join(', ')})`,
      Object.values(row),
    );
  }
}
