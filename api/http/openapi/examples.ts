/*
 * One request body for each operation that has one. The document shows it, and a test sends it: ids, tokens and
 * passwords are replaced by those that the test made.
 */

/** Ids as the service makes them. */
const ID = '01981f6e-5b7a-7c3e-9d42-6f0a1b2c3d4e';
const OTHER_ID = '01981f6e-5b7a-7c3e-9d42-7a5b6c7d8e9f';
const TOKEN = 'hI0kZC4H6uS5oZyKJ2vE3Ww1mXcQp8aRtYbNfGdLsUe';
const PASSWORD = 'correct horse battery staple';
const EMAIL = 'ada@example.com';

const NOTES = '# Deployment\n\nThe night build runs at 02:00 UTC.\n';
/** Of NOTES. */
const NOTES_SHA256 = '64fab647b1ea41642358e4727969c89d4f67225c11fda0083fd97d58c09492b1';
/** The base64 of 1,024 little-endian float32 numbers: the first is 1, the others are 0. */
const VECTOR = Buffer.from(new Float32Array(1024).fill(1, 0, 1).buffer).toString('base64');
const MODEL = 'Xenova/bge-m3';

/** The example of each operation with a body, by its operationId. */
export const EXAMPLES: Readonly<Record<string, object>> = {
  login: { email: EMAIL, password: PASSWORD },
  joinTeam: { token: TOKEN, name: 'Ada Lovelace', password: PASSWORD },
  logout: { everywhere: true },
  changePassword: { currentPassword: PASSWORD, newPassword: 'a longer battery staple' },
  resetPassword: { token: TOKEN, newPassword: PASSWORD },
  readLink: { token: TOKEN },

  changeAccount: { name: 'Ada King', email: 'ada.king@example.com', password: PASSWORD },

  createToken: {
    name: 'Build agent',
    teamId: ID,
    clientIds: [],
    permissions: ['memory:read', 'memory:write'],
    expiresInDays: 30,
  },
  rotateToken: { overlapHours: 24 },

  acceptInvitation: { token: TOKEN, name: 'Ada Lovelace', password: PASSWORD },
  createCompany: { name: 'Difference Engines', ownerEmail: 'charles@example.com', teamName: 'Workshop' },
  createOwnerLink: { email: 'charles@example.com' },
  endCompany: { name: 'Difference Engines' },
  renameCompany: { name: 'Analytical Engines' },
  changeCompanyRole: { role: 'admin' },
  requestReset: { email: EMAIL },
  createMemberResetLink: { baseUrl: 'https://memory.example.com', ttlSeconds: 3600 },
  createOwnerResetLink: { teamId: ID, email: EMAIL, ttlSeconds: 3600 },
  createInvitation: { email: 'grace@example.com', expiresInHours: 72 },
  createTeam: { name: 'Support', ownerEmail: 'grace@example.com' },
  renameTeam: { name: 'Customer support', quota: { chunks: 500_000, bytes: null } },
  requestAccess: { teamId: ID, access: 'read', reason: 'Review of the quarter' },
  giveCompanyGrant: { access: 'full' },

  changeSelectedTeam: { publish: 'review', redaction: 'redact' },
  createClient: { name: 'Northwind' },
  changeClient: { name: 'Northwind Traders' },
  changeTeamRole: { role: 'admin' },
  createInvite: {
    email: 'grace@example.com',
    role: 'member',
    grants: [{ clientId: ID, access: 'write' }],
    expiresInHours: 72,
  },
  giveClientGrant: { access: 'write' },

  searchMemory: {
    query: 'When does the night build run?',
    embeddingMode: 'auto',
    scope: { include: ['team', 'client'] },
    topK: 5,
    neighbours: 1,
  },
  giveFeedback: { queryId: ID, chunkId: OTHER_ID, verdict: 'outdated', note: 'The build runs at 03:00 now.' },
  expandChunk: { chunkId: ID, before: 1, after: 1 },
  ingestSource: {
    title: 'Deployment',
    text: NOTES,
    uri: 'https://wiki.example.com/deployment',
    externalId: 'wiki/deployment',
    metadata: { author: 'Ada' },
    tags: ['operations'],
  },
  changeSource: { title: 'Deployment of the service', tags: ['operations', 'nightly'] },
  claimEmbeddings: { limit: 1 },
  completeEmbeddings: {
    batchId: ID,
    embeddingModel: MODEL,
    embeddingDim: 1024,
    embeddings: [{ chunkId: OTHER_ID, embedding: VECTOR }],
  },
  stageCapture: {
    sessionId: 'build-agent-42',
    sequence: 1,
    summary: 'The night build failed because the disk was full. Old images are now deleted first.',
    startedAt: '2026-03-01T02:00:00.000Z',
    endedAt: '2026-03-01T02:25:00.000Z',
    metadata: { agent: 'build' },
  },
  claimCaptures: { limit: 5, leaseSeconds: 900 },
  completeCaptures: {
    batchId: ID,
    items: [
      {
        captureIds: [OTHER_ID],
        action: 'publish',
        title: 'The night build deletes old images first',
        content: 'The build of 2026-03-01 failed because the disk was full. It now deletes old images first.',
        tags: ['operations'],
      },
    ],
  },
  releaseBatch: { batchId: ID },
  decideMemory: {
    action: 'publish',
    memoryId: ID,
    version: 1,
    title: 'The night build deletes old images first',
  },
  changeSources: { ids: [ID], change: { tags: { add: ['operations'], remove: ['drafts'] } } },
  archiveSources: {
    filter: { kind: 'import', tag: 'operations', createdBefore: '2026-01-01T00:00:00.000Z' },
    dryRun: true,
  },
  importFiles: {
    items: [{ filename: 'deployment.md', title: 'Deployment', text: NOTES, tags: ['operations'] }],
  },
  retryImports: { ids: [ID] },

  sendMcpMessage: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } },

  pullFiles: { files: [{ path: 'team/notes/deployment.md' }] },
  pushFiles: {
    files: [
      {
        path: 'team/notes/deployment.md',
        baseVersion: 0,
        contentBase64: Buffer.from(NOTES).toString('base64'),
        sha256: NOTES_SHA256,
      },
    ],
  },
};
