import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import Fastify from 'fastify';
import { Type } from 'typebox';
import errors from '../../api/http/errors.ts';
import { Body, Name, Nullable, OneOf, Time, VisibleName } from '../../shared/schemas/common.ts';

const Colour = Type.Union([Type.Literal('red'), Type.Literal('blue')]);

/** One route with a field of each kind; no other part of the service has a hand in these messages. */
const app = Fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false } } });
await app.register(errors);
app.post(
  '/:shape',
  {
    schema: {
      params: Type.Object({ shape: OneOf(['round', 'flat']) }),
      querystring: Type.Object(
        { state: Type.Optional(OneOf(['open', 'used'])) },
        { additionalProperties: false },
      ),
      body: Body({
        role: Type.Optional(OneOf(['admin', 'member'])),
        colour: Type.Optional(Colour),
        nested: Type.Optional(Type.Array(Type.Union([Colour, Type.Literal('none'), Type.Null()]))),
        all: Type.Optional(Type.Literal(true)),
        at: Type.Optional(Time),
        name: Type.Optional(Name),
        visible: Type.Optional(VisibleName),
        code: Type.Optional(Type.String({ minLength: 3 })),
        note: Type.Optional(Type.String({ maxLength: 5 })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
        share: Type.Optional(Type.Number({ minimum: 0 })),
        flag: Type.Optional(Type.Boolean()),
        either: Type.Optional(Nullable(Type.Boolean())),
        most: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 9 }))),
        until: Type.Optional(Nullable(Time)),
        label: Type.Optional(Nullable(Name)),
        list: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 3, uniqueItems: true })),
        vector: Type.Optional(Type.Union([Type.Array(Type.Number()), Type.String()])),
        scope: Type.Optional(Body({ clientId: Type.String() })),
      }),
    },
  },
  async () => ({}),
);
after(() => app.close());

async function faults(body: object, url = '/round'): Promise<string[]> {
  const answer = await app.inject({ method: 'POST', url, payload: body });
  assert.equal(answer.statusCode, 400, answer.body);
  const { detail, errors: fields } = answer.json<{
    detail: string;
    errors: { path: string; message: string }[];
  }>();
  const texts = fields.map(({ path, message }) => `${path}: ${message}`);
  assert.equal(detail, texts.join('; '));
  return texts;
}

describe('a field that does not match its schema', () => {
  const cases: [object, string][] = [
    [{ role: 'owner' }, '/role: must be one of admin, member'],
    [{ colour: 'green' }, '/colour: must be one of red, blue'],
    [{ nested: ['red', 'pink'] }, '/nested/1: must be one of red, blue, none, null'],
    [{ all: false }, '/all: must be true'],
    [{ at: 'tomorrow' }, '/at: must be a time such as 2026-03-01T09:30:00Z'],
    [{ name: '' }, '/name: must have 1 to 300 characters'],
    [{ name: ' ' }, '/name: must not be blank'],
    [{ visible: '\u200b' }, '/visible: must have a visible character'],
    [{ code: 'ab' }, '/code: must have at least 3 characters'],
    [{ note: 'abcdef' }, '/note: must have at most 5 characters'],
    [{ limit: 0 }, '/limit: must be a whole number from 1 to 200'],
    [{ limit: '5' }, '/limit: must be a whole number from 1 to 200'],
    [{ share: -1 }, '/share: must be a number of at least 0'],
    [{ flag: 'yes' }, '/flag: must be true or false'],
    [{ either: 'yes' }, '/either: must be true or false or null'],
    [{ most: -1 }, '/most: must be a whole number from 0 to 9 or null'],
    [{ until: 'noon' }, '/until: must be a time such as 2026-03-01T09:30:00Z or null'],
    [{ most: 'x' }, '/most: must be a whole number from 0 to 9 or null'],
    [{ label: ' ' }, '/label: must not be blank, or must be null'],
    [{ list: [] }, '/list: must have 1 to 3 entries'],
    [{ list: ['a', 'a'] }, '/list: must not have the same entry twice'],
    [{ list: 'a' }, '/list: must be a list'],
    [{ vector: 5 }, '/vector: must be a list or a string'],
    [{ vector: [1, '2'] }, '/vector/1: must be a number'],
    [{ scope: {} }, '/scope/clientId: is required'],
    [{ scope: { clientId: 'a', include: ['team'] } }, '/scope/include: is not a known field'],
    [[], '/: must be an object'],
  ];
  for (const [body, expected] of cases) {
    it(`the error names the field and its requirement: ${expected}`, async () => {
      assert.deepEqual(await faults(body), [expected]);
    });
  }

  it('the error lists the allowed values of query and path parameters too', async () => {
    assert.deepEqual(await faults({}, '/round?state=closed'), ['/state: must be one of open, used']);
    assert.deepEqual(await faults({}, '/square'), ['/shape: must be one of round, flat']);
  });
});
