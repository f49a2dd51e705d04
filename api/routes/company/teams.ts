import { Type } from 'typebox';
import { knownId } from '../../../core/access/known-id.ts';
import { assertActive, lockCompanyAs, lockTeam } from '../../../core/access/lock-and-recheck.ts';
import { createInvite } from '../../../core/identity/invites.ts';
import { linkBase } from '../../../core/identity/link-base.ts';
import { type ScopedTransaction, transaction } from '../../../db/driver/database.ts';
import { ONE } from '../../../db/queries/fragments/list-part.ts';
import { findAccountByEmail, lockOpenAccounts } from '../../../db/queries/identity/accounts.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { upsertTeamMember } from '../../../db/queries/identity/members.ts';
import { insertTeam, listTeams, updateTeam } from '../../../db/queries/identity/teams.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { readEmail } from '../../../shared/formats/email.ts';
import { newId } from '../../../shared/ids.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { NameRequest, NewTeam, NewTeamRequest, Team } from '../../../shared/schemas/identity.ts';
import { type CompanyScope, companyScope } from '../../../shared/scope.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** The account of the Company that will own a new Team, locked so that it cannot be closed during the transaction. */
async function lockOwner(tx: ScopedTransaction<CompanyScope>, ownerEmail: string | null) {
  if (ownerEmail === null) return tx.scope.userId;
  const account = await findAccountByEmail(tx, ownerEmail);
  return account !== null && (await lockOpenAccounts(tx, [account.userId])).size > 0 ? account.userId : null;
}

/** Makes a Team with its Owner: at once where the person has an account of the Company, else by an invite. */
async function createTeam(
  tx: ScopedTransaction<CompanyScope>,
  team: { name: string; ownerEmail: string | null; base: string },
) {
  const { name, ownerEmail, base } = team;
  await lockCompanyAs(tx, 'admin');
  const ownerId = await lockOwner(tx, ownerEmail);
  const made = await insertTeam(tx, { id: newId(), name });
  const teamId = made.id;
  insertAuditEvents(tx, [
    { kind: 'team.create', subjectType: 'team', subjectId: teamId, teamId, detail: { name, ownerId } },
  ]);
  if (ownerId !== null) {
    await upsertTeamMember(tx, { teamId, userId: ownerId, role: 'owner' });
    return { team: made, invite: null, token: null, url: null };
  }
  const issued = await createInvite(tx, { teamId, email: ownerEmail ?? '', role: 'owner', base });
  insertAuditEvents(tx, issued.audit);
  return { team: made, ...issued.result };
}

/** /v1/company/teams: every Team of the Company, whatever the caller holds in it. */
export const companyTeamsRoutes: Routes = (app, { database, config }) => {
  app.get(
    '/v1/company/teams',
    {
      schema: {
        summary: 'Teams of the Company, newest first',
        tags: ['company'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Team) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) => transaction(database, companyScope(identity), (tx) => listTeams(tx, part))),
  );

  app.post(
    '/v1/company/teams',
    {
      schema: {
        summary: 'Make a Team',
        description:
          'You become its Owner, unless `ownerEmail` names another: at once where that is an account of the ' +
          'Company, else by an invite, whose token and link are shown this once.',
        tags: ['company'],
        body: NewTeamRequest,
        response: { 201: NewTeam },
      },
    },
    async ({ identity, body }, reply) => {
      const ownerEmail = body.ownerEmail === undefined ? null : readEmail(body.ownerEmail, '/ownerEmail');
      const base = linkBase(config, app.server);
      const made = await transaction(database, companyScope(identity), (tx) =>
        createTeam(tx, { name: body.name, ownerEmail, base }),
      );
      reply.code(201);
      return made;
    },
  );

  app.get(
    '/v1/company/teams/:id',
    { schema: { summary: 'One Team', tags: ['company'], params: IdParams, response: { 200: Team } } },
    async ({ identity, params }) => {
      const id = knownId(params.id);
      const [team] = await transaction(database, companyScope(identity), (tx) => listTeams(tx, ONE, id));
      if (team === undefined) throw new ServiceError('not_found');
      return team;
    },
  );

  app.patch(
    '/v1/company/teams/:id',
    {
      schema: {
        summary: 'Rename a Team',
        tags: ['company'],
        params: IdParams,
        body: NameRequest,
        response: { 200: Team },
      },
    },
    async ({ identity, params, body: { name } }) => {
      const id = knownId(params.id);
      return transaction(database, companyScope(identity), async (tx) => {
        await lockCompanyAs(tx, 'admin');
        const team = await lockTeam(tx, id);
        assertActive(team);
        if (team.name === name) return team;
        insertAuditEvents(tx, [
          {
            kind: 'team.rename',
            subjectType: 'team',
            subjectId: id,
            teamId: id,
            detail: { from: team.name, to: name },
          },
        ]);
        return updateTeam(tx, id, { name });
      });
    },
  );
};
