import { test } from 'node:test';
import type { OpenAPIV3_1 } from 'openapi-types';
import { openTestApp } from '../../support/app.ts';
import { OPERATIONS_FILE, operationsText } from '../../support/client/write-operations.ts';
import { assertGenerated } from '../../support/generated.ts';

const service = await openTestApp();

test('the operations of the typed client are those of the OpenAPI document', async () => {
  const document = (await service.app.inject('/v1/openapi.json')).json<OpenAPIV3_1.Document>();
  await assertGenerated(OPERATIONS_FILE, await operationsText(document));
});
