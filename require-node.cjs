'use strict';

const { existsSync } = require('node:fs');
const path = require('node:path');

// Run by `npm start` and the other commands of the service. CommonJS, so that every version of Node can read it.

const REQUIRED = 24;
if (Number(process.versions.node.split('.')[0]) < REQUIRED) {
  console.error(
    `This service requires Node ${REQUIRED}, not ${process.versions.node}: install Node ${REQUIRED}, or run "npm ci", which installs it (in a checkout not with --omit=dev)`,
  );
  process.exit(1);
}
if (!existsSync(path.join(__dirname, 'node_modules', 'fastify'))) {
  console.error('The packages of the service are not installed: run "npm ci"');
  process.exit(1);
}
