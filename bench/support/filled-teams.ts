import type { Database } from '../../db/driver/database.ts';
import { narrowScope, type TeamScope } from '../../shared/scope.ts';
import { createTestCompany, type TestCompany } from '../../test/support/needs/database.ts';
import { addClient, ownerScope } from '../../test/support/scopes.ts';
import { storeSource } from '../../test/support/sources.ts';
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

/** How much of the Team lies in the first client. */
export const FIRST_CLIENT_SHARE = 0.3;

/**
 * Makes a Team of exactly so many chunks, as ingests leave it, and has its terms counted.
 * @param size chunks: a multiple of ten
 * @param folder of the retrieval set
 * @param mostASource chunks of one source at most
 */
export async function fillTeam(
  database: Database,
  size: number,
  folder: string,
  mostASource = MOST_A_SOURCE,
): Promise<FilledTeam> {
  if (size % LAYERS_OF_TEN.length !== 0) throw new Error(`${size}: a Team's size is a multiple of ten`);
  const company = await createTestCompany(database);
  const clients: string[] = [];
  for (let n = 0; n < CLIENTS; n += 1) clients.push(await addClient(database, company));
  const text = await openNaturalText(folder, size);
  const vectors = openStandInVectors(size);
  const whole = ownerScope(company, clients);
  const tenth = size / LAYERS_OF_TEN.length;
  const rounds = Math.ceil(tenth / mostASource);
  const upTo = (round: number) => Math.floor((tenth * round) / rounds);
  for (let round = 0; round < rounds; round += 1) {
    const count = upTo(round + 1) - upTo(round);
    // All at once: while PostgreSQL writes one, the terms of the next are made.
    await Promise.all(
      LAYERS_OF_TEN.map((client) => {
        const layer = (client === null ? null : clients[client]) ?? null;
        const chunks = Array.from({ length: count }, () => ({
          text: text.chunk(),
          embedding: vectors.vector(),
        }));
        return storeSource(database, whole, { layer, chunks });
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
