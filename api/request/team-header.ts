import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';

/** The id or the name of a Team in the header Memory-Team, without white space around it; undefined without the header. */
export function requestedTeam({ headers }: FastifyRequest): string | undefined {
  const header = headers['memory-team'];
  return typeof header === 'string' ? decodeHeader(header).trim() : undefined;
}

/** Node reads each byte of a header as a character of Latin-1. Bytes that are not UTF-8 stay so: some programs send Latin-1. */
function decodeHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) && bytes.toString('latin1') === value ? bytes.toString('utf8') : value;
}
