import type { FastifySchemaValidationError } from 'fastify';
import { type FieldError, ServiceError } from '../../shared/errors.ts';
import { VISIBLE_CHARACTER } from '../../shared/formats/names.ts';
import { shownPointer } from '../../shared/secrets/find-secrets.ts';

type Fault = FastifySchemaValidationError;

/** The keywords of a JSON schema that messages use. */
type Bounds = Partial<
  Record<'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems', number>
> & { type?: unknown; pattern?: unknown };

/** The types of JSON schema, as messages name them. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

/** The formats of strings, as messages name them. */
const FORMATS: Readonly<Record<string, string>> = {
  date: 'a day such as 2026-03-01',
  'date-time': 'a time such as 2026-03-01T09:30:00Z',
};

/** The keywords that limit a value of the right type. */
const LIMITS: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'pattern',
  'format',
]);

/**
 * The 400 `invalid_request` for a part of a request that does not match its schema.
 * @param schema of that part; a message about one bound also names the other
 */
export function invalidFields(faults: readonly Fault[], schema: unknown): ServiceError {
  const errors = fieldErrors(faults, schema);
  const detail = errors.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
  return new ServiceError('invalid_request', detail, { errors });
}

/** The invalid fields. The paths are JSON pointers into the invalid part of the request. */
function fieldErrors(faults: readonly Fault[], schema: unknown): FieldError[] {
  // A choice has one fault for each branch and one for the whole. They become one field error.
  const choices = new Set(faults.filter(isChoice).map((fault) => fault.instancePath));
  const single = faults.filter(({ instancePath }) => !choices.has(instancePath));
  // A fault inside the value says more than that the value also matches no other branch.
  const isOfWhole = (path: string) => !faults.some((fault) => fault.instancePath.startsWith(`${path}/`));
  const ofChoices = [...choices].filter(isOfWhole).map((path): FieldError => {
    const branches = faults.filter(({ instancePath }) => instancePath === path);
    return { path: path === '' ? '/' : path, message: choiceMessage(branches, schema) };
  });
  return [...ofChoices, ...single.map((fault) => fieldError(fault, schema))];
}

function isChoice({ keyword }: Fault): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function fieldError(fault: Fault, schema: unknown): FieldError {
  const { additionalProperty, missingProperty } = fault.params as Record<string, string | undefined>;
  const child = additionalProperty ?? missingProperty;
  const path = `${fault.instancePath}${child === undefined ? '' : shownPointer([child])}`;
  return { path: path === '' ? '/' : path, message: messageOf(fault, schema) };
}

function messageOf(fault: Fault, schema: unknown): string {
  const bounds = boundsAt(fault.schemaPath, schema);
  switch (fault.keyword) {
    case 'additionalProperties':
      return 'is not a known field';
    case 'required':
      return 'is required';
    case 'pattern':
      return bounds.pattern === VISIBLE_CHARACTER.source
        ? 'must have a visible character'
        : 'must not be blank';
    case 'format':
      return `must be ${formatOf(fault)}`;
    case 'enum':
    case 'const':
      return oneOf(allowedValues(fault));
    case 'type':
      return `must be ${typeOf(fault, bounds)}`;
    case 'minimum':
    case 'maximum':
      return `must be ${bounds.type === 'integer' ? 'a whole number' : 'a number'}${range(bounds)}`;
    case 'minLength':
    case 'maxLength':
      return `must have ${count(bounds.minLength, bounds.maxLength, 'character', 'characters')}`;
    case 'minItems':
    case 'maxItems':
      return `must have ${count(bounds.minItems, bounds.maxItems, 'entry', 'entries')}`;
    case 'uniqueItems':
      return 'must not have the same entry twice';
    default:
      return fault.message ?? 'is not valid';
  }
}

/**
 * The message for a value that matches no branch of a choice. It names the requirement of the branch that has the type of
 * the value. If no branch has it, it lists the allowed values, or else the types.
 */
function choiceMessage(faults: readonly Fault[], schema: unknown): string {
  const values = faults
    .filter(({ keyword }) => keyword === 'enum' || keyword === 'const')
    .flatMap(allowedValues);
  const types = faults
    .filter(({ keyword }) => keyword === 'type')
    .map((fault) => typeOf(fault, boundsAt(fault.schemaPath, schema)));
  const isNullable = types.includes('null');
  if (values.length > 0) return oneOf([...new Set([...values, ...(isNullable ? ['null'] : [])])]);
  const formats = faults.filter(({ keyword }) => keyword === 'format').map(formatOf);
  if (formats.length > 1) return `must be ${[...formats, ...(isNullable ? ['null'] : [])].join(' or ')}`;
  const unmet = faults.find(({ keyword }) => LIMITS.has(keyword));
  if (unmet !== undefined) {
    const message = messageOf(unmet, schema);
    if (!isNullable) return message;
    return message.startsWith('must be ') ? `${message} or null` : `${message}, or must be null`;
  }
  return types.length > 0 ? `must be ${[...new Set(types)].join(' or ')}` : 'is not valid';
}

function formatOf({ params }: Fault): string {
  const format = String(params['format']);
  return FORMATS[format] ?? `a valid ${format}`;
}

function allowedValues({ params }: Fault): string[] {
  const { allowedValues: several, allowedValue: single } = params as Record<string, unknown>;
  return (Array.isArray(several) ? several : [single]).map(String);
}

function oneOf(values: readonly string[]): string {
  const [only, ...more] = values;
  return more.length === 0 ? `must be ${only}` : `must be one of ${values.join(', ')}`;
}

function typeOf({ params }: Fault, bounds: Bounds): string {
  const type = String(params['type']);
  const name = TYPES[type] ?? type;
  return type === 'integer' || type === 'number' ? name + range(bounds) : name;
}

export function range({ minimum, maximum }: Bounds): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

function count(least: number | undefined, most: number | undefined, one: string, many: string): string {
  if (most === undefined) return `at least ${least} ${least === 1 ? one : many}`;
  return `${least === undefined ? 'at most' : `${least} to`} ${most} ${most === 1 ? one : many}`;
}

/** The schema of a fault's keyword. `schemaPath` is the path of the keyword, such as `#/properties/limit/minimum`. */
function boundsAt(schemaPath: string, schema: unknown): Bounds {
  const keys = schemaPath.split('/').slice(1, -1);
  let at: unknown = schema;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null) return {};
    at = (at as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return typeof at === 'object' && at !== null ? at : {};
}
