import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { addressesOf } from '../formats/database-address.ts';

type Reported = Pick<
  Config,
  'databaseUrl' | 'dataDir' | 'blobStore' | 'serverEmbeddings' | 'embeddingModel' | 'modelDir' | 'publicUrl'
>;

/** Where data is stored: without a user and a password, which an address of a database can have. */
function dataPlace({ databaseUrl, dataDir, blobStore }: Reported): string {
  const files = blobStore === 'database' ? '' : ', and files in the bucket of MEMORY_BLOB_STORE';
  if (databaseUrl === null) return `Data is stored in ${resolve(dataDir)}${files}.`;
  const hosts = (addressesOf(databaseUrl) ?? [])
    .map((address) => new URL(address).host)
    .filter((host) => host !== '');
  const server = hosts.length === 0 ? '' : ` on ${hosts.join(', ')}`;
  return `Data is stored in PostgreSQL${server}${files}.`;
}

/** Whether searches find passages by meaning, or how to turn this on. */
function searchByMeaning({ serverEmbeddings, embeddingModel, modelDir }: Reported): string {
  return serverEmbeddings
    ? `Search by meaning is turned on. The model ${embeddingModel} is loaded from ${resolve(modelDir)}, and downloaded if it is missing there. The log says when it is ready, or why it fails.`
    : 'Search by meaning is off: searches find words and codes. To turn it on, start with MEMORY_API_SERVER_EMBEDDINGS=1. This downloads a model once.';
}

/** Who can sign in as the Owner, and what makes the link that sets the first password. */
export type OwnerAccess =
  | { readonly hasPassword: true }
  | { readonly email: string; readonly url: string; readonly expiresAt: string }
  | { readonly command: string };

function ownerLines(owner: OwnerAccess): string[] {
  if ('hasPassword' in owner) return ['The Owner has a password.'];
  if ('command' in owner) {
    return [
      'The Owner has no password yet. To make a link for it, run this with the MEMORY_API_TOKEN of the service:',
      owner.command,
    ];
  }
  return [
    `To set the password of ${owner.email}, open this link. It works once, until ${owner.expiresAt}:`,
    owner.url,
  ];
}

/**
 * What a start prints for the person who made it, line by line: where the service listens, where the console is, how the Owner
 * gets in, where data is stored, and whether searches go by meaning.
 * @param localUrl where the service listens
 */
export function startReport(config: Reported, localUrl: string, owner: OwnerAccess): string[] {
  return [
    `Team memory listens on ${localUrl}`,
    `The console, for browsers: ${config.publicUrl ?? localUrl}/`,
    ...ownerLines(owner),
    dataPlace(config),
    searchByMeaning(config),
    'Ctrl-C stops the service.',
  ];
}
