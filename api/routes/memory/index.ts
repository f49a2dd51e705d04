import type { Routes } from '../../types.ts';
import { auditRoute } from './audit.ts';
import { captureListRoutes } from './capture-list.ts';
import { captureRoute } from './captures.ts';
import { consolidationBatchRoutes } from './consolidation/batches.ts';
import { consolidationClaimRoute } from './consolidation/claim.ts';
import { consolidationCompleteRoute } from './consolidation/complete.ts';
import { embeddingRoutes } from './embeddings.ts';
import { expandRoute } from './expand.ts';
import { feedbackRoute } from './feedback.ts';
import { importDecisionRoutes } from './imports/decisions.ts';
import { importListingRoutes } from './imports/listing.ts';
import { importUploadRoute } from './imports/upload.ts';
import { ingestRoute } from './ingest.ts';
import { decisionsRoute } from './memories/decisions.ts';
import { memoriesRoute } from './memories/memories.ts';
import { memoryRoute } from './memories/memory.ts';
import { searchRoute } from './search.ts';
import { bulkArchiveRoute } from './sources/bulk-archive.ts';
import { originalRoute } from './sources/original.ts';
import { purgeRoutes } from './sources/purge.ts';
import { restoreRoute } from './sources/restore.ts';
import { sourceRoute } from './sources/source.ts';
import { sourceChangeRoutes } from './sources/source-changes.ts';
import { sourcesRoute } from './sources/sources.ts';
import { statusRoute } from './status.ts';
import { tagsRoute } from './tags.ts';

/** /v1/memory: what the selected Team keeps, and how it is found again. */
export const memoryRoutes: readonly Routes[] = [
  auditRoute,
  searchRoute,
  expandRoute,
  feedbackRoute,
  ingestRoute,
  sourcesRoute,
  sourceRoute,
  originalRoute,
  sourceChangeRoutes,
  bulkArchiveRoute,
  purgeRoutes,
  restoreRoute,
  tagsRoute,
  embeddingRoutes,
  captureRoute,
  captureListRoutes,
  consolidationClaimRoute,
  consolidationCompleteRoute,
  consolidationBatchRoutes,
  memoriesRoute,
  memoryRoute,
  decisionsRoute,
  statusRoute,
  importUploadRoute,
  importListingRoutes,
  importDecisionRoutes,
];
