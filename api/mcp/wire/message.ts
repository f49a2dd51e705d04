/** A message of the protocol as the library reads it, and what the service reads by itself. */
export interface ReadMessage {
  message: unknown;
  /** The arguments of a call, as they were sent. */
  args: unknown;
  /** Whether it calls a tool. */
  isCall: boolean;
}

/**
 * Reads a message as clients send it. Many write null for what they leave out, in `params` and inside of it, which the library
 * refuses. Arguments that it would refuse are to be the result of the call, so it does not see any.
 */
export function readMessage(body: unknown): ReadMessage {
  if (!isObject(body)) return { message: body, args: undefined, isCall: false };
  const { params, ...head } = body;
  const isCall = head['method'] === 'tools/call';
  if (params === null || params === undefined) return { message: head, args: undefined, isCall };
  if (!isCall || !isObject(params))
    return { message: { ...head, params: withoutNull(params) }, args: undefined, isCall };
  const { arguments: args, ...others } = params;
  return { message: { ...head, params: withoutNull(others) }, args, isCall };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value without the members that are null, at any depth. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNull(member)]));
}
