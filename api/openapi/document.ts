import type { FastifySchema, RouteOptions } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import packageJson from '../../package.json' with { type: 'json' };
import { ERRORS, type ErrorCode } from '../../shared/errors.ts';
import type { RoutePermission } from '../../shared/permissions.ts';
import { Problem } from '../../shared/schemas/common.ts';
import { Components, queryParameters } from './components.ts';
import { EXAMPLES } from './examples.ts';
import { completeResponses, HEADERS } from './responses.ts';

const codes = Object.entries(ERRORS)
  .map(([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |`)
  .join('\n');

const description = `The teams of a company, and the agents that work for them, store here what they learn and find it again.

Send \`Authorization: Bearer <token>\` with a session token or an agent token, and \`Memory-Team: <id or name>\` if you have access to
several Teams. Every error is \`application/problem+json\`. Programs compare its \`code\`.

A Team has a **layer** for all of its members, the Team layer, and one for each of its clients (customers). A **scope** names
layers; without one, it is the Team layer. A **source** is a stored document. A \`chunk\` is a **passage**, a piece of a source.

<details>
<summary>All error codes</summary>

| Code | Status | Meaning |
|---|---|---|
${codes}

</details>
`;

/** The document without its routes. */
export const OPENAPI_BASE = {
  openapi: '3.1.0',
  info: {
    title: 'Team memory',
    version: packageJson.version,
    description,
    license: { name: packageJson.license, identifier: packageJson.license },
  },
  servers: [{ url: '/', description: 'The service that serves this document' }],
  tags: [
    { name: 'memory', description: 'Sources, searches, imports, captures and memories of the selected Team' },
    { name: 'workspace', description: 'Files of the selected Team' },
    { name: 'team', description: 'The selected Team: its clients, members, invites and grants' },
    { name: 'company', description: 'The Company: its members, Teams, grants and audit' },
    { name: 'auth', description: 'Signing in and out, sessions, agent tokens, passwords and one-time links' },
    { name: 'mcp', description: 'The Model Context Protocol, for agents' },
    { name: 'system', description: 'Health, metrics and this document' },
  ],
  components: {
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'A session token, an agent token, or MEMORY_API_TOKEN',
      },
      metrics: {
        type: 'http',
        scheme: 'bearer',
        description: 'MEMORY_METRICS_TOKEN, or MEMORY_API_TOKEN if that is not set',
      },
    },
    headers: HEADERS,
  },
} satisfies Partial<OpenAPIV3_1.Document>;

/** Request headers, by the code that a route with the header can return. */
const REQUEST_HEADERS: Partial<Record<ErrorCode, object>> = {
  team_required: {
    'Memory-Team': {
      type: 'string',
      description: 'id or name of the Team; required if you have access to several Teams',
    },
  },
  idempotency_key_reused: {
    'Idempotency-Key': {
      type: 'string',
      description:
        'for 24 hours, a request with the same key gets the first answer and is not executed again',
    },
  },
};

function requestHeaders(errors: ReadonlySet<ErrorCode>): object {
  const found = Object.entries(REQUEST_HEADERS).filter(([code]) => errors.has(code as ErrorCode));
  return { type: 'object', properties: Object.assign({}, ...found.map(([, headers]) => headers)) as object };
}

/** The description of an operation, with what it requires of agent tokens. */
function describeOperation(
  description: string | undefined,
  errors: ReadonlySet<ErrorCode>,
  permission: RoutePermission | undefined,
): { description?: string } {
  const texts = description === undefined ? [] : [description];
  if (permission !== undefined && permission !== 'any') {
    const names = [permission].flat().map((name) => `\`${name}\``);
    texts.push(`Agent tokens need the permission ${names.join(' or ')}.`);
  }
  if (permission === undefined && errors.has('unauthenticated')) texts.push('Not for agent tokens.');
  return texts.length === 0 ? {} : { description: texts.join('\n\n') };
}

interface BodySchema {
  properties?: object;
  required?: string[];
}
/** A body without fields means that the route accepts no body. */
const hasFields = ({ properties = {} }: BodySchema = {}) => Object.keys(properties).length > 0;
const isRequired = ({ required = [] }: BodySchema = {}) => required.length > 0;

type Operation = OpenAPIV3_1.OperationObject;
interface Facts {
  /** Method and path. */
  route: string;
  errors: ReadonlySet<ErrorCode>;
  isBodyRequired: boolean;
}

/** Makes the document from the schemas of the routes: the functions that @fastify/swagger calls for it. */
export class OpenApiDocument {
  readonly #components = new Components();
  /** What a schema does not tell of an operation, by its operationId. */
  readonly #facts = new Map<string, Facts>();

  /** The schema of a route as the document shows it. */
  readonly schemaOf = ({
    schema,
    url,
    route,
  }: {
    schema: FastifySchema;
    url: string;
    route: RouteOptions;
  }) => {
    if (schema === undefined || schema.hide === true) return { schema: { ...schema, hide: true }, url };
    const { errors = new Set<ErrorCode>() } = route.config ?? {};
    const { operationId, body, response, querystring, ...rest } = schema;
    const name = `${String(route.method)} ${url}`;
    if (operationId === undefined) throw new Error(`${name}: the schema has no operationId`);
    // The document is made twice: as JSON and as YAML.
    const { route: known = name } = this.#facts.get(operationId) ?? {};
    if (known !== name) throw new Error(`${name} and ${known} have the operationId ${operationId}`);
    const isBodyRequired = isRequired(body as BodySchema | undefined);
    this.#facts.set(operationId, { route: name, errors, isBodyRequired });
    const shown: FastifySchema = {
      ...rest,
      ...describeOperation(rest.description, errors, route.config?.permission),
      operationId,
      headers: requestHeaders(errors),
      ...(querystring === undefined ? {} : { querystring: queryParameters(querystring) }),
      security: schema.security ?? (errors.has('unauthenticated') ? [{ bearer: [] }] : []),
      response: this.#components.refer(response),
      ...(hasFields(body as BodySchema | undefined) ? { body: this.#components.refer(body) } : {}),
    };
    return { schema: shown, url };
  };

  /** The finished document. */
  readonly complete = (given: object): OpenAPIV3_1.Document => {
    const document = given as OpenAPIV3_1.Document;
    for (const path of Object.values(document.paths ?? {})) {
      for (const operation of Object.values(path ?? {})) this.#completeOperation(operation as Operation);
    }
    this.#components.refer(Problem);
    const schemas = Object.entries(this.#components.schemas).sort(([one], [other]) => (one < other ? -1 : 1));
    return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
  };

  #completeOperation(operation: Operation): void {
    const { operationId = '' } = operation;
    const facts = this.#facts.get(operationId);
    if (facts === undefined) throw new Error(`${operationId} is not an operation of a route`);
    operation.responses = completeResponses(
      (operation.responses ?? {}) as Parameters<typeof completeResponses>[0],
      facts.errors,
    );
    const body = operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined;
    if (body === undefined) return;
    body.required = facts.isBodyRequired;
    const json = body.content['application/json'];
    const example = EXAMPLES[operationId];
    if (json !== undefined && example !== undefined) json.example = example;
  }
}
