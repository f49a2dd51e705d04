import { knownId } from '../../../core/access/known-id.ts';
import { lockCompanyAs, lockTeam } from '../../../core/access/lock-and-recheck.ts';
import { transaction } from '../../../db/driver/database.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { deleteTeam, updateTeam } from '../../../db/queries/identity/teams.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { Team } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

const TRANSITIONS = [
  { verb: 'archive', from: 'active', to: 'archived', kind: 'team.archive' },
  { verb: 'restore', from: 'archived', to: 'active', kind: 'team.restore' },
] as const;

/** The states of a Team: active ⇄ archived, and from there its end. */
export const teamLifecycleRoutes: Routes = (app, { database, queue }) => {
  for (const { verb, from, to, kind } of TRANSITIONS) {
    app.post(
      `/v1/company/teams/:id/${verb}`,
      {
        schema: {
          summary:
            verb === 'archive' ? 'Archive a Team: it answers reads and refuses writes' : 'Restore a Team',
          description: `409 \`conflict\` where it is ${to} already.`,
          tags: ['company'],
          params: IdParams,
          response: { 200: Team },
        },
      },
      async ({ identity, params }) => {
        const id = knownId(params.id);
        return transaction(database, companyScope(identity), async (tx) => {
          await lockCompanyAs(tx, 'admin');
          const team = await lockTeam(tx, id);
          if (team.state !== from) throw new ServiceError('conflict', `The Team is ${to} already`);
          insertAuditEvents(tx, [{ kind, subjectType: 'team', subjectId: id, teamId: id }]);
          return updateTeam(tx, id, { state: to });
        });
      },
    );
  }

  app.delete(
    '/v1/company/teams/:id',
    {
      onRequest: owningCompany,
      schema: {
        summary: 'Delete an archived Team and everything in it except its audit events',
        description: 'For Company Owners. 409 `conflict` where it is not archived.',
        tags: ['company'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Deleted' } },
      } as const,
    },
    async ({ identity, params }, reply) => {
      const id = knownId(params.id);
      await transaction(database, companyScope(identity), async (tx) => {
        await lockCompanyAs(tx, 'owner');
        const team = await lockTeam(tx, id);
        if (team.state !== 'archived') throw new ServiceError('conflict', 'Archive the Team first');
        await deleteTeam(tx, id);
        insertAuditEvents(tx, [
          {
            kind: 'team.delete',
            subjectType: 'team',
            subjectId: id,
            teamId: id,
            detail: { name: team.name },
          },
        ]);
        const { companyId, userId } = tx.scope;
        await queue.send(tx, 'team.purge', { companyId, teamId: id, userId });
      });
      reply.code(204);
    },
  );
};
