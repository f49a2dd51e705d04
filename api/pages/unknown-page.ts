import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedWeights } from '../request/negotiation.ts';
import { deeperDocument } from './page-files.ts';
import { PAGE_HEADERS } from './page-headers.ts';

const JSON_TYPES = ['application/problem+json', 'application/json'];
const JSON_RANGES = ['application/*', '*/*'];

/**
 * Whether the sender of a request would rather read a page than a problem document. Browsers name `text/html` when a person
 * opens an address. They do not for scripts, styles and pictures, which must not become HTML.
 */
export function prefersPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const weights = acceptedWeights(headers.accept);
  const weightOf = (types: string[]) => Math.max(...types.map((type) => weights.get(type) ?? 0));
  const page = weights.get('text/html') ?? 0;
  return page > weightOf(JSON_TYPES) && page >= weightOf(JSON_RANGES);
}

/**
 * Sends the page of the console that says that there is no such page. It is the console's document: its script reads in
 * the address that there is no page.
 * @param path of the requested address, as the browser resolves relative addresses against it
 */
export function sendUnknownPage(reply: FastifyReply, path: string): FastifyReply {
  const { type, body } = deeperDocument('console/console.html', path.split('/').length - 2);
  return reply.code(404).headers(PAGE_HEADERS).type(type).send(body);
}
