import { Type } from 'typebox';
import { linkBase } from '../../core/accounts/links.ts';
import { createCompany, createOwnerLink, endCompany, renameCompany } from '../../core/companies/commands.ts';
import { listCompanies } from '../../core/companies/queries.ts';
import { sendTestMail } from '../../core/mail/commands.ts';
import { parseEmail } from '../../shared/formats/names.ts';
import { parseId } from '../../shared/ids.ts';
import { ResetLink } from '../../shared/schemas/accounts.ts';
import { NameRequest, Page, PageQuery } from '../../shared/schemas/common.ts';
import {
  Company,
  EndCompanyRequest,
  HostedCompany,
  NewCompany,
  NewCompanyRequest,
  OwnerLinkRequest,
} from '../../shared/schemas/companies.ts';
import { companyScope } from '../../shared/scope.ts';
import { SETTINGS } from '../../shared/settings/definitions.ts';
import { operating, owningCompany } from '../http/guards.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import { answerPage, IdParams } from '../http/requests.ts';
import type { Routes } from '../types.ts';

/** /v1/company: the Company of the caller. */
export const companyRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/company',
    {
      schema: {
        operationId: 'getCompany',
        summary: 'Your Company, and your role in it',
        tags: ['company'],
        response: { 200: Company },
      },
    },
    async ({ identity }) => ({
      id: identity.companyId,
      name: identity.companyName,
      role: identity.companyRole,
    }),
  );

  app.patch(
    '/v1/company',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'renameCompany',
        summary: 'Rename your Company',
        tags: ['company'],
        body: NameRequest,
        response: { 200: Company },
      },
    },
    async ({ identity, body }) => renameCompany(deps, identity, body.name),
  );

  app.post(
    '/v1/company/mail/test',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'sendTestMail',
        summary: 'Mail yourself, to try the mail server',
        description: 'For Company Owners. 404 `not_found` if the service sends no mail.',
        tags: ['company'],
        response: { 202: { type: 'null', description: 'The mail is queued' } },
        errors: errorCodes('not_found'),
      } as const,
    },
    async ({ identity }, reply) => {
      await sendTestMail(deps, companyScope(identity));
      reply.code(202);
    },
  );
};

const FOR_OPERATORS = "Only with the service's own token, `MEMORY_API_TOKEN`. ";

const createSchema = {
  operationId: 'createCompany',
  summary: 'Make another Company',
  description: `${FOR_OPERATORS}The link makes its Owner, and is shown only once.`,
  tags: ['companies'],
  body: NewCompanyRequest,
  response: { 201: NewCompany },
};

const ownerLinkSchema = {
  operationId: 'createOwnerLink',
  summary: 'Make a link for the Owner of a Company',
  description:
    `${FOR_OPERATORS}While the Company has no Owner, the link makes one, in place of the link before; then it sets the ` +
    'password of the Owner with this email. 404 `not_found` for an email of no Owner. The link is shown only once.',
  tags: ['companies'],
  params: IdParams,
  body: OwnerLinkRequest,
  response: { 201: ResetLink },
};

const endSchema = {
  operationId: 'endCompany',
  summary: 'End a Company that is not used',
  description:
    `${FOR_OPERATORS}Closes its accounts, revokes its links, and deletes its Teams and its secrets; its audit events stay. ` +
    '409 `conflict` for the first Company, and while a Team has records or other members than its Owner.',
  tags: ['companies'],
  params: IdParams,
  body: EndCompanyRequest,
  response: { 204: { type: 'null', description: 'Ended' } },
  errors: errorCodes('conflict'),
} as const;

/** /v1/companies: the Companies of the deployment, for its operator. */
export const operatorRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/companies',
    {
      onRequest: operating,
      schema: {
        operationId: 'listCompanies',
        summary: 'The Companies of the service, newest first',
        description: FOR_OPERATORS.trim(),
        tags: ['companies'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(HostedCompany) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) => listCompanies(deps, companyScope(identity), part)),
  );

  app.post('/v1/companies', { onRequest: operating, schema: createSchema }, async (request, reply) => {
    const { identity, body } = request;
    const { name, ownerEmail, teamName = SETTINGS.teamName.default } = body;
    const draft = {
      name,
      teamName,
      ownerEmail: parseEmail(ownerEmail, '/ownerEmail'),
      base: linkBase(deps.config, app.server),
    };
    const made = await createCompany(deps, companyScope(identity), draft);
    reply.code(201);
    return made;
  });

  app.post(
    '/v1/companies/:id/owner-link',
    { onRequest: operating, schema: ownerLinkSchema },
    async ({ identity, params, body: { email } }, reply) => {
      const link = await createOwnerLink(deps, companyScope(identity), {
        companyId: parseId(params.id),
        email: email === undefined ? null : parseEmail(email),
        base: linkBase(deps.config, app.server),
      });
      reply.code(201);
      return link;
    },
  );

  app.delete(
    '/v1/companies/:id',
    { onRequest: operating, schema: endSchema },
    async ({ identity, params, body }, reply) => {
      await endCompany(deps, companyScope(identity), { companyId: parseId(params.id), name: body.name });
      reply.code(204);
    },
  );
};
