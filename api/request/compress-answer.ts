import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { onSendAsyncHookHandler } from 'fastify';
import { chooseEncoding, MIN_COMPRESSED_BYTES } from '../pages/accepted-encoding.ts';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
/** The default is the best quality, which takes far too long for an answer that is made once. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/**
 * Compresses a long answer, for routes that browsers poll. Not for an answer that contains both a secret and a text of
 * the request: its length would tell an observer how much of the secret the text has guessed.
 */
export const compressAnswer: onSendAsyncHookHandler = async (request, reply, payload) => {
  if (typeof payload !== 'string' || payload.length <= MIN_COMPRESSED_BYTES) return payload;
  const encoding = chooseEncoding(request, reply);
  if (encoding === null) return payload;
  reply.header('content-encoding', encoding);
  return encoding === 'br' ? brotli(payload, QUICK) : zip(payload);
};
