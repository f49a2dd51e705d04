import { readdirSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import type { FastifySchema, RouteOptions } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import packageJson from '../../../package.json' with { type: 'json' };
import { ERRORS, type ErrorCode } from '../../../shared/errors.ts';
import type { RoutePermission } from '../../../shared/permissions.ts';
import { Problem } from '../../../shared/schemas/common.ts';
import { EXAMPLES } from './examples.ts';

const FOLDER = new URL('../../../shared/schemas/', import.meta.url);
/** The modules of wire types: each object that they export is a component with the name of the export. */
const MODULES = await Promise.all(
  readdirSync(FOLDER)
    .sort()
    .map((file) => import(new URL(file, FOLDER).href) as Promise<object>),
);

/** Components with another name than their export. */
export const COMPONENT_NAMES: Readonly<Record<string, string>> = {
  ClientGrant: 'Grant',
  RequestedScope: 'Scope',
};

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const isComponent = (value: unknown): value is Json =>
  isObject(value) && (value['type'] === 'object' || 'allOf' in value) && !('patternProperties' in value);

/** The schemas with a name: by identity, and by their text, because `Type.Optional` copies its schema. */
const bySchema = new Map<unknown, string>();
const byText = new Map<string, string>();
for (const [name, schema] of MODULES.flatMap((module) => Object.entries(module))) {
  if (!isComponent(schema)) continue;
  const component = COMPONENT_NAMES[name] ?? name;
  bySchema.set(schema, component);
  const text = JSON.stringify(schema);
  if (!byText.has(text)) byText.set(text, component);
}

function nameOf(schema: unknown): string | undefined {
  if (!isComponent(schema)) return undefined;
  return bySchema.get(schema) ?? byText.get(JSON.stringify(schema));
}

const REFERENCE = '#/components/schemas/';
const reference = (name: string): Json => ({ $ref: REFERENCE + name });

/** The component of the items of a page; undefined if the schema is not a page of a list. */
function pagedName({ type, properties }: Json): string | undefined {
  if (type !== 'object' || !isObject(properties)) return undefined;
  if (Object.keys(properties).join() !== 'items,nextCursor,total,totalAtLeast') return undefined;
  return nameOf((properties['items'] as Json)['items']);
}

/** The components of one document: those that its routes refer to. */
class Components {
  readonly schemas: Record<string, Json> = {};

  /** A copy of a schema, or of a part of one, with a reference in place of each schema that has a name. */
  refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.refer(part));
    if (!isObject(schema)) return schema;
    const paged = pagedName(schema);
    const name = nameOf(schema) ?? (paged === undefined ? undefined : `${paged}Page`);
    if (name === undefined) return this.#referWithin(schema);
    if (this.schemas[name] === undefined) {
      // First, so that a schema that refers to itself ends here.
      this.schemas[name] = {};
      this.schemas[name] = this.#referWithin(schema);
    }
    return reference(name);
  }

  #referWithin(schema: Json): Json {
    const shown = withoutDefault(schema);
    return Object.fromEntries(Object.entries(shown).map(([key, part]) => [key, this.refer(part)]));
  }
}

/**
 * A schema that tells its default only in its description. Some generators, such as openapi-typescript, require a field with a
 * default in requests too.
 */
function withoutDefault(schema: Json): Json {
  // Otherwise it is not a schema, but can be the properties of one.
  if (typeof schema['type'] !== 'string' || !('default' in schema)) return schema;
  const { default: value, description, ...rest } = schema;
  const text = `default ${JSON.stringify(value)}`;
  return { ...rest, description: typeof description === 'string' ? `${description}; ${text}` : text };
}

/** Query parameters as a program sends them: a whole number is a number, although it arrives as text. */
function queryParameters(querystring: unknown): unknown {
  if (!isObject(querystring) || !isObject(querystring['properties'])) return querystring;
  const properties = Object.entries(querystring['properties']).map(([name, given]) => {
    const { contentSchema, description } = given as Json;
    return [name, isObject(contentSchema) ? { ...contentSchema, description } : given];
  });
  return { ...querystring, properties: Object.fromEntries(properties) as Json };
}

/** A reference to a component. */
const componentReference = reference;

type Responses = Record<string, OpenAPIV3_1.ResponseObject>;
type Headers = NonNullable<OpenAPIV3_1.ResponseObject['headers']>;

const header = (description: string, type: 'string' | 'integer'): OpenAPIV3_1.HeaderObject => ({
  description,
  schema: { type },
});

/** The headers of responses. */
const HEADERS = {
  'x-request-id': header('Id of the request, for questions to the operator', 'string'),
  'RateLimit-Limit': header('Requests that are allowed in the time window', 'integer'),
  'RateLimit-Remaining': header('Requests that are left in the time window', 'integer'),
  'RateLimit-Reset': header('Seconds until the time window ends', 'integer'),
  'Retry-After': header('Seconds to wait before the next request', 'integer'),
  'WWW-Authenticate': header(
    'Bearer, with error="invalid_token" if the token that was sent is unknown, expired or revoked',
    'string',
  ),
} as const;

const RATE_LIMIT = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** The headers of a response. What is left of a limit is sent with refusals too; programs read it from successes. */
function headersOf(status: string, isLimited: boolean): Headers {
  const names: (keyof typeof HEADERS)[] = ['x-request-id'];
  if (isLimited && (status < '300' || status === '429')) names.push(...RATE_LIMIT);
  if (status === '429' || status === '503') names.push('Retry-After');
  if (status === '401') names.push('WWW-Authenticate');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const describe = (codes: readonly ErrorCode[]) =>
  codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('\n\n');

const PROBLEM = 'application/problem+json';
const problemContent = { [PROBLEM]: { schema: componentReference('Problem') } };
/** What @fastify/swagger writes if a schema has no description. */
const UNDESCRIBED = 'Default Response';

/**
 * All responses of an operation: those that its schema describes, and one for each status of its codes.
 * @param described the responses of the schema, by status
 * @param errors every code that the route can return
 */
function completeResponses(described: Responses, errors: ReadonlySet<ErrorCode>): Responses {
  const byStatus = Map.groupBy(errors, (code) => String(ERRORS[code].status));
  const statuses = [...new Set([...Object.keys(described), ...byStatus.keys()])].sort();
  const isLimited = errors.has('rate_limited');
  const responses: Responses = {};
  for (const status of statuses) {
    const { description, ...known }: OpenAPIV3_1.ResponseObject = described[status] ?? {
      description: UNDESCRIBED,
    };
    const codes = byStatus.get(status);
    const texts = [
      description === UNDESCRIBED ? null : description,
      codes === undefined ? null : describe(codes),
    ].filter((text) => text !== null);
    responses[status] = {
      ...known,
      description: texts.length === 0 ? (STATUS_CODES[status] ?? status) : texts.join('\n\n'),
      headers: headersOf(status, isLimited),
      ...(codes === undefined ? {} : { content: { ...problemContent, ...known.content } }),
    };
  }
  return {
    ...responses,
    default: {
      description: 'Any other error; programs compare its `code`',
      headers: headersOf('default', false),
      content: problemContent,
    },
  };
}

const codes = Object.entries(ERRORS)
  .map(([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |`)
  .join('\n');

const description = `The teams of a company, and the agents that work for them, store here what they learn and find it again.

Send \`Authorization: Bearer <token>\` with a session token or an agent token, and \`Memory-Team: <id or name>\` if you have access to
several Teams. Every error is \`application/problem+json\`. Programs compare its \`code\`.

The console of the service sends a cookie in place of a token. A sign-in with \`cookie: true\` sets it. It counts only with the header
\`Memory-Console: 1\`, without \`Authorization\`, and not on \`/v1/mcp\`.

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
    { name: 'companies', description: 'The Companies of the service, for its operator' },
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
