import { ServiceError } from '../../../shared/errors.ts';
import { isDeeper, MAX_DEPTH } from '../../bodies/json-shape.ts';

/** A message of the protocol as the library reads it, and what the service reads by itself. */
export interface ReadMessage {
  message: unknown;
  /** The arguments of a call, as they were sent. */
  args: unknown;
  /** Whether it calls a tool. */
  isCall: boolean;
}

/**
 * Reads a message as programs send it. Many write null for what they leave out, in `params` and inside of it, which the library
 * refuses. Arguments that it would refuse are to be the result of the call, so it does not see any.
 * @throws ServiceError `invalid_request` if the message is nested too deep without its arguments
 */
export function readMessage(body: unknown): ReadMessage {
  const isCall = isObject(body) && body['method'] === 'tools/call';
  const { arguments: args, ...others } = isCall && isObject(body['params']) ? body['params'] : {};
  const sent = isCall && isObject(body['params']) ? { ...body, params: others } : body;
  if (isDeeper(sent, MAX_DEPTH)) {
    throw new ServiceError('invalid_request', `The message is nested deeper than ${MAX_DEPTH}`);
  }
  return { message: isObject(sent) ? withoutNullParams(sent) : sent, args, isCall };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A message without `params` that are null, and without the members of `params` that are null. */
function withoutNullParams({ params, ...head }: Record<string, unknown>): Record<string, unknown> {
  return params === null || params === undefined ? head : { ...head, params: withoutNull(params) };
}

/** A value without the members that are null, at any depth. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNull(member)]));
}
