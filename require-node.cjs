'use strict';

// Run by `npm start` and the other commands of the service. CommonJS, so that every version of Node can read it.

const REQUIRED = 24;
if (Number(process.versions.node.split('.')[0]) < REQUIRED) {
  console.error(
    `This service requires Node ${REQUIRED}, not ${process.versions.node}: install Node ${REQUIRED}, or run "npm ci" without --omit=dev, which includes it`,
  );
  process.exit(1);
}
