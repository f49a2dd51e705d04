import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { onSendAsyncHookHandler } from 'fastify';
import { chooseEncoding, MIN_COMPRESSED_BYTES } from '../pages/accepted-encoding.ts';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
/** The default is the best quality, which takes far too long for an answer that is made once. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/**
 * Compresses a long answer. The length of a compressed answer can tell an observer whether a text of the request is
 * also in a secret of the answer, but only who can send requests as somebody else learns anything by that. Here no
 * browser can: requests carry their token themselves, and no cookie does.
 */
export const compressAnswer: onSendAsyncHookHandler = async (request, reply, payload) => {
  if (typeof payload !== 'string' || payload.length <= MIN_COMPRESSED_BYTES) return payload;
  // Pages and the document of the API are compressed once, and kept.
  if (reply.hasHeader('content-encoding')) return payload;
  const encoding = chooseEncoding(request, reply);
  if (encoding === null) return payload;
  reply.header('content-encoding', encoding);
  return encoding === 'br' ? brotli(payload, QUICK) : zip(payload);
};
