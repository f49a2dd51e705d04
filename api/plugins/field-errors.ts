import type { FastifyError, FastifySchemaValidationError } from 'fastify';
import type { FieldError } from '../../shared/errors.ts';

type Fault = FastifySchemaValidationError;
/** The part of a JSON schema that a fault is against, as far as a message tells of it. */
type Bounds = Partial<
  Record<'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems', number>
> & { type?: unknown };

/** What a value must be, by the schema's name of its type. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

/**
 * The fields that a validation error is about, as JSON pointers into the part of the request at fault.
 * @param schema of that part of the request, from which a message takes both bounds where only one is broken
 */
export function fieldErrors(error: FastifyError, schema: unknown): FieldError[] {
  const faults = error.validation ?? [];
  // Each branch of a choice has a fault of its own, and the choice as a whole another: they are one.
  const choices = new Set(faults.filter(isChoice).map((fault) => fault.instancePath));
  const single = faults.filter(({ instancePath }) => !choices.has(instancePath));
  const ofChoices = [...choices].map((path): FieldError => {
    const branches = faults.filter(({ instancePath }) => instancePath === path);
    return { path: path === '' ? '/' : path, message: choiceMessage(branches) };
  });
  return [...ofChoices, ...single.map((fault) => fieldError(fault, schema))];
}

function isChoice({ keyword }: Fault): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function fieldError(fault: Fault, schema: unknown): FieldError {
  const { additionalProperty, missingProperty } = fault.params as Record<string, string | undefined>;
  const child = additionalProperty ?? missingProperty;
  const path = `${fault.instancePath}${child === undefined ? '' : `/${child}`}`;
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
      return 'must not be blank';
    case 'format':
      return fault.params['format'] === 'date-time'
        ? 'must be a time such as 2026-03-01T09:30:00Z'
        : `must be a valid ${String(fault.params['format'])}`;
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

/** What a value must be that fits none of several schemas: one of their values, or of one of their types. */
function choiceMessage(faults: readonly Fault[]): string {
  const values = faults
    .filter(({ keyword }) => keyword === 'enum' || keyword === 'const')
    .flatMap(allowedValues);
  const types = faults.filter(({ keyword }) => keyword === 'type').map((fault) => typeOf(fault, {}));
  if (values.length > 0) return oneOf([...new Set([...values, ...types.filter((type) => type === 'null')])]);
  return types.length > 0 ? `must be ${[...new Set(types)].join(' or ')}` : 'is not valid';
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

function range({ minimum, maximum }: Bounds): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

function count(least: number | undefined, most: number | undefined, one: string, many: string): string {
  if (most === undefined) return `at least ${least} ${least === 1 ? one : many}`;
  return `${least === undefined ? 'at most' : `${least} to`} ${most} ${most === 1 ? one : many}`;
}

/** The schema that a fault's keyword belongs to, found by its path such as `#/properties/limit/minimum`. */
function boundsAt(schemaPath: string, schema: unknown): Bounds {
  const keys = schemaPath.split('/').slice(1, -1);
  let at: unknown = schema;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null) return {};
    at = (at as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return typeof at === 'object' && at !== null ? at : {};
}
