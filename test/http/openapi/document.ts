import type { OpenAPIV3_1 } from 'openapi-types';
import type { App } from '../../../api/types.ts';

export type OpenApi = OpenAPIV3_1.Document;

/**
 * The document that an app serves.
 * @throws Error that names the route whose schema is not complete
 */
export async function readDocument(app: App): Promise<OpenApi> {
  await app.ready();
  return JSON.parse(JSON.stringify(app.swagger())) as OpenApi;
}

/** An operation of a document. */
export interface Operation {
  /** Method and path, as in the access matrix: `GET /v1/memory/sources/:id`. */
  route: string;
  id: string;
  operation: OpenAPIV3_1.OperationObject;
  /** The example of the body; undefined without a body, null if the body has no example. */
  example: object | null | undefined;
  /** The statuses that are declared. */
  statuses: string[];
}

/** The operations of a document, in its order. */
export function operationsOf({ paths = {} }: OpenApi): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods ?? {}).map(([method, given]) => {
      const operation = given as OpenAPIV3_1.OperationObject;
      const body = operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined;
      const media = body?.content['application/json'];
      return {
        route: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        id: operation.operationId ?? '',
        operation,
        example: body === undefined ? undefined : ((media?.example as object | undefined) ?? null),
        statuses: Object.keys(operation.responses ?? {}).filter((status) => status !== 'default'),
      };
    }),
  );
}
