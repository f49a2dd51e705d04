import { type Database, transaction } from '../../db/driver/database.ts';
import { insertChunks } from '../../db/queries/sources/chunks.ts';
import { activateSource, insertLoadingSource, type NewSource } from '../../db/queries/sources/sources.ts';
import { newId } from '../../shared/ids.ts';
import { type LayerId, narrowScope, type TeamScope } from '../../shared/scope.ts';
import { prepareChunksNow } from '../../shared/text/prepared-chunks.ts';
import { createTestCompany, TEST_MODEL_NAME, type TestCompany } from '../../test/support/needs/database.ts';
import { addClient, ownerScope } from '../../test/support/scopes.ts';
import { openStandInVectors, type StandInVectors } from '../../test/support/stand-in-vectors.ts';
import { countTermsNow } from '../../test/support/term-counts.ts';
import { type NaturalText, openNaturalText } from './natural-text.ts';

/** A Team that is measured, and what asks for it. */
export interface FilledTeam {
  /** Its chunks. */
  size: number;
  company: TestCompany;
  clients: readonly string[];
  /** Of its own: the codes are those that stand in its chunks. */
  text: NaturalText;
  vectors: StandInVectors;
  scopes: TeamScopes;
}

/** What is searched, of one Team. */
export interface TeamScopes {
  /** The Team layer and every client. */
  whole: TeamScope;
  /** Each client alone. */
  clients: readonly TeamScope[];
  /** The Team layer and the first client. */
  teamAndClient: TeamScope;
}

const CLIENTS = 3;
/** Of ten chunks, so many lie in the Team layer (null) and in each client: 40, 30, 20 and 10 %, well mixed. */
const LAYERS_OF_TEN = [null, 0, 1, null, 0, null, 1, 0, null, 2] as const;
/** Chunks of one source at most, and of one transaction. */
const MOST_A_SOURCE = 100;

/** How much of the Team lies in each scope's layers, of all of it. */
export const FIRST_CLIENT_SHARE = 0.3;

/**
 * Makes a Team of exactly so many chunks, as ingests leave it, and has its terms counted.
 * @param size chunks: a multiple of ten
 * @param folder of the retrieval set
 */
export async function fillTeam(database: Database, size: number, folder: string): Promise<FilledTeam> {
  if (size % LAYERS_OF_TEN.length !== 0) throw new Error(`${size}: a Team's size is a multiple of ten`);
  const company = await createTestCompany(database);
  const clients: string[] = [];
  for (let n = 0; n < CLIENTS; n += 1) clients.push(await addClient(database, company));
  const text = await openNaturalText(folder, size);
  const vectors = openStandInVectors(size);
  const whole = ownerScope(company, clients);
  const tenth = size / LAYERS_OF_TEN.length;
  const rounds = Math.ceil(tenth / MOST_A_SOURCE);
  const upTo = (round: number) => Math.floor((tenth * round) / rounds);
  for (let round = 0; round < rounds; round += 1) {
    const count = upTo(round + 1) - upTo(round);
    // All at once: while PostgreSQL writes one, the terms of the next are made.
    await Promise.all(
      LAYERS_OF_TEN.map((client) => {
        const layerId = (client === null ? null : clients[client]) ?? whole.teamId;
        const chunks = Array.from({ length: count }, () => ({
          text: text.chunk(),
          embedding: vectors.vector(),
        }));
        return storeSource(database, whole, layerId, chunks);
      }),
    );
  }
  await countTermsNow(database, company);
  const scopes: TeamScopes = {
    whole,
    clients: clients.map((clientId) => narrowScope(whole, { clientId, include: ['client'] })),
    teamAndClient: narrowScope(whole, { clientId: clients[0] ?? '' }),
  };
  return { size, company, clients, text, vectors, scopes };
}

async function storeSource(
  database: Database,
  scope: TeamScope,
  layerId: LayerId,
  given: readonly { text: string; embedding: Float32Array }[],
): Promise<void> {
  const prepared = prepareChunksNow(scope.teamId, { chunks: given.map(({ text }) => text) });
  const chunks = prepared.map((chunk, index) => ({ ...chunk, embedding: given[index]?.embedding ?? null }));
  const id = newId();
  const source: NewSource = {
    id,
    layerId,
    kind: 'ingest',
    title: `Source ${id}`,
    uri: null,
    externalId: null,
    metadata: {},
    occurredAt: null,
    indexedAs: { title: '', date: '', labels: [] },
    contentHash: Buffer.from(id),
  };
  await transaction(database, scope, async (tx) => {
    await insertLoadingSource(tx, source);
    await insertChunks(tx, { ...source, model: TEST_MODEL_NAME }, chunks, 0);
    await activateSource(tx, source.id, chunks.length);
  });
}
